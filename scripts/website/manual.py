"""The manual of the command line, docs/hardnet.1, as Markdown: the macros of man that it uses, and no others.

SPDX-License-Identifier: MIT
"""
import re
import shlex


def inline(text):
    """Escapes and fonts of a line."""
    text = text.replace("\\&", "").replace("\\-", "-").replace("\\(bu", "•").replace("\\(aq", "'").replace("\\(en", "–").replace("\\e", "\\\\")
    text = text.replace("<", "&lt;").replace("|", "&#124;").replace("*", "\\*").replace("_", "\\_")
    text = re.sub(r"\\fB(.*?)\\f[RP]", lambda found: strong(found.group(1)), text)
    text = re.sub(r"\\fI(.*?)\\f[RP]", lambda found: f"<i>{found.group(1)}</i>" if found.group(1) else "", text)
    return text.replace("\\ ", " ")


def strong(text):
    return f"<b>{text}</b>" if text else ""


def slanted(text):
    return f"<i>{text}</i>" if text else ""


FONTS = {"B": (strong,), "I": (slanted,), "BR": (strong, str), "RB": (str, strong), "RI": (str, slanted), "IR": (slanted, str),
         "BI": (strong, slanted), "IB": (slanted, strong)}


def words(line):
    return shlex.split(line.replace("\\", "\\\\").replace("'", "\\'"), posix=True)


def fonts(macro, rest):
    """A line such as `.BR name (1)`: words in turns of fonts."""
    turns = FONTS[macro]
    pieces = words(rest)
    if len(turns) == 1:
        return turns[0](inline(" ".join(pieces)))
    return "".join(turns[i % 2](inline(piece)) for i, piece in enumerate(pieces))


class Writer:
    """Lines of Markdown; depth counts .RS, inside says that lines belong to a tag or a bullet."""

    def __init__(self):
        self.out, self.depth, self.inside, self.tag, self.code = [], 0, False, False, False

    def outer(self):
        return "    " * self.depth

    def indent(self):
        return "    " * (self.depth + self.inside)

    def say(self, line):
        if self.tag:
            self.tag, self.inside = False, True
            self.out += [self.outer() + line, self.outer() + ":   "]
        elif self.out and self.out[-1].endswith((":   ", "-   ")):
            self.out[-1] += line
        else:
            self.out.append(self.indent() + line)


def convert(source):
    writer = Writer()
    for raw in source.splitlines():
        if raw.startswith('.\\"'):
            continue
        found = re.match(r"\.(\w+)\s*(.*)", raw)
        macro, rest = (found.group(1), found.group(2)) if found else ("", raw)
        step(writer, macro, rest)
    return "\n".join(writer.out)


def step(writer, macro, rest):
    if writer.code:
        if macro == "fi":
            writer.code = False
            writer.out += [writer.indent() + "```", ""]
        else:
            writer.out.append(writer.indent() + (fonts_plain(macro, rest) if macro else plain(rest)))
    elif macro in ("SH", "SS"):
        writer.inside = False
        title = plain(rest.strip('"'))
        writer.out += ["", "## " + title.capitalize() if macro == "SH" else "### " + title, ""]
    elif macro == "PP":
        writer.inside = False
        writer.out.append("")
    elif macro == "TP":
        writer.inside, writer.tag = False, True
        writer.out.append("")
    elif macro == "IP":
        writer.out += ["", writer.outer() + "-   "]
        writer.inside = True
    elif macro in ("RS", "RE"):
        writer.depth += 1 if macro == "RS" else -1
    elif macro == "nf":
        writer.code = True
        writer.out += ["", writer.indent() + "```text"]
    elif macro == "br":
        writer.out.append(writer.indent() + "<br>")
    elif macro in FONTS:
        writer.say(fonts(macro, rest))
    elif macro == "":
        writer.say(inline(rest)) if rest.strip() else writer.out.append("")
    elif macro != "TH":
        raise SystemExit(f"manual: the macro .{macro} is not understood")


def plain(text):
    text = text.replace("\\&", "").replace("\\-", "-").replace("\\(bu", "•").replace("\\(aq", "'").replace("\\e", "\\").replace("\\ ", " ")
    return re.sub(r"\\f[BIRP]", "", text)


def fonts_plain(macro, rest):
    return plain(" ".join(words(rest)) if len(FONTS.get(macro, (0,))) == 1 else "".join(words(rest)))


def page(root):
    text = convert((root / "docs/hardnet.1").read_text())
    return "# The command line\n\nThe manual page, `man hardnet`; `hardnet help VERB` has the options of each verb.\n" + text

"""The C interface as pages: comments of the public headers become text, declarations code. In: include/hardnet. Out: pages by name.

A header is a comment that describes it, then comments and declarations in turn. Lines of a comment that are indented further are
an example. SPDX-License-Identifier: MIT
"""
import re

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
NAME = re.compile(r"\b(hn_\w+)\s*\(")
TYPE = re.compile(r"typedef (?:struct|enum|union) (hn_\w+)|typedef [^;{]*?\(?\*?(hn_\w+)\)?(?:\([^;]*\))?;|#define (HN_\w+)")


def prose(text):
    """The text of a comment as Markdown; stars at the beginning of lines go."""
    lines = [re.sub(r"^ ?\* ?", "", line).rstrip() for line in text.strip("\n").splitlines()]
    lines = [line[1:] if line.startswith(" ") and not line.startswith("   ") else line for line in lines]
    lines = [line for line in lines if "SPDX-License-Identifier" not in line]
    result, code = [], []
    for line in [*lines, ""]:
        if line.startswith("    "):
            code.append(line[4:])
            continue
        if code and not line:
            code.append("")
            continue
        if code:
            result += ["", "```c", *"\n".join(code).strip("\n").splitlines(), "```", ""]
            code = []
        result.append(re.sub(r"(?<![`\w])((?:hn|HN)_\w+(?:\(\))?)", r"`\1`", line).replace("<", "&lt;").replace("*", "\\*"))
    if "".join(code).strip():
        result += ["", "```c", *"\n".join(code).strip("\n").splitlines(), "```"]
    return "\n".join(result).strip()


def body_of(text):
    """What lies between the guard and its end, without the lines for C++ and without lists' helpers."""
    text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", text, flags=re.M | re.S)
    text = re.sub(r"^#(ifndef|define) HARDNET_\w+_H\n|^#include .*\n|^#undef .*\n|\n#endif\s*\Z", "", text, flags=re.M)
    return text.strip("\n")


def parts(body):
    """Pairs of a comment and the code that follows it; a comment belongs to the line it stands before, not behind."""
    comment, code, depth = "", [], 0
    lines = body.splitlines()
    i = 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("/*"):
            if "".join(code).strip() or comment:
                yield comment, "\n".join(code).strip("\n")
            code, block = [], [line]
            while "*/" not in lines[i]:
                i += 1
                block.append(lines[i])
            comment = COMMENT.search("\n".join(block)).group(1)
            behind = lines[i].split("*/", 1)[1]
            if behind.strip():
                code.append(behind)
        else:
            code.append(line)
        i += 1
    if "".join(code).strip() or comment:
        yield comment, "\n".join(code).strip("\n")


def names_in(code):
    """Functions, types and lists that a piece of code declares."""
    plain = COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), code)
    outside = re.sub(r"\{[^{}]*\}", "{}", plain)
    types = [next(name for name in found if name) for found in TYPE.findall(outside)]
    functions = [name for name in NAME.findall(re.sub(r"typedef[^;]*;|#define.*(?:\\\n.*)*", "", outside))]
    return list(dict.fromkeys(types)), list(dict.fromkeys(functions))


def page(path):
    """The page of a header, its functions, types and first sentence."""
    text = path.read_text()
    opening = COMMENT.search(text)
    title, _, rest = opening.group(1).strip().partition(" - ")
    sentence = re.split(r"(?<=[.])\s", rest.strip(), maxsplit=1)
    described = prose(rest)
    out, functions, types = [f"# {title}", "", described[0].upper() + described[1:], ""], [], []
    for comment, code in parts(body_of(text[opening.end():])):
        new_types, new_functions = names_in(code)
        types += new_types
        functions += new_functions
        if new_functions or new_types:
            out += ["## " + ", ".join(f"`{name}`" for name in (new_functions or new_types)[:3])
                    + (" and others" if len(new_functions or new_types) > 3 else ""), ""]
            out += ["".join(f'<a id="{name}"></a>' for name in (*new_types, *new_functions)), ""]
        if comment:
            out += [prose(comment), ""]
        if code:
            out += ["```c", code, "```", ""]
    first = re.sub(r"\s*\n \* ?", " ", sentence[0]).strip()
    return "\n".join(out), functions, types, first


def pages(root):
    """All of them, and an index with every name."""
    found, index, names = {}, [], []
    for path in sorted((root / "include/hardnet").glob("*.h")):
        if path.name == "hardnet.h":
            continue
        text, functions, types, first = page(path)
        found[f"c/{path.stem}.md"] = text
        index.append(f"| [hardnet/{path.name}]({path.stem}.md) | {first.replace('|', '&#124;')} |")
        names += [(name, f"{path.stem}.md#{name}") for name in (*types, *functions)]
    listing = " · ".join(f"[`{name}`]({link})" for name, link in sorted(names, key=lambda pair: pair[0].lower()))
    found["c/index.md"] = "\n".join(["# The C interface", "",
        "`#include <hardnet/hardnet.h>` is all of them. Programs compiled with the headers base, model, inspect, read, layer and evaluate "
        "run on later libraries; the others are still moving. These pages are the headers' own comments.", "",
        "| header | |", "|---|---|", *index, "", "## All names", "", listing, ""])
    return found


def header_names(root):
    return [f"c/{path.stem}.md" for path in sorted((root / "include/hardnet").glob("*.h")) if path.name != "hardnet.h"]

"""The Python interface as a page, from the docstrings: the sources are read, not run. In: python/hardnet. Out: Markdown.

SPDX-License-Identifier: MIT
"""
import ast
import re
import textwrap

MODULES = (("hardnet", ""), ("hardnet.torch", "torch"), ("hardnet.jax", "jax"))
INTERNAL = {"core", "note_reports", "note_device_reports", "note_flagged", "extra_repr"}  # public for other modules of the package only


def trees(folder):
    return [ast.parse(path.read_text()) for path in sorted(folder.glob("*.py"))]


def definitions(folder):
    """Name to the class or function of that name; where one is overloaded, the last, which has the docstring."""
    found = {}
    for tree in trees(folder):
        for node in tree.body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and (ast.get_docstring(node) or node.name not in found):
                found[node.name] = node
    return found


def exported(folder, file="__init__.py"):
    """The names in __all__, in their order; `__all__ += _part.__all__` adds those of a module of the package."""
    names = []
    for node in ast.parse((folder / file).read_text()).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if getattr(target, "id", "") == "__all__" and isinstance(node.value, ast.List):
            names += [entry.value for entry in node.value.elts if isinstance(entry, ast.Constant)]
        elif getattr(target, "id", "") == "__all__":
            names += exported(folder, node.value.value.id + ".py")
    return names


def signature(node, name):
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    arguments = re.sub(r"^/(, )?", "", arguments)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    line = f"{name}({arguments}){returns}"
    if len(line) > 96:
        pieces = [ast.unparse(piece) for piece in ast.parse(f"def f({arguments}): pass").body[0].args.args]
        line = f"{name}(\n    " + ",\n    ".join(split_arguments(arguments)) + f",\n){returns}" if pieces or arguments else line
    return line


def split_arguments(text):
    """At the commas outside of brackets."""
    found, depth = [""], 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [piece.strip() for piece in found]


ARGUMENT = re.compile(r"(\*{0,2}\w+(?:, \w+)*): ")


def listed(text):
    """Paragraphs of lines `name: what it is`, continued by indented lines, become lists."""
    out = []
    for paragraph in text.split("\n\n"):
        lines = paragraph.split("\n")
        if ARGUMENT.match(lines[0]) and all(ARGUMENT.match(line) or line.startswith("    ") for line in lines):
            paragraph = "\n".join(ARGUMENT.sub(r"- `\1`: ", line, count=1) if not line.startswith(" ") else line[2:] for line in lines)
        out.append(paragraph)
    return "\n\n".join(out)


def described(text):
    """A docstring as Markdown: examples with >>> become blocks, descriptions of arguments lists."""
    out, example = [], []
    for line in [*listed(textwrap.dedent(text or "").strip()).splitlines(), ""]:
        if line.lstrip().startswith(">>>") or (example and line.strip()):
            example.append(line.strip() if line.lstrip().startswith((">>>", "...")) else line)
            continue
        if example:
            out += ["", "```pycon", *textwrap.dedent("\n".join(example)).splitlines(), "```"]
            example = []
        out.append(line)
    return "\n".join(out).strip()


def own_members(node):
    """The documented methods and properties of a class; of the names with an underscore those that a user calls."""
    for part in node.body:
        public = not part.name.startswith("_") or part.name in ("__init__", "__call__") if isinstance(part, ast.FunctionDef) else False
        if public and part.name not in INTERNAL and ast.get_docstring(part):
            yield part


def members(node, known, shown):
    """The same, with those of base classes without an entry: name to definition, the constructor first."""
    found = {}
    for base in node.bases:
        name = ast.unparse(base)
        if name in known and name not in shown:
            found.update(members(known[name], known, shown))
    found.update((part.name, part) for part in own_members(node))
    return dict(sorted(found.items(), key=lambda item: item[0] != "__init__"))


def member(name, part):
    """One method or property of the class `name`: constructors and calls as they are written."""
    if {ast.unparse(decorator) for decorator in part.decorator_list} & {"property", "functools.cached_property"}:
        title = [f"**`{name}.{part.name}`**", ""]
    else:
        written = {"__init__": name, "__call__": name.lower(), "forward": name.lower()}.get(part.name, f"{name}.{part.name}")
        title = ["```python", signature(part, written), "```", ""]
    return [*title, described(ast.get_docstring(part)), ""]


def entry(node, module, known, shown):
    out = [f"### `{module}.{node.name}` {{ #{module}.{node.name} }}", ""]
    if isinstance(node, ast.FunctionDef):
        out += ["```python", signature(node, node.name), "```", ""]
    out += [described(ast.get_docstring(node)), ""]
    for part in members(node, known, shown).values() if isinstance(node, ast.ClassDef) else ():
        out += member(node.name, part)
    return out


def page(root):
    out = ["# The Python interface", "", "From the docstrings of the package. Start with [the guide](python.md).", ""]
    for module, folder in MODULES:
        place = root / "python/hardnet" / folder
        known = definitions(place)
        out += [f"## {module}", ""]
        shown = exported(place)
        for name in shown:
            if name in known:
                out += entry(known[name], module, known, shown)
    return "\n".join(out)

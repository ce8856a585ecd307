"""The Python interface as a page, from the docstrings: the sources are read, not run. In: python/hardnet. Out: Markdown.

SPDX-License-Identifier: MIT
"""
import ast
import re
import textwrap

MODULES = (("hardnet", ""), ("hardnet.torch", "torch"), ("hardnet.jax", "jax"))


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


def exported(folder):
    """The names in __all__, in their order."""
    for node in ast.parse((folder / "__init__.py").read_text()).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if getattr(target, "id", "") == "__all__":
            return [entry.value for entry in node.value.elts if isinstance(entry, ast.Constant)]
    return []


def signature(node, name):
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    arguments = re.sub(r"^/(, )?", "", arguments)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
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


def described(text):
    """A docstring as Markdown: examples with >>> become blocks."""
    out, example = [], []
    for line in [*textwrap.dedent(text or "").strip().splitlines(), ""]:
        if line.lstrip().startswith(">>>") or (example and line.strip()):
            example.append(line.strip() if line.lstrip().startswith((">>>", "...")) else line)
            continue
        if example:
            out += ["", "```pycon", *textwrap.dedent("\n".join(example)).splitlines(), "```"]
            example = []
        out.append(line)
    return "\n".join(out).strip()


def members(node):
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and not part.name.startswith("_") and ast.get_docstring(part):
            decorated = {ast.unparse(decorator) for decorator in part.decorator_list}
            yield part, "property" in decorated or "functools.cached_property" in decorated


def entry(node, module):
    out = [f"### `{module}.{node.name}` {{ #{module}.{node.name} }}", ""]
    if isinstance(node, ast.FunctionDef):
        out += ["```python", signature(node, node.name), "```", ""]
    out += [described(ast.get_docstring(node)), ""]
    for part, is_property in members(node) if isinstance(node, ast.ClassDef) else ():
        title = part.name if is_property else signature(part, part.name)
        out += [f"**`{node.name}.{part.name}`**", ""] if is_property else ["```python", f"{node.name}.{title}", "```", ""]
        out += [described(ast.get_docstring(part)), ""]
    return out


def page(root):
    out = ["# The Python interface", "", "From the docstrings of the package. [The guide](python.md) is the way in.", ""]
    for module, folder in MODULES:
        place = root / "python/hardnet" / folder
        known = definitions(place)
        out += [f"## {module}", ""]
        for name in exported(place):
            if name in known:
                out += entry(known[name], module)
    return "\n".join(out)

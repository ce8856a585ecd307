#!/usr/bin/env python3
"""assemble.py MODULE.wasm FOLDER: FOLDER with hardnet.wasm, hardnet.js, hardnet.d.ts and the playground, index.html.

hardnet.js gets the module at its end, as base64, so that it needs no other file. index.html is one file: styles, scripts, models and
networks stand in it, and its content security policy names the scripts by their SHA-256; nothing else may run, and nothing may be
fetched. Prints the sizes. Stops where the module is 1 MB or more, or imports what hardnet.js does not give.
"""
import base64
import gzip
import hashlib
import json
import pathlib
import sys

WEB = pathlib.Path(__file__).resolve().parent
ROOT = WEB.parent
GIVEN = {"hardnet.hear", "hardnet.watch", "wasi_snapshot_preview1.clock_time_get", "env.emscripten_notify_memory_growth"}
LIMIT = 1_000_000
IMPORT_SECTION = 2
MODELS = {"unicycle": "models/unicycle.mod", "drive": "web/models/drive.mod", "opf57": "models/opf57.mod", "figure2": "models/figure2.mod",
          "ellipse": "models/ellipse.mod", "simplex": "models/simplex.mod", "pooling": "models/pooling.mod"}


def leb(data, at):
    """A number of LEB128 and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at


def imported_functions(module):
    """'module.name' of everything that a module imports; all of it must be functions."""
    at, names = 8, []
    while at < len(module):
        kind = module[at]
        size, at = leb(module, at + 1)
        if kind == IMPORT_SECTION:
            count, inside = leb(module, at)
            for _ in range(count):
                words = []
                for _ in range(2):
                    length, inside = leb(module, inside)
                    words.append(module[inside:inside + length].decode())
                    inside += length
                if module[inside] != 0:
                    sys.exit(f"web: {'.'.join(words)} is imported and is not a function")
                _, inside = leb(module, inside + 1)
                names.append(".".join(words))
        at += size
    return names


def check(module):
    foreign = sorted(set(imported_functions(module)) - GIVEN)
    if foreign:
        sys.exit(f"web: the module imports {', '.join(foreign)}, which hardnet.js does not give")
    if len(module) >= LIMIT:
        sys.exit(f"web: the module has {len(module)} bytes; it must be below {LIMIT}")


def library(module):
    text = (WEB / "hardnet.js").read_text()
    return f'{text}\nvar hardnetBinary = "{base64.b64encode(module).decode()}";\n'


def data_script():
    """Models, examples and networks, as one constant."""
    folder = WEB / "playground"
    networks = {path.stem: base64.b64encode(path.read_bytes()).decode() for path in sorted((WEB / "networks").glob("*.safetensors"))}
    models = {name: (ROOT / path).read_text() for name, path in MODELS.items()}
    models |= {path.stem: path.read_text() for path in sorted((WEB / "models").glob("*.mod"))}
    layout = json.loads((folder / "grid_layout.json").read_text()) if (folder / "grid_layout.json").exists() else {}
    content = json.dumps({"models": models, "networks": networks, "gridLayout": layout}).replace("</", "<\\/")
    return f'"use strict";\nconst shipped = {content};\n'


def page(module):
    folder = WEB / "playground"
    scripts = [library(module), data_script()] + [path.read_text() for path in sorted(folder.glob("[0-9]*.js"))]
    digests = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in scripts)
    policy = (f"default-src 'none'; script-src {digests} 'wasm-unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; "
              "img-src data:; form-action 'none'; base-uri 'none'")
    text = (folder / "index.html").read_text()
    for mark, content in (("<!-- policy -->", f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
                          ("/* style */", (folder / "style.css").read_text()),
                          ("<!-- scripts -->", "\n".join(f"<script>{text}</script>" for text in scripts))):
        if text.count(mark) != 1:
            sys.exit(f"web: {mark} must stand once in index.html")
        text = text.replace(mark, content)
    return text


def main(source, target):
    module = pathlib.Path(source).read_bytes()
    check(module)
    folder = pathlib.Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hardnet.wasm").write_bytes(module)
    (folder / "hardnet.js").write_text(library(module))
    (folder / "hardnet.d.ts").write_text((WEB / "hardnet.d.ts").read_text())
    if (WEB / "playground/index.html").exists():
        (folder / "index.html").write_text(page(module))
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        print(f"{path}: {len(content) / 1e3:.0f} kB, {len(gzip.compress(content, 9)) / 1e3:.0f} kB compressed")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

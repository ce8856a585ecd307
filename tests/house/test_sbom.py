"""The bill of materials that is installed is valid SPDX in its required parts, and it names all that the built files link with."""
import argparse
import json
import pathlib
import re
import subprocess
import sys

# Parts of the C library of the system.
LIBC = re.compile(r"(libc|libm|libpthread|libdl|ld-linux[a-z0-9_-]*|ld-musl-[a-z0-9_]+)\.so[.0-9]*$")


def needed(path):
    text = subprocess.run(["readelf", "-dW", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=pathlib.Path)
    options = parser.parse_known_args()[0]
    build = options.build or options.source / "build"
    bill = json.loads((build / "hardnet.spdx.json").read_text())
    assert bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0" and bill["SPDXID"] == "SPDXRef-DOCUMENT", bill
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", bill["creationInfo"]["created"]), bill["creationInfo"]
    packages = {one["SPDXID"]: one for one in bill["packages"]}
    for one in packages.values():
        assert one["name"] and one["downloadLocation"] and one["licenseDeclared"], one
    version = ".".join(re.findall(r"(?m)^#define HN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", (options.source / "include/hardnet/base.h").read_text()))
    assert packages["SPDXRef-hardnet"]["versionInfo"] == version, packages["SPDXRef-hardnet"]
    for relation in bill["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= {*packages, "SPDXRef-DOCUMENT"}, relation
    assert any(one["relationshipType"] == "DESCRIBES" for one in bill["relationships"])
    files = [path for path in (build / "hardnet", build / "libhardnet.so") if path.exists()]
    for path in files:
        others = [name for name in needed(path) if not LIBC.match(name)]
        assert not others, f"{path.name} links with {others}, which the bill does not name"
    return 0


sys.exit(main())

"""scripts/setup asks for what is missing and for nothing else. Its surroundings are played by small scripts."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile


def setup(source, installed, user=0, debian=True, arguments=()):
    """Runs scripts/setup where only the packages `installed` exist; gives its exit code, output and apt-get calls."""
    with tempfile.TemporaryDirectory() as folder:
        played = {
            "apt-get": f'echo "$(basename "$0") $*" >> {folder}/calls',
            "sudo": f'echo sudo >> {folder}/calls; exec "$@"',
            "id": f"echo {user}",
            "dpkg-query": 'for p; do case " ' + " ".join(installed) + ' " in *" $p "*) printf "ii %s " $p;; esac; done',
            "sed": 'exec /bin/sed "$@"',
            "env": 'exec /usr/bin/env "$@"',
            "basename": 'echo "${1##*/}"',
        }
        if not debian:
            del played["apt-get"], played["dpkg-query"]
        for name, text in played.items():
            path = pathlib.Path(folder, name)
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
        done = subprocess.run(["/bin/sh", f"{source}/scripts/setup", *arguments], env={**os.environ, "PATH": folder},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        calls = pathlib.Path(folder, "calls")
        return done.returncode, done.stdout, calls.read_text().splitlines() if calls.exists() else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", default=pathlib.Path(__file__).resolve().parents[2])
    source = parser.parse_known_args()[0].source

    code, text, calls = setup(source, [])
    assert code == 0 and len(calls) == 2 and calls[0].endswith("update"), (text, calls)
    everything = calls[1].split("--no-install-recommends ")[1].split()
    assert "cmake" in everything and "clang" not in everything, everything

    assert setup(source, everything) == (0, "", [])
    code, text, calls = setup(source, everything[1:])
    assert calls[1].endswith("--no-install-recommends " + everything[0]), calls
    assert everything[0] in text and len(text.splitlines()) == 2, text
    code, text, calls = setup(source, everything[1:], user=1000)
    assert calls.count("sudo") == 2, calls
    code, text, calls = setup(source, everything, arguments=["--all"])
    assert "clang-tidy" in calls[1] and "cmake" not in calls[1], calls
    code, text, calls = setup(source, [], debian=False)
    assert code == 1 and "libcmocka-dev" in text, text
    return 0


sys.exit(main())

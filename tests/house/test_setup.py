"""scripts/setup asks for what is missing and for nothing else. Its surroundings are played by small scripts."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile


def setup(source, installed, user=0, debian=True, sudo=True, tools=(), fails="", arguments=()):
    """Runs scripts/setup where only the packages `installed` and the programs `tools` exist, and where apt-get fails for a package;
    gives its exit code, output and apt-get calls."""
    noise = "for i in 1 2 3 4 5 6 7 8 9; do echo Ign:$i; echo E: Could not resolve host $i; done >&2"
    with tempfile.TemporaryDirectory() as folder:
        played = {
            "apt-get": f'echo "$(basename "$0") $*" >> {folder}/calls; case "$* " in *" {fails} "*) {noise}; exit 100;; esac',
            "sudo": f'echo sudo >> {folder}/calls; exec "$@"',
            "id": f"echo {user}",
            "dpkg-query": 'for p; do case " ' + " ".join(installed) + ' " in *" $p "*) printf "ii %s " $p;; esac; done',
            "sed": 'exec /bin/sed "$@"',
            "env": 'exec /usr/bin/env "$@"',
            "basename": 'echo "${1##*/}"',
        }
        if not debian:
            del played["apt-get"], played["dpkg-query"]
        if not sudo:
            del played["sudo"]
        played.update((tool, "exit 0") for tool in tools)
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

    def asked(line):
        return line.split("--no-install-recommends ")[1].split()

    # As root: what is needed, then what is optional; nothing when nothing is missing.
    code, text, calls = setup(source, [])
    assert code == 0 and len(calls) == 3 and calls[0].endswith("update"), (text, calls)
    needed, optional = asked(calls[1]), asked(calls[2])
    assert "cmake" in needed and "clang" not in needed and "libcmocka-dev" not in needed + optional, calls
    assert setup(source, needed + optional) == (0, "", [])
    code, text, calls = setup(source, needed[1:] + optional)
    assert asked(calls[1]) == needed[:1] and len(calls) == 2 and len(text.splitlines()) == 2, (text, calls)

    # Tests, the demo and everything want more.
    code, text, calls = setup(source, needed, arguments=["--test"])
    everything = asked(calls[1])
    assert {"libcmocka-dev", "gnuplot-nox", "glpk-utils"} < set(everything) and "clang" not in everything, calls
    code, text, calls = setup(source, needed + everything, arguments=["--all"])
    assert "clang-tidy" in asked(calls[1]) and "cmake" not in asked(calls[1]), calls

    # An optional package that cannot be had stops nothing; a needed one does.
    code, text, calls = setup(source, needed, fails="glpk-utils", arguments=["--test"])
    assert code == 0 and "goes on without" in text, (code, text)
    code, text, calls = setup(source, [], fails="cmake")
    assert code != 0, text

    # As root, too, tools that are there serve as well; without a network the rest is tried, and one line says what is left out.
    for fails in ("", "update", "coinor-libipopt-dev"):
        code, text, calls = setup(source, [], tools=("cc", "cmake", "ninja"), fails=fails)
        assert code == 0 and not any("build-essential" in call for call in calls), (code, text, calls)
        assert len(text.splitlines()) <= 3, text
    assert "goes on without: coinor-libipopt-dev (Could not resolve host 1)" in text, text
    code, text, calls = setup(source, [], tools=("cc", "cmake"))
    assert code == 0 and "ninja-build" in asked(calls[1]), calls

    # Without tools and network: a few lines, and the last one says what to do.
    code, text, calls = setup(source, [], fails="ninja-build")
    assert code == 1 and len(text.splitlines()) <= 4, (code, text)
    last = text.splitlines()[-1]
    assert "cannot install build-essential cmake ninja-build (Could not resolve host 1)" in last and "run this again" in last, text

    # Without root: what is optional is named and left, what is needed comes by sudo, or is named where there is none.
    code, text, calls = setup(source, needed, user=1000, arguments=["--test"])
    assert code == 0 and calls == [] and "glpk-utils" in text and len(text.splitlines()) == 1, (code, text, calls)
    code, text, calls = setup(source, needed, user=1000, sudo=False, arguments=["--test"])
    assert code == 0 and calls == [], (code, text, calls)
    code, text, calls = setup(source, needed[1:] + optional, user=1000)
    assert calls.count("sudo") == 2 and asked(calls[-1]) == needed[:1], calls
    code, text, calls = setup(source, [], user=1000, sudo=False)
    assert code == 1 and calls == [] and "cmake" in text.splitlines()[-1], (code, text)
    code, text, calls = setup(source, [], user=1000, sudo=False, tools=("cc", "cmake", "ninja"))
    assert code == 0 and calls == [], (code, text)

    # Elsewhere than on Debian: the tools, by whatever way they came.
    code, text, calls = setup(source, [], debian=False)
    assert code == 1 and "ninja-build" in text, text
    assert setup(source, [], debian=False, tools=("cc", "cmake", "ninja")) == (0, "", [])
    return 0


sys.exit(main())

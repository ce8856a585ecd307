#!/usr/bin/env python3
"""compare.py OLD NEW EXPECTED: two files of records (bits_record.c) word by word.

Prints a line for every model and method that differs unexpectedly: in which calls, in which fields, by how much. EXPECTED lists differences that
have a reason, one a line: MODEL METHOD FIELDS reason, the first three with shell wildcards, fields separated by commas; METHOD may be
METHOD/WAY for one way to call. Exit status 1 when something differs that is not listed.
"""
import collections
import fnmatch
import math
import struct
import sys

MOST_LINES = 60


def records(path):
    """{key: body} of a file."""
    with open(path, "rb") as file:
        data = memoryview(file.read())
    found, at = {}, 0
    while at < len(data):
        key_bytes, body_bytes = struct.unpack_from("<II", data, at)
        key = bytes(data[at + 8:at + 8 + key_bytes]).decode()
        at += 8 + key_bytes + body_bytes
        if key in found:
            sys.exit(f"compare.py: {path}: {key!r} twice")
        found[key] = data[at - body_bytes:at]
    return found


def fields(body):
    """[(name, kind, words)] of a record, in order."""
    found, at = [], 0
    while at < len(body):
        length, kind = struct.unpack_from("<Bc", body, at)
        name = bytes(body[at + 2:at + 2 + length]).decode()
        (count,) = struct.unpack_from("<I", body, at + 2 + length)
        at += 6 + length
        found.append((name, kind, struct.unpack_from(f"<{count}Q", body, at)))
        at += 8 * count
    return found


def real(word):
    return struct.unpack("<d", struct.pack("<Q", word))[0]


def ordinal(word):
    """Neighbouring numbers have neighbouring ordinals."""
    return word if word < 1 << 63 else (1 << 63) - word


class Difference:
    """What differs in one field of one model and method, over all calls."""

    def __init__(self):
        self.words, self.ulp, self.absolute, self.example, self.calls = 0, 0, 0.0, "", set()

    def add(self, kind, old, new):
        self.words += 1
        if kind != b"d":
            self.example = self.example or f"{old} -> {new}"
            return
        a, b = real(old), real(new)
        if math.isfinite(a) and math.isfinite(b):
            self.ulp = max(self.ulp, abs(ordinal(old) - ordinal(new)))
            self.absolute = max(self.absolute, abs(a - b))
        else:
            self.example = self.example or f"{a!r} -> {b!r}"

    def text(self):
        parts = [f"{self.words} words"] if self.words > 1 else []
        if self.ulp:
            parts.append(f"{self.ulp if self.ulp < 10**6 else f'{self.ulp:.1e}'} ulp, {self.absolute:.3g}")
        if self.example:
            parts.append(self.example)
        return "; ".join(parts)


def compare_record(old, new, found, call):
    """Adds what differs between two bodies to found, {field: Difference}."""
    before, after = fields(old), fields(new)
    if [(name, len(words)) for name, _, words in before] != [(name, len(words)) for name, _, words in after]:
        found["shape"].example = f"{len(before)} fields -> {len(after)}"
        found["shape"].calls.add(call)
        return
    for (name, kind, a), (_, _, b) in zip(before, after):
        if a != b:
            found[name].calls.add(call)
            for one, other in zip(a, b):
                if one != other:
                    found[name].add(kind, one, other)


def expectations(path):
    found = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            words = line.split(None, 3)
            if not words or words[0].startswith("#"):
                continue
            if len(words) < 4:
                sys.exit(f"{path}:{number}: MODEL METHOD FIELDS reason")
            found.append((words[0], words[1], words[2].split(","), words[3].strip()))
    return found


def way_of(call):
    return call.split("\t")[-1]


def reason_for(expected, model, method, way, field):
    for wanted_model, wanted_method, wanted_fields, reason in expected:
        wanted = wanted_method if "/" in wanted_method else wanted_method + "/*"
        if (fnmatch.fnmatch(model, wanted_model) and fnmatch.fnmatch(f"{method}/{way}", wanted)
                and any(fnmatch.fnmatch(field, one) for one in wanted_fields)):
            return reason
    return None


def reasons(expected, model, method, found):
    """The reasons that cover every field in every way to call, or None."""
    said = [reason_for(expected, model, method, way, field)
            for field, one in found.items() for way in {way_of(call) for call in one.calls}]
    return None if None in said else "; ".join(dict.fromkeys(said))


def summary_of_calls(calls):
    ways = sorted({way_of(call) for call in calls})
    return f"{len(calls)} calls ({' '.join(ways)})"


def main():
    old, new, expected = records(sys.argv[1]), records(sys.argv[2]), expectations(sys.argv[3])
    differing, differ = collections.defaultdict(lambda: collections.defaultdict(Difference)), 0
    for key in sorted(old.keys() | new.keys()):
        model, method, call = key.split("\t", 2)
        if key not in old or key not in new:
            differing[model, method]["missing"].example = f"only in the {'new' if key in new else 'old'}: {call!r}"
            differing[model, method]["missing"].calls.add(call)
            differ += 1
        elif old[key] != new[key]:
            compare_record(old[key], new[key], differing[model, method], call)
            differ += 1
    accepted, lines = collections.Counter(), []
    for (model, method), found in sorted(differing.items()):
        reason = reasons(expected, model, method, found)
        if reason:
            accepted[reason] += 1
            continue
        calls = set().union(*(one.calls for one in found.values()))
        said = ", ".join(f"{name} ({one.text()})" for name, one in found.items())
        lines.append(f"{model} {method}: {summary_of_calls(calls)}: {said}")
    for reason, count in accepted.most_common():
        print(f"expected: {count} models with a method: {reason}")
    print("\n".join(lines[:MOST_LINES] + ["..."] * (len(lines) > MOST_LINES)), end="\n" if lines else "")
    print(f"{len(old.keys() | new.keys())} comparisons, {differ} differ; {len(differing)} of "
          f"{len({tuple(key.split(chr(9))[:2]) for key in old})} models with a method, {len(lines)} of them unexpected")
    sys.exit(1 if lines or not old else 0)


main()

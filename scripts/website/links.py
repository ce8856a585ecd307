"""Judges a built site: links.py FOLDER. Every link within it leads to a file and an anchor that are there, and nothing is loaded from
elsewhere. Prints each breach; fails when there is one.

SPDX-License-Identifier: MIT
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "srcset"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.update(value for key, value in attributes if key in ("id", "name") and value)
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in LOADS and given.get(LOADS[tag]):
            self.loads.append(given[LOADS[tag]])
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preconnect", "prefetch"):
            self.loads.append(given.get("href", ""))


def resolve(folder, page, link):
    """The file and the anchor that a link means; None for one that leads away."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    path = urllib.parse.unquote(parts.path)
    target = page if not path else (folder / path.lstrip("/") if path.startswith("/") else page.parent / path).resolve()
    return (target / "index.html" if target.is_dir() else target), urllib.parse.unquote(parts.fragment)


def breaches(folder):
    pages = {path.resolve(): Page(path.read_text()) for path in folder.rglob("*.html")}
    count = 0
    for path, page in pages.items():
        if path.name == "404.html":
            continue
        name = path.relative_to(folder)
        for load in page.loads:
            if re.match(r"(https?:)?//", load):
                yield f"{name}: loads {load}"
        for link in page.links + [load for load in page.loads if not load.startswith("data:")]:
            found = resolve(folder, path, link)
            count += 1
            if not found:
                continue
            target, anchor = found
            if not target.exists():
                yield f"{name}: {link}: there is no such file"
            elif anchor and target in pages and anchor not in pages[target].anchors and not anchor.startswith(("only-", "__")):
                yield f"{name}: {link}: there is no such place"
    for path in folder.rglob("*.css"):
        for load in re.findall(r"(?:url\(|@import )[\"']?((?:https?:)?//[^)\"']*)", path.read_text()):
            yield f"{path.relative_to(folder)}: loads {load}"
    if count < 100:
        yield f"only {count} links were found"
    print(f"links: {len(pages)} pages, {count} links")


if __name__ == "__main__":
    found = list(breaches(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found))
    sys.exit(bool(found))

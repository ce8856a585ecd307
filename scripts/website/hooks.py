"""What MkDocs does besides: the search index as a script, since a page from disk may not fetch.

SPDX-License-Identifier: MIT
"""
import pathlib


def on_post_build(config):
    folder = pathlib.Path(config["site_dir"])
    index = (folder / "search/search_index.json").read_text()
    (folder / "search/search_index.js").write_text(f"var __index = {index}")
    for path in folder.rglob("*.map"):
        path.unlink()

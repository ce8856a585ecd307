#!/usr/bin/env python3
"""browser.py SITE SHOTS: the site in headless Chromium, opened from disk.

Every page opens without errors, requests nothing from a network and is no wider than a phone; pictures and formulas are drawn, the search
finds, light and dark show their own pictures. Pictures of some pages, at phone and desktop width, stay in the folder SHOTS. Every check
prints a line; the exit status is 1 where one fails. Needs Playwright and Debian's chromium. SPDX-License-Identifier: MIT
"""
import pathlib
import shutil
import sys
import traceback

from playwright.sync_api import sync_playwright

SIZES = {"desktop": (1280, 900, 1), "phone": (390, 844, 2)}
KEPT = ("index", "tour", "method", "compare", "benchmarks", "c/layer")


class Site:
    def __init__(self, chromium, folder, shots):
        self.chromium, self.folder, self.shots = chromium, folder, shots

    def open(self, name, size="desktop", scheme="light"):
        """A page; what it complains about is kept in its `complaints`."""
        width, height, scale = SIZES[size]
        context = self.chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=scale)
        page = context.new_page()
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda message: message.type == "error" and page.complaints.append(message.text))
        page.on("request", lambda request: request.url.startswith(("http", "ws")) and page.complaints.append(f"asked for {request.url}"))
        page.goto((self.folder / f"{name}.html").as_uri())
        return page

    def close(self, page):
        assert not page.complaints, page.complaints
        page.context.close()

    def names(self):
        found = (path.relative_to(self.folder).with_suffix("").as_posix() for path in self.folder.rglob("*.html"))
        return sorted(name for name in found if name != "404" and not name.startswith("playground/"))


def every_page_opens_and_fits_a_phone(site):
    page = site.open("index", "phone")
    for name in site.names():
        page.goto((site.folder / f"{name}.html").as_uri())
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= SIZES["phone"][0], f"{name} is {wide} wide"
        assert page.locator("h1").count() == 1, f"{name} has no heading, or several"
    site.close(page)
    return f"{len(site.names())} pages"


def pictures_and_formulas_are_drawn(site):
    for scheme in ("light", "dark"):
        page = site.open("benchmarks", scheme=scheme)
        shown = page.evaluate("[...document.images].filter(i => i.offsetWidth > 300 && i.naturalWidth > 0).map(i => i.src)")
        assert len(shown) == 4 and all(f"#only-{scheme}" in source for source in shown), shown
        site.close(page)
    page = site.open("method")
    heights = page.evaluate("[...document.querySelectorAll('math')].map(m => m.getBoundingClientRect().height)")
    assert len(heights) >= 15 and min(heights) > 12, heights
    assert "\\" not in "".join(page.locator(".math").all_inner_texts())
    site.close(page)
    return f"{len(heights)} formulas"


def the_search_finds(site):
    page = site.open("index")
    page.wait_for_load_state("load")
    for _ in range(30):  # what is typed before the index is read may be lost
        page.locator("input[name=query]").fill("")
        page.locator("input[name=query]").press_sequentially("damping")
        page.wait_for_timeout(1000)
        if page.locator(".md-search-result__item a").count():
            break
    titles = page.locator(".md-search-result__item h1").all_inner_texts()
    assert any("method" in title.lower() for title in titles), titles
    site.close(page)
    return f"{len(titles)} pages"


def the_tone_can_be_chosen(site):
    page = site.open("index")
    assert page.locator("body").get_attribute("data-md-color-scheme") == "default"
    page.locator("label[for=__palette_1]:visible, label[for=__palette_0]:visible").first.click()
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    site.close(page)
    return "light and dark"


def pictures_are_kept(site):
    for name in KEPT:
        for size, scheme in (("desktop", "light"), ("desktop", "dark"), ("phone", "light")):
            page = site.open(name, size, scheme)
            page.wait_for_timeout(4000 if name == "index" else 200)  # the animation is under way
            page.screenshot(path=site.shots / f"site-{name.replace('/', '-')}-{size}-{scheme}.png")
            site.close(page)
    return str(site.shots)


CHECKS = (every_page_opens_and_fits_a_phone, pictures_and_formulas_are_drawn, the_search_finds, the_tone_can_be_chosen, pictures_are_kept)


def main(folder, shots):
    shots.mkdir(parents=True, exist_ok=True)
    failed = 0
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        site = Site(chromium, folder, shots)
        for check in CHECKS:
            try:
                print(f"ok      {check.__name__.replace('_', ' ')}: {check(site)}", flush=True)
            except Exception:  # noqa: BLE001 - the next check is to run all the same
                failed += 1
                print(f"FAILED  {check.__name__.replace('_', ' ')}\n{traceback.format_exc()}", flush=True)
        chromium.close()
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])))

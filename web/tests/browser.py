#!/usr/bin/env python3
"""browser.py PAGE SHOTS: the playground in headless Chromium, opened from disk.

Types models, drags points, reads what the page says and judges it by the equations; drives; follows a link; compiles what "copy as"
gives; ends an endless model; keeps pictures at phone and desktop width, dark and light, in the folder SHOTS. Every check prints a
line; the exit status is 1 where one fails. Needs Playwright and Debian's chromium.
"""
import hashlib
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import traceback

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOLERANCE = 1e-8
DISC = "var y{1..2};\nsubject to disc: y[1]^2 + y[2]^2 <= 1;\nsubject to curve: y[2] >= y[1]^3 + 0.1;\n"
WRONG = "var y{1..2};\nsubject to disc: y[1]^2 + y[2]^2 <= 1;\nsubject to line: y[1] + z[2] >= 0;\n"
ENDLESS = ("param n := 9000;\nvar y{1..n} := 1;\n"
           "subject to knot {i in 1..n}: y[i]*y[(7*i*i + 3*i) mod n + 1] + y[(5*i*i + 11) mod n + 1]^2 = 1 + i/n;\n")
SIZES = {"desktop": (1440, 900, 1), "phone": (390, 844, 2)}


class Browser:
    def __init__(self, browser, page):
        self.browser, self.url, self.contexts = browser, pathlib.Path(page).resolve().as_uri(), []

    def open(self, size="desktop", scheme="light", link=None):
        """A page in a browser that knows nothing yet; what it complains about is kept in its `complaints`."""
        width, height, scale = SIZES[size]
        context = self.browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, device_scale_factor=scale,
                                           has_touch=size == "phone")
        page = context.new_page()
        page.complaints = []
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("console", lambda message: message.type in ("error", "warning") and page.complaints.append(message.text))
        page.on("request", lambda request: request.url.startswith(("http", "ws")) and page.complaints.append(f"asked for {request.url}"))
        page.goto(link or self.url)
        return page

    def close(self, page):
        assert not page.complaints, page.complaints
        page.context.close()


def until(page, expression, seconds=60):
    """Asks again and again, since the page's policy forbids it to evaluate texts."""
    end = time.monotonic() + seconds
    while not page.evaluate(f"Boolean({expression})"):
        assert time.monotonic() < end, f"never: {expression}"
        page.wait_for_timeout(30)


def wait_ready(page):
    until(page, "page.first > 0 && document.querySelector('#results tr[data-method=auto]')")


def type_model(page, text):
    page.evaluate("document.getElementById('messages').dataset.state = 'typing'")
    page.fill("#text", text)
    until(page, "!['typing', 'reading'].includes(document.getElementById('messages').dataset.state)")


def settled(page, method="auto"):
    """What the page says about a method, once it has answered for the present point."""
    page.wait_for_timeout(700)
    row = page.query_selector(f"#results tr[data-method={method}]")
    return row.get_attribute("data-outcome"), float(row.get_attribute("data-violation"))


def state(page):
    return page.evaluate("page.state()")


# ---- checks: each takes the browser and says what it found ----

def opens_quickly(browser):
    times = []
    for _ in range(5):
        page = browser.open()
        wait_ready(page)
        times.append(page.evaluate("page.first"))
        browser.close(page)
    busy = os.getloadavg()[0] > (os.cpu_count() or 1)
    assert busy or min(times) < 1000, times
    return f"first correction {min(times):.0f} ms after opening, at best of {len(times)}{' (the machine is busy)' if busy else ''}"


def corrects_what_is_typed(browser):
    page = browser.open()
    wait_ready(page)
    type_model(page, DISC)
    outcome, violation = settled(page)
    assert outcome == "ok" and violation <= TOLERANCE, (outcome, violation)
    browser.close(page)
    return f"a typed model: {outcome}, violation {violation:.1e}"


def names_the_line_of_a_mistake(browser):
    page = browser.open()
    wait_ready(page)
    type_model(page, WRONG)
    message = page.wait_for_selector(".message.error")
    where = message.get_attribute("data-line"), message.get_attribute("data-column")
    assert where == ("3", "25"), where
    assert page.text_content("#gutter .wrong") == "3" and page.text_content("#paint .wave") == "z"
    type_model(page, WRONG.replace("z[2]", "y[2]"))
    assert settled(page)[0] == "ok" and not page.query_selector(".message.error")
    browser.close(page)
    return "a mistake is shown at its line and column, and goes away with it"


def drags_a_point(browser):
    page = browser.open()
    wait_ready(page)
    type_model(page, DISC)
    settled(page)
    box = page.locator("#plane").bounding_box()
    worst = 0
    page.mouse.move(box["x"] + 40, box["y"] + 60)
    page.mouse.down()
    for step in range(1, 12):
        page.mouse.move(box["x"] + 40 + step * 28, box["y"] + 60 + step * 9)
        page.wait_for_timeout(40)
    page.mouse.up()
    outcome, violation = settled(page)
    y = page.evaluate("(async () => { const m = await hardnet.model(page.state().constraints.text), l = m.layer(); return Array.from(l.project(page.state().constraints.y).y); })()")
    worst = max(y[0] ** 2 + y[1] ** 2 - 1, y[0] ** 3 + 0.1 - y[1])
    assert outcome == "ok" and violation <= TOLERANCE and worst <= TOLERANCE, (outcome, violation, worst)
    before = state(page)["constraints"]["y"]
    page.focus("#plane")
    page.keyboard.press("ArrowRight")
    settled(page)
    assert state(page)["constraints"]["y"][0] > before[0]
    browser.close(page)
    return f"a dragged point: {outcome}, violation {violation:.1e}; by its equations {max(0, worst):.1e}; arrow keys move it, too"


def opens_with_an_example_that_shows_no_method_of_others_ahead(browser):
    """Of all methods: those of others are not ok, or take more steps and move further than auto. They are called by their own names."""
    page = browser.open()
    wait_ready(page)
    assert page.evaluate("page.state().constraints.example") == page.get_attribute("#examples button", "data-example")
    for method in page.eval_on_selector_all("#methods [aria-pressed=false]", "all => all.map(b => b.dataset.method)"):
        page.click(f"[data-method={method}].chip")
    settled(page)
    rows = {row.get_attribute("data-method"): row for row in page.query_selector_all("#results tbody tr")}
    told = {method: ([cell.inner_text() for cell in row.query_selector_all("td")], row.get_attribute("data-outcome")) for method, row in rows.items()}
    (_, _, violation, steps, moved, _), outcome = told["auto"]
    assert outcome == "ok" and float(rows["auto"].get_attribute("data-violation")) <= TOLERANCE, told
    for method, title in (("hardnet", "HardNet-Aff (2024)"), ("paper", "HardNet++ (2026)")):
        cells, theirs = told[method]
        assert cells[0].strip() == page.inner_text(f"[data-method={method}].chip").strip() == title, cells
        assert theirs != "ok" or (int(cells[3]) > int(steps) and float(cells[4]) >= float(moved)), told
    for width in (1280, 1366, 390):
        page.set_viewport_size({"width": width, "height": 900})
        over = page.evaluate("by('results').getBoundingClientRect().right - by('results').parentElement.getBoundingClientRect().right")
        assert over <= 0, f"the table is {over} pixels wider than its card at {width}"
    browser.close(page)
    return f"the first example: auto ok in {steps} steps, others {', '.join(outcome or 'refused' for _, outcome in told.values())}"


def corrects_every_example(browser):
    page = browser.open()
    wait_ready(page)
    said = []
    for name in page.eval_on_selector_all("#examples button", "all => all.map(b => b.dataset.example)"):
        page.click(f"[data-example={name}]")
        page.wait_for_timeout(900)
        outcome, violation = settled(page)
        good = outcome == "locally_infeasible" if name == "infeasible" else outcome == "ok" and violation <= TOLERANCE
        assert good, (name, outcome, violation)
        said.append(f"{name} {violation:.0e}")
    browser.close(page)
    return "examples: " + ", ".join(said)


def drives(browser, world):
    page = browser.open()
    page.click("#tab-drive")
    page.click(f"#world-{world}")
    plans = "Number(document.getElementById('drive-plans').dataset.value)"
    until(page, f"{plans} > 20")
    page.focus("#road")
    keys = ["Shift+ArrowUp", "+", "Shift+ArrowDown", "-", "ArrowUp", "Shift+ArrowLeft"]
    for step, key in enumerate(keys * 2):
        until(page, f"{plans} > {20 + 15 * step}")
        page.keyboard.press(key)
    until(page, f"{plans} > 240")
    worst = float(page.get_attribute("#drive-violation", "data-value"))
    rate, compute = page.text_content("#drive-rate"), float(page.get_attribute("#drive-rate", "data-compute"))
    bare = float(page.get_attribute("#drivers tr[data-driver=bare]", "data-violation"))
    closest = float(page.get_attribute("#drivers tr[data-driver=ours]", "data-closest"))
    assert worst <= TOLERANCE and bare > TOLERANCE and closest > -TOLERANCE, (worst, bare, closest)
    busy = os.getloadavg()[0] > (os.cpu_count() or 1)
    assert compute < 20 and (busy or float(rate) >= 50), (compute, rate)
    text = f"{page.evaluate(plans)} plans, largest violation {worst:.1e} (uncorrected {bare:.1e}), {rate} frames/s, {compute:.1f} ms of computing each"
    browser.close(page)
    return f"{world}: {text}{' (the machine is busy)' if busy else ''}"


def balances_the_grid(browser):
    page = browser.open()
    page.click("#tab-grid")
    page.wait_for_selector("#grid-verdict[data-violation]")
    for level in (0.93, 1.08):
        page.locator("#grid-sliders input").nth(0).fill(str(level))
        page.locator("#grid-sliders input").nth(1).fill(str(level - 0.8))
        violation = float(page.get_attribute("#grid-verdict", "data-violation"))
        assert violation <= TOLERANCE, violation
    broken = page.text_content("#grid-raw-verdict")
    assert int(broken.split()[0]) > 50, broken
    browser.close(page)
    return f"the grid: {broken} before, {page_word(violation)} after"


def page_word(violation):
    return f"largest violation {violation:.1e}"


def carries_its_state_in_a_link(browser):
    page = browser.open()
    wait_ready(page)
    type_model(page, "param a >= 0, <= 3;\n" + DISC.replace("<= 1;", "<= 1 + a;"))
    settled(page)
    page.locator("#inputs input").fill("2.25")
    page.click("[data-method=nearest].chip")
    settled(page)
    page.click("#share")
    until(page, "page.copied")
    link, before = page.evaluate("page.copied"), state(page)
    other = browser.open(link=link)
    wait_ready(other)
    settled(other)
    after = state(other)
    assert before == after, (before, after)
    assert after["constraints"]["x"] == [2.25] and "nearest" not in after["constraints"]["methods"]
    browser.close(page)
    browser.close(other)
    return f"a link of {len(link)} characters leads to the same state"


def ends_an_endless_model(browser):
    page = browser.open()
    wait_ready(page)
    begun = time.monotonic()
    type_model(page, ENDLESS)
    until(page, "document.getElementById('messages').dataset.state === 'stopped'")
    took = time.monotonic() - begun
    page.evaluate("1 + 1")
    type_model(page, DISC)
    outcome, violation = settled(page)
    assert outcome == "ok" and violation <= TOLERANCE
    browser.close(page)
    return f"an endless model is stopped after {took:.1f} s, and the page goes on"


def copies_code_that_runs(browser):
    page = browser.open()
    wait_ready(page)
    ran = []
    with tempfile.TemporaryDirectory() as folder:
        for example in ("disc", "pooling"):
            page.click(f"[data-example={example}]")
            settled(page)
            codes = {}
            for kind in ("c", "python", "ampl"):
                page.evaluate("page.copied = ''")
                page.click(f"#copy-{kind}")
                until(page, "page.copied")
                codes[kind] = page.evaluate("page.copied")
            y = page.evaluate("(async () => { const s = page.state().constraints, m = await hardnet.model(s.text), r = m.layer().project(s.y, s.x); return Array.from(r.y); })()")
            ran += run_codes(pathlib.Path(folder), codes, y)
    browser.close(page)
    return "copied code runs: " + ", ".join(ran)


def run_codes(folder, codes, y):
    ran = ["C"]
    (folder / "demo.c").write_text(codes["c"])
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", "demo.c", f"{ROOT}/build/libhardnet.a", "-lm", "-pthread", "-ldl",
                    "-o", "demo"], cwd=folder, check=True)
    said = subprocess.run(["./demo"], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    assert said[0].startswith("ok") and [float(line.split(" = ")[1]) for line in said[1:]] == y, (said, y)
    (folder / "demo.mod").write_text(codes["ampl"])
    out = subprocess.run([f"{ROOT}/build/hardnet", "project", "demo.mod", "--method", "optimal"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert out.returncode == 0, out.stdout
    ran.append("AMPL")
    (folder / "demo.py").write_text(codes["python"])
    built = {**os.environ, "PYTHONPATH": f"{ROOT}/build/python"}  # else the wheel that build/venv has
    pythons = [(p, e) for p, e in ((f"{ROOT}/build/venv/bin/python", dict(os.environ)), ("python3", built), (f"{ROOT}/build/venv/bin/python", built))
               if shutil.which(p) and subprocess.run([p, "-c", "import hardnet"], env=e, cwd=folder, stderr=subprocess.DEVNULL).returncode == 0]
    if not pythons:
        return [*ran, "Python skipped: the package is not built"]
    program, environment = pythons[0]
    said = subprocess.run([program, "demo.py"], cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    assert [float(word) for word in said[1].strip("[]").split(",")] == y, (said, y)
    return [*ran, "Python"]


def has_the_native_bits(browser):
    page = browser.open()
    wait_ready(page)
    x, compared = [-3.1, 0.25, 0.05], 0
    with tempfile.TemporaryDirectory() as folder:
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }".ljust(117) + "\n"
        pathlib.Path(folder, "x.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode() + struct.pack("<3d", *x))
        for method in ("auto", "paper", "lm", "nearest", "optimal"):
            words = page.evaluate("""async ([method, x]) => { const m = await hardnet.model(shipped.models.unicycle), l = m.layer({method});
                return Array.from(new Uint8Array(l.project(null, x).y.buffer)); }""", [method, x])
            subprocess.run([f"{ROOT}/build/hardnet", "project", f"{ROOT}/models/unicycle.mod", "--x", "x.npy", "--out", "y.npy", "--method", method, "--allow-infeasible"],
                           cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            native = pathlib.Path(folder, "y.npy").read_bytes()[-len(words):]
            assert hashlib.sha256(bytes(words)).digest() == hashlib.sha256(native).digest(), method
            compared += 1
    browser.close(page)
    return f"{compared} methods on the unicycle: the native SHA-256"


def keeps_pictures(browser, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        for scheme in ("light", "dark"):
            page = browser.open(size, scheme)
            wait_ready(page)
            for tab in ("constraints", "drive", "grid"):
                page.click(f"#tab-{tab}")
                page.wait_for_timeout(2200)
                over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                assert over <= 0, f"{tab} at {size} width is {over} pixels too wide"
                page.screenshot(path=folder / f"{tab}-{size}-{scheme}.png", full_page=True)
            browser.close(page)
    return f"pictures in {folder}"


def main(path, shots):
    checks = [opens_quickly, corrects_what_is_typed, names_the_line_of_a_mistake, drags_a_point,
              opens_with_an_example_that_shows_no_method_of_others_ahead, corrects_every_example,
              lambda b: drives(b, "drive"), lambda b: drives(b, "unicycle"), balances_the_grid, carries_its_state_in_a_link,
              ends_an_endless_model, copies_code_that_runs, has_the_native_bits, lambda b: keeps_pictures(b, pathlib.Path(shots))]
    failed = 0
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for check in checks:
            try:
                print("ok    ", check(Browser(chromium, path)), flush=True)
            except Exception:  # a check that fails is reported, and the others go on
                failed += 1
                print("FAILED", traceback.format_exc(limit=-2), flush=True)
        chromium.close()
    print(f"{len(checks) - failed} of {len(checks)} checks of the playground passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))

"""The animation: raw outputs of a network are pulled onto a crescent, step by step, and their violation falls.

In: data/correction.csv, the trace of `hardnet project` on data/correction.mod. What stands still without motion is the end.

SPDX-License-Identifier: MIT
"""
import math

from canvas import Axis, Canvas, number, points, power

WIDTH, HEIGHT = 880, 372
SECONDS_RAW, SECONDS_STEP, SECONDS_END = 1.6, 1.0, 4.4
TOLERANCE, FLOOR = 1e-8, 1e-10
DISC, BITE = (0.0, 0.0, 2.0), (1.0, 0.6, 1.5)


def samples(rows):
    """Per sample its iterates: (violation, y1, y2)."""
    found = {}
    for row in rows:
        found.setdefault(int(row["sample"]), []).append(tuple(float(row[name]) for name in ("violation", "y[1]", "y[2]")))
    return list(found.values())


def crescent():
    """The border of the crescent: the disc without the bite, the shorter way round."""
    (x1, y1, r1), (x2, y2, r2) = DISC, BITE
    apart = math.hypot(x2 - x1, y2 - y1)
    along = (apart**2 + r1**2 - r2**2) / (2 * apart)
    half, turn = math.acos(along / r1), math.atan2(y2 - y1, x2 - x1)
    outer = [(x1 + r1 * math.cos(a), y1 + r1 * math.sin(a))
             for a in (turn + half + (2 * math.pi - 2 * half) * k / 90 for k in range(91))]
    bite_half = math.acos((apart - along) / r2)
    inner = [(x2 + r2 * math.cos(a), y2 + r2 * math.sin(a))
             for a in (turn + math.pi + bite_half - 2 * bite_half * k / 60 for k in range(61))]
    return outer + inner


class Film:
    """Keyframes: how long a step takes, and the styles that move things by it."""

    def __init__(self, canvas, steps):
        self.canvas, self.steps = canvas, steps
        self.total = SECONDS_RAW + steps * SECONDS_STEP + SECONDS_END
        canvas.styles.append("@media (prefers-reduced-motion: no-preference) {")

    def share(self, step, end):
        """When a step begins or ends, in percent."""
        return 100 * (SECONDS_RAW + (step + (0.7 if end else 0)) * SECONDS_STEP) / self.total

    def animate(self, name, property_of, timing="ease-in-out"):
        """property_of(step) is a declaration; step 0 is the raw output."""
        frames = [f"0%,{self.share(0, False):.2f}%{{{property_of(0)}}}"]
        for step in range(1, self.steps + 1):
            until = self.share(step, False) if step < self.steps else 100
            frames.append(f"{self.share(step - 1, True):.2f}%,{until:.2f}%{{{property_of(step)}}}")
        self.canvas.styles.append(f"@keyframes {name}{{{''.join(frames)}}} .{name}{{animation:{name} {self.total:.1f}s {timing} infinite}}")

    def close(self):
        self.canvas.styles.append("}")


def lengths(pairs):
    total = [0.0]
    for (x1, y1), (x2, y2) in zip(pairs, pairs[1:]):
        total.append(total[-1] + math.hypot(x2 - x1, y2 - y1))
    return total


def trail(canvas, film, name, pairs, colour, width, opacity):
    """A path that grows to its next corner with every step."""
    long = lengths(pairs)
    if long[-1] < 0.5:
        return
    dash = f"{number(long[-1])} {number(long[-1] + 2)}"
    film.animate(name, lambda k: f"stroke-dashoffset:{number(long[-1] - long[min(k, len(long) - 1)] + (k == 0))}")
    canvas.path(pairs, colour, width, dash, f' stroke-opacity="{opacity}" style="stroke-linecap:butt" class="{name}"')


def draw_set(canvas, film, runs, px, py):
    canvas.add(f'<polygon points="{points((px(x), py(y)) for x, y in crescent())}" fill="{canvas.colour["allowed"]}" '
               f'stroke="{canvas.colour["allowed_edge"]}" stroke-width="1.5" stroke-linejoin="round"/>')
    for i, run in enumerate(runs):
        trail(canvas, film, f"t{i}", [(px(a), py(b)) for _, a, b in run], "grey", 1.1, 0.65)
    for i, run in enumerate(runs):
        place = [(px(a), py(b)) for _, a, b in run]
        if len(run) == 1:
            canvas.dot(*place[0], 4, "ok")
            continue
        x, y = place[-1]

        def at(k, run=run, place=place, x=x, y=y):
            k = min(k, len(run) - 1)
            good = canvas.colour["ok" if run[k][0] <= TOLERANCE else "raw"]
            return f"transform:translate({number(place[k][0] - x)}px,{number(place[k][1] - y)}px);fill:{good}"
        film.animate(f"p{i}", at)
        canvas.dot(x, y, 4, "ok", f' class="p{i}"')


def draw_violation(canvas, film, runs, steps):
    left, right, top, bottom = 548, 850, 66, 318
    x, y = Axis(0, steps, left, right), Axis(FLOOR, 100, bottom, top, log=True)
    canvas.words(left - 44, 40, "largest violation", 14, "ink", weight=600)
    for value in y.decades(2):
        canvas.line(left, y(value), right, y(value))
        canvas.words(left - 9, y(value) + 4, power(value) if value > FLOOR else "0", 12, "soft", "end")
    for k in range(steps + 1):
        canvas.words(x(k), bottom + 20, str(k), 12, "soft", "middle")
    canvas.words((left + right) / 2, bottom + 38, "step", 12, "soft", "middle")
    canvas.line(left, y(TOLERANCE), right, y(TOLERANCE), "ok", 1.5, "5 4")
    canvas.words(x(1) + 12, y(TOLERANCE) + 17, "tolerance, 1e-8", 12, "ok")
    for i, run in enumerate(runs):
        pairs = [(x(k), y(max(v, FLOOR))) for k, (v, _, _) in enumerate(run)]
        if len(run) > 1:
            trail(canvas, film, f"v{i}", pairs, "ours", 1.4, 0.55)


def count(canvas, film, runs, steps):
    """How many are ok, a line for every step of which one is shown."""
    for step in range(steps + 1):
        good = sum(run[min(step, len(run) - 1)][0] <= TOLERANCE for run in runs)
        said = "raw outputs" if step == 0 else f"step {step}"
        film.animate(f"c{step}", lambda k, step=step: "visibility:" + ("visible" if k == step else "hidden"), "step-end")
        hidden = "" if step == steps else ' visibility="hidden"'
        canvas.add(f'<g class="c{step}"{hidden}>')
        canvas.words(28, 40, said, 14, "ink", weight=600)
        canvas.words(414, 40, f"{good} of {len(runs)} feasible", 14, "ok" if good == len(runs) else "raw", "end", 600)
        canvas.add("</g>")


def draw(theme, data):
    runs = samples(data("correction"))
    steps = max(len(run) for run in runs) - 1
    canvas = Canvas(theme, WIDTH, HEIGHT, "Raw outputs of a network, corrected onto their constraints",
                    "Points that violate the constraints move onto the allowed crescent within a few steps, while the largest "
                    "violation falls below 1e-8. Iterates of hardnet's method auto.")
    film = Film(canvas, steps)
    px, py = Axis(-4.5, 4.7, 16, 444), Axis(-3.0, 3.0, 334, 334 - 6.0 * (444 - 16) / 9.2)
    canvas.add('<clipPath id="left"><rect x="2" y="52" width="450" height="286"/></clipPath><g clip-path="url(#left)">')
    draw_set(canvas, film, runs, px, py)
    canvas.add("</g>")
    canvas.words(28, 358, "constraints:  y₁² + y₂² ≤ 4   and   (y₁ − 1)² + (y₂ − 0.6)² ≥ 2.25", 12.5, "soft")
    count(canvas, film, runs, steps)
    draw_violation(canvas, film, runs, steps)
    film.close()
    return canvas.text()

"""Largest violation of 100 raw outputs against the time spent on them, for every method. In: data/violation.csv.

SPDX-License-Identifier: MIT
"""
from canvas import Axis, Canvas, power

WIDTH, HEIGHT = 880, 420
FLOOR = 1e-14
LINES = {  # method: title, colour, width, where its title stands beside its end
    "auto": ("auto, the default", "ours", 3.4, 12, 21), "lm": ("lm", "ok", 2.2, 12, -7),
    "enforce": ("ENFORCE's step", "purple", 2.2, 9, 19), "snarenet": ("SnareNet's step", "amber", 2.2, 6, -9),
    "paper": ("HardNet++'s step", "raw", 2.2, 11, 4.5),
}
POINTS = {"nearest": ("nearest, certified", "ours"), "optimal": ("optimal, certified", "ours"), "ipopt": ("IPOPT", "ink")}


def frame(canvas, x, y):
    left, right, bottom, top = x.start, x.end, y.start, y.end
    for value in y.decades(2):
        canvas.line(left, y(value), right, y(value))
        canvas.words(left - 9, y(value) + 4, power(value), 12, "soft", "end")
    for value in x.decades():
        canvas.line(x(value), bottom, x(value), top)
        canvas.words(x(value), bottom + 20, {1.0: "1 µs", 1e3: "1 ms", 1e4: "10 ms"}.get(value, f"{value:.0f} µs"), 12, "soft", "middle")
    canvas.words((left + right) / 2, bottom + 42, "time per sample, one thread", 13, "soft", "middle")
    canvas.line(left, y(1e-8), right, y(1e-8), "ok", 1.5, "5 4")
    canvas.words(right - 6, y(1e-8) - 7, "tolerance", 12, "ok", "end")


def draw(theme, data):
    rows = data("violation")
    canvas = Canvas(theme, WIDTH, HEIGHT, "Largest violation against time, by method",
                    "On the unicycle with 50 outputs under 60 constraints, auto brings the worst of 100 raw outputs below 1e-8 in a few "
                    "microseconds per sample; steps of HardNet++ and SnareNet still violate by 0.05 after 500 steps.")
    x, y = Axis(1, 2e4, 66, 852, log=True), Axis(FLOOR, 1, 352, 72, log=True)
    canvas.words(24, 36, "Largest violation of 100 raw outputs, and the time it takes to get there", 16, weight=600)
    canvas.words(24, 56, "unicycle: 50 outputs under 60 constraints: nonlinear dynamics, an obstacle, limits", 12.5, "soft")
    frame(canvas, x, y)
    ends = {}
    for method, (_, colour, *_) in reversed(LINES.items()):
        middle = [(x(float(r["microseconds"])), y(max(float(r["median"]), FLOOR))) for r in rows if r["method"] == method]
        canvas.path(middle, colour, 1.3, "2 4")
    for method, (_, colour, width, *_) in reversed(LINES.items()):
        line = [(x(float(r["microseconds"])), y(max(float(r["largest"]), FLOOR))) for r in rows if r["method"] == method]
        canvas.path(line, colour, width)
        canvas.dot(*line[-1], 4.5, colour)
        ends[method] = line[-1]
    for method, (title, colour, _, right, down) in LINES.items():
        canvas.label(ends[method][0] + right, ends[method][1] + down, title, 13, colour)
    for row in rows:
        if row["method"] in POINTS:
            title, colour = POINTS[row["method"]]
            at = (x(float(row["microseconds"])), y(max(float(row["largest"]), FLOOR)))
            canvas.ring(*at, 5, colour, 2.4)
            beside = (at[0] - 11, "end") if row["method"] in ("nearest", "ipopt") else (at[0] + 11, "start")
            canvas.label(beside[0], at[1] + 4.5, title, 13, colour, beside[1])
    canvas.path([(640, 33), (668, 33)], "soft", 2.4)
    canvas.words(675, 37, "worst", 12, "soft")
    canvas.path([(728, 33), (756, 33)], "soft", 1.3, "2 4")
    canvas.words(763, 37, "median sample", 12, "soft")
    return canvas.text()

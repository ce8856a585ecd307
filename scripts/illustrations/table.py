"""The paper's table as a picture: suboptimality and largest violation on its 100 states, ours beside. In: data/table.csv.

SPDX-License-Identifier: MIT
"""
from canvas import Axis, Canvas, power

WIDTH, HEIGHT, TOP, ROW = 880, 396, 96, 31
COLOURS = {"hardnet": "ours", "HardNet++": "raw", "DC3": "purple", "a penalty": "amber"}


def scale(canvas, axis, title, bottom):
    canvas.words((axis.start + axis.end) / 2, TOP - 22, title, 13, "ink", "middle", 600)
    for value in axis.decades(1 if axis.low > 1e-6 else 2):
        canvas.line(axis(value), TOP - 8, axis(value), bottom)
        canvas.words(axis(value), bottom + 19, power(value), 12, "soft", "middle")


def draw(theme, data):
    rows = data("table")
    canvas = Canvas(theme, WIDTH, HEIGHT, "The table of HardNet++, ours beside it",
                    "Suboptimality, mean and largest, and the largest violation on the paper's 100 initial states: hardnet is nearer to the "
                    "optimum than the published methods, and its violations are below 1e-8 where theirs are 0.001 to 0.2.")
    canvas.words(24, 36, "The paper's experiment: 100 states of a unicycle, judged against IPOPT", 16, weight=600)
    bottom = TOP + ROW * len(rows)
    cost, worst = Axis(1e-5, 3, 226, 532, log=True), Axis(1e-9, 1, 580, 852, log=True)
    scale(canvas, cost, "above the optimum: mean ● and largest ○", bottom)
    scale(canvas, worst, "largest violation", bottom)
    canvas.line(worst(1e-8), TOP - 8, worst(1e-8), bottom, "ok", 1.5, "5 4")
    for i, row in enumerate(rows):
        y = TOP + ROW * (i + 0.5)
        ours = row["kind"] == "ours"
        colour = COLOURS[row["method"].split(",")[0]]
        canvas.words(24, y + 4.5, row["method"], 13.5, "ink", weight=600 if ours else 400)
        canvas.words(206, y + 4.5, "" if ours else row["kind"], 12, "soft", "end")
        mean, largest = cost(float(row["mean"])), cost(float(row["largest"]))
        canvas.line(mean, y, largest, y, colour, 2.5)
        canvas.dot(mean, y, 5.5, colour)
        canvas.ring(largest, y, 5, colour, 2.4)
        violation = worst(float(row["violation"]))
        canvas.line(worst.start, y, violation, y, colour, 7 if ours else 5)
        canvas.dot(violation, y, 5.5, colour)
    return canvas.text()

"""Closed loops around the obstacle, a colour per controller. In: data/paths.csv.

SPDX-License-Identifier: MIT
"""
from canvas import Axis, Canvas

WIDTH, HEIGHT = 880, 428
HALF = (1.4, 1.05)  # of the obstacle's axes
TARGET = (3.5, 0.0)
LINES = {  # controller: title, colour, width, dash
    "soft": ("a penalty in training", "amber", 2.0, "7 4"), "dc3": ("DC3", "purple", 2.0, "2 4"),
    "paper": ("HardNet++, short training", "raw", 2.0, None), "ours, refined": ("hardnet", "ours", 3.6, None),
    "ipopt": ("IPOPT, the optimum", "ink", 1.3, "1 4"),
}


def key(canvas, rows):
    """Who is who, with what the loop costs and the largest violation of its plans."""
    canvas.words(330, 66, "cost", 12, "soft", "end")
    canvas.words(440, 66, "violation", 12, "soft", "end")
    for i, (controller, (title, colour, width, dash)) in enumerate(reversed(LINES.items())):
        row, y = next(r for r in rows if r["controller"] == controller and r["cost"]), 86 + 19 * i
        canvas.path([(26, y - 4), (56, y - 4)], colour, width, dash)
        strong = 600 if controller == "ours, refined" else 400
        canvas.words(66, y, title, 13, "ink", weight=strong)
        canvas.words(330, y, f"{float(row['cost']):.2f}", 13, "ink", "end", strong)
        canvas.words(440, y, row["violation"], 13, "raw" if float(row["violation"]) > 1e-8 else "ok", "end", strong)


def draw(theme, data):
    canvas = Canvas(theme, WIDTH, HEIGHT, "Closed-loop paths of a unicycle around an obstacle",
                    "Plans of a network with hardnet's layer drive the path of IPOPT's optimum around the obstacle to the target; the other "
                    "controllers take worse ways, miss the target or cut through the obstacle.")
    x = Axis(-3.75, 4.3, 24, 856)
    scale = (856 - 24) / 8.05
    y = Axis(0.0, 1.0, 296, 296 - scale)
    canvas.words(24, 36, "A unicycle is steered around an obstacle: 20 plans, each of 10 steps", 16, weight=600)
    canvas.add(f'<ellipse cx="{x(0):.1f}" cy="{y(0):.1f}" rx="{HALF[0] * scale:.1f}" ry="{HALF[1] * scale:.1f}" '
               f'fill="{canvas.colour["stone"]}"/>')
    canvas.words(x(0), y(0) + 5, "obstacle", 13, "soft", "middle")
    rows = data("paths")
    for controller, (_, colour, width, dash) in LINES.items():
        line = [(x(float(r["x"])), y(float(r["y"]))) for r in rows if r["controller"] == controller]
        canvas.path(line, colour, width, dash)
        for place in line if controller in ("paper", "ours, refined") else ():
            canvas.dot(*place, 3.6 if controller == "ours, refined" else 2.6, colour)
    start = next(r for r in rows if r["step"] == "0")
    canvas.ring(x(float(start["x"])), y(float(start["y"])), 6, "ink")
    canvas.label(x(float(start["x"])), y(float(start["y"])) + 24, "start", 13, "ink", "middle")
    tx, ty = x(TARGET[0]), y(TARGET[1])
    canvas.line(tx - 7, ty - 7, tx + 7, ty + 7, "ink", 2.4)
    canvas.line(tx - 7, ty + 7, tx + 7, ty - 7, "ink", 2.4)
    canvas.label(tx, ty + 26, "target", 13, "ink", "middle")
    key(canvas, rows)
    return canvas.text()

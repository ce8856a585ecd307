"""Steps of the paper's layer a second against the batch: one core, compiled code, a GPU, PyTorch and JAX. In: data/throughput.csv.

SPDX-License-Identifier: MIT
"""
from canvas import Axis, Canvas

WIDTH, HEIGHT = 880, 430
LINES = {  # series: title, colour, width, dash; its title's batch and how far it stands below the line, beside the end without
    "gpu_float32": ("hardnet, H200, float32", "ok", 3.2, "6 4", None, 0), "gpu_float64": ("hardnet, H200", "ok", 3.2, None, None, 0),
    "compiled": ("hardnet, one core, compiled", "ours", 3.2, None, "100", -12), "cpu": ("hardnet, one core", "ours", 3.2, "6 4", "100", 22),
    "jax_gpu": ("JAX, H200", "amber", 2.2, None, None, -5), "torch_gpu": ("PyTorch, H200", "raw", 2.2, None, None, 8),
    "jax_cpu": ("JAX, one core", "amber", 2.2, "2 4", None, -4), "torch_cpu": ("PyTorch, one core", "raw", 2.2, "2 4", None, 5),
}
UNITS = {3: "1 thousand", 4: "10 thousand", 5: "100 thousand", 6: "1 million", 7: "10 million", 8: "100 million", 9: "1 billion", 10: "10 billion"}


def draw(theme, data):
    rows = data("throughput")
    canvas = Canvas(theme, WIDTH, HEIGHT, "Steps a second against the size of the batch",
                    "The same iteration on the same constraints: hardnet's layer takes ten to a hundred times as many steps a second as plain "
                    "PyTorch and jitted JAX, on one core and on a GPU.")
    canvas.words(24, 36, "Throughput against batch size: correction steps per second", 16, weight=600)
    canvas.words(24, 56, "the same iteration on the unicycle: 50 outputs, 60 constraints, a factorisation in every step", 12.5, "soft")
    x, y = Axis(1, 1e5, 112, 640, log=True), Axis(3e3, 6e9, 368, 78, log=True)
    for value in y.decades():
        canvas.line(x.start, y(value), x.end, y(value))
        canvas.words(x.start - 10, y(value) + 4, UNITS[len(f"{value:.0f}") - 1], 12, "soft", "end")
    for value in x.decades():
        canvas.words(x(value), y.start + 21, f"{value:,.0f}".replace(",", " "), 12, "soft", "middle")
    canvas.words((x.start + x.end) / 2, y.start + 43, "samples in a call", 13, "soft", "middle")
    for series, (title, colour, width, dash, batch, down) in reversed(LINES.items()):
        line = {r["batch"]: (x(float(r["batch"])), y(1e6 / float(r["microseconds"]))) for r in rows if r["series"] == series}
        canvas.path(line.values(), colour, width, dash)
        for place in line.values():
            canvas.dot(*place, 3.6, colour)
        at = line[batch or list(line)[-1]]
        canvas.label(at[0] + (0 if batch else 12), at[1] + down + (0 if batch else 4.5), title, 13, colour, "middle" if batch else "start")
    return canvas.text()

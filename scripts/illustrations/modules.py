"""The data flow through the modules: once per model, then per sample. No data.

SPDX-License-Identifier: MIT
"""
from canvas import Canvas

WIDTH, HEIGHT = 880, 474


def block(canvas, x, y, width, height, title, lines=(), strong=False):
    """A box with a module's name and up to three lines of text."""
    canvas.box(x, y, width, height, "allowed" if strong else "card", "allowed_edge" if strong else "edge", 8)
    canvas.words(x + width / 2, y + (22 if lines else height / 2 + 5), title, 14, "ink", "middle", 600)
    for i, line in enumerate(lines):
        canvas.words(x + width / 2, y + 41 + 16 * i, line, 12, "soft", "middle")


def arrow(canvas, x1, y1, x2, y2, colour="grey"):
    canvas.add(f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{canvas.colour[colour]}" stroke-width="1.8" fill="none" '
               'marker-end="url(#tip)"/>')


def band(canvas, y, height, title):
    canvas.box(16, y, WIDTH - 32, height, "grid", None, 10)
    canvas.words(32, y + 24, title, 12.5, "soft", weight=600)


def once(canvas):
    band(canvas, 56, 172, "once per model")
    for i, (title, text) in enumerate((("ampl", "a model file"), ("C", "hn_constrain"), ("Python", "subject_to"))):
        block(canvas, 32, 90 + 44 * i, 138, 38, "")
        canvas.words(44, 114 + 44 * i, title, 13, "ink", weight=600)
        canvas.words(160, 114 + 44 * i, text, 11.5, "soft", "end")
        arrow(canvas, 170, 109 + 44 * i, 194, 153)
    block(canvas, 198, 118, 124, 70, "model", ("expression graph,", "bounds, names"))
    block(canvas, 350, 118, 136, 70, "autodiff", ("sparse J, Hessian;", "straight-line code"))
    block(canvas, 516, 158, 134, 62, "linalg", ("elimination order",))
    block(canvas, 682, 104, 166, 98, "plan", ("the layer as one block", "of plain data,", "without pointers"), True)
    arrow(canvas, 322, 153, 346, 153)
    arrow(canvas, 486, 132, 678, 132)
    canvas.words(583, 124, "programs", 12, "soft", "middle")
    arrow(canvas, 486, 164, 512, 182)
    arrow(canvas, 650, 188, 678, 172)


def each(canvas):
    band(canvas, 244, 124, "per sample, the same bits on every target")
    block(canvas, 32, 282, 118, 70, "nn", ("raw output y", "for an input x"))
    block(canvas, 182, 282, 150, 70, "layer", ("batches, threads,", "reports, gradients"), True)
    block(canvas, 364, 282, 138, 70, "core", ("every decision:", "accept, restart, stop"))
    for i, (title, text) in enumerate((("cpu", "portable, AVX2, AVX-512"), ("codegen/kernel", "compiled for the model"),
                                       ("cuda", "NVIDIA GPU"), ("codegen/emit", "one C99 file, no heap"))):
        y = 257 + 26 * i
        canvas.box(534, y, 314, 23, "card", "edge", 6)
        canvas.words(546, y + 16, title, 13, "ink", weight=600)
        canvas.words(838, y + 16, text, 12, "soft", "end")
        arrow(canvas, 502, 317, 530, y + 12)
    arrow(canvas, 150, 317, 178, 317)
    arrow(canvas, 332, 317, 360, 317)
    arrow(canvas, 765, 202, 765, 253)


def draw(theme, _):
    canvas = Canvas(theme, WIDTH, HEIGHT, "The data flow through the modules",
                    "The plan is made from a model's graph, derivatives, programs and elimination order; a layer runs it for "
                    "every sample on a CPU, as compiled code, on a GPU or in an emitted C file.")
    canvas.add(f'<defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="6" markerHeight="6" orient="auto">'
               f'<path d="M0 0L8 4L0 8z" fill="{canvas.colour["grey"]}"/></marker></defs>')
    canvas.words(24, 36, "From constraints to a feasible output", 16, weight=600)
    once(canvas)
    each(canvas)
    for i, (title, text) in enumerate((("output y", "feasible, or reported as not"), ("nearest", "the nearest point or a local optimum"),
                                       ("training", "networks trained through the layer"))):
        width = (250, 312, 262)[i]
        x = 16 + (0, 262, 586)[i]
        canvas.box(x, 396, width, 56, "card", "ok" if i == 0 else "edge", 8)
        canvas.words(x + width / 2, 419, title, 14, "ok" if i == 0 else "ink", "middle", 600)
        canvas.words(x + width / 2, 438, text, 12, "soft", "middle")
    arrow(canvas, 225, 352, 180, 392)
    arrow(canvas, 280, 352, 360, 392)
    arrow(canvas, 320, 352, 640, 393)
    return canvas.text()

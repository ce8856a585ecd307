"""SVG as text: two themes, plain shapes, and axes that know their scale. In: numbers. Out: the text of a picture.

SPDX-License-Identifier: MIT
"""
import math
from xml.sax.saxutils import escape

FONT = "Inter, 'Segoe UI', 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif"

# Colours that the colour-blind can tell apart, each in a tone for either background.
THEMES = {
    "light": {
        "card": "#ffffff", "edge": "#d9dee5", "ink": "#1b2430", "soft": "#5d6875", "grid": "#e6e9ee",
        "allowed": "#d6e8fb", "allowed_edge": "#5b9bd8", "stone": "#dcdfe4", "raw": "#d1482b",
        "ours": "#0b63c5", "ok": "#0a8a63", "amber": "#b87500", "purple": "#8a4fb8", "grey": "#8a94a0", "sky": "#1f93b8",
    },
    "dark": {
        "card": "#11161d", "edge": "#2b333d", "ink": "#e8edf3", "soft": "#9aa6b2", "grid": "#232b35",
        "allowed": "#173453", "allowed_edge": "#4f94d8", "stone": "#333b45", "raw": "#ff7a59",
        "ours": "#58a6ff", "ok": "#3ecf9a", "amber": "#f0b429", "purple": "#c594f0", "grey": "#8793a0", "sky": "#4fc3e8",
    },
}


def number(value):
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def points(pairs):
    return " ".join(f"{number(x)},{number(y)}" for x, y in pairs)


class Canvas:
    """A card of a size; add() shapes, text() for its SVG."""

    def __init__(self, theme, width, height, title, description):
        self.colour, self.width, self.height = THEMES[theme], width, height
        self.title, self.description = title, description
        self.styles, self.parts = [], []

    def add(self, part):
        self.parts.append(part)

    def line(self, x1, y1, x2, y2, colour="grid", width=1.0, dash=None):
        self.add(f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" '
                 f'stroke="{self.colour[colour]}" stroke-width="{width}"{self.dash(dash)}/>')

    def path(self, pairs, colour, width=2.0, dash=None, more=""):
        self.add(f'<polyline points="{points(pairs)}" fill="none" stroke="{self.colour[colour]}" stroke-width="{width}" '
                 f'stroke-linejoin="round" stroke-linecap="round"{self.dash(dash)}{more}/>')

    def dot(self, x, y, radius, colour, more=""):
        self.add(f'<circle cx="{number(x)}" cy="{number(y)}" r="{radius}" fill="{self.colour[colour]}"{more}/>')

    def ring(self, x, y, radius, colour, width=2.0):
        self.add(f'<circle cx="{number(x)}" cy="{number(y)}" r="{radius}" fill="{self.colour["card"]}" '
                 f'stroke="{self.colour[colour]}" stroke-width="{width}"/>')

    def box(self, x, y, width, height, fill, edge=None, radius=6.0):
        stroke = f' stroke="{self.colour[edge]}"' if edge else ""
        self.add(f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" rx="{radius}" '
                 f'fill="{self.colour[fill]}"{stroke}/>')

    def words(self, x, y, text, size=13, colour="ink", anchor="start", weight=400, more=""):
        self.add(f'<text x="{number(x)}" y="{number(y)}" font-size="{size}" fill="{self.colour[colour]}" '
                 f'text-anchor="{anchor}" font-weight="{weight}"{more}>{escape(text)}</text>')

    def label(self, x, y, text, size, colour, anchor="start"):
        """Words over lines: with a rim of the background."""
        rim = f' stroke="{self.colour["card"]}" stroke-width="5" stroke-linejoin="round" paint-order="stroke"'
        self.words(x, y, text, size, colour, anchor, 600, rim)

    @staticmethod
    def dash(dash):
        return f' stroke-dasharray="{dash}"' if dash else ""

    def text(self):
        style = f"<style>{' '.join(self.styles)}</style>\n" if self.styles else ""
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
                f'height="{self.height}" role="img" font-family="{FONT}">\n<title>{escape(self.title)}</title>\n'
                f"<desc>{escape(self.description)}</desc>\n{style}"
                f'<rect x="0.5" y="0.5" width="{self.width - 1}" height="{self.height - 1}" rx="10" fill="{self.colour["card"]}" '
                f'stroke="{self.colour["edge"]}"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


class Axis:
    """From values to places between start and end, straight or by powers of ten."""

    def __init__(self, low, high, start, end, log=False):
        self.low, self.high, self.start, self.end, self.log = low, high, start, end, log

    def __call__(self, value):
        if self.log:
            share = (math.log10(value) - math.log10(self.low)) / (math.log10(self.high) - math.log10(self.low))
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def decades(self, every=1):
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        return [10.0**k for k in range(first, last + 1) if k % every == 0]


def power(value):
    """10 and its power as an SVG text."""
    k = round(math.log10(value))
    return {0: "1", 1: "10", 2: "100", 3: "1000"}.get(k) or f"10{str(k).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def spread(wanted, apart):
    """Places for labels: near the wanted ones, in their order, at least so far apart."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    placed = [wanted[i] for i in order]
    for _ in range(200):
        for i in range(len(placed) - 1):
            short = apart - (placed[i + 1] - placed[i])
            if short > 1e-9:
                placed[i] -= short / 2
                placed[i + 1] += short / 2
    result = [0.0] * len(wanted)
    for place, i in zip(placed, order):
        result[i] = place
    return result

"""Formulas in LaTeX become MathML when the site is built: browsers draw it by themselves.

SPDX-License-Identifier: MIT
"""
import re

from latex2mathml.converter import convert

TAG = re.compile(r"\\tag\{(.*?)\}")


def fence(source, language, css_class, options, md, **more):
    """A fenced block `math`: one formula, with its number at the side."""
    unknown = set(re.findall(r"\\begin\{(.*?)\}", source)) - {"bmatrix"}
    if unknown:
        raise ValueError(f"formulas: {unknown.pop()} is not drawn; several lines are several blocks")
    number = "".join(f'<span class="number">({found})</span>' for found in TAG.findall(source))
    return f'<div class="{css_class}">{convert(TAG.sub("", source).strip(), display="block")}{number}</div>'

#!/usr/bin/env python3
"""grid_layout.py: writes grid_layout.json, places for the 57 buses of models/opf57.mod, and its branches.

Distances on the page follow distances along the branches (stress majorization; Gansner, Koren, North, "Graph Drawing by Stress
Majorization", 2004), from a circle. Both coordinates go from 0 to 1.
"""
import json
import pathlib
import re

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
BUSES = 57


def branches():
    text = (HERE.parents[1] / "models/opf57.mod").read_text()
    table = text[re.search(r"param: *BRANCHES:", text).start():]
    rows = re.findall(r"^\s+(\d+)\s+(\d+)\s+(\d+)\s+[-\d.]+", table, re.M)
    return [tuple(int(word) for word in row) for row in rows]


def distances(edges):
    far = np.full((BUSES, BUSES), np.inf)
    np.fill_diagonal(far, 0)
    for _, i, j in edges:
        far[i - 1, j - 1] = far[j - 1, i - 1] = 1
    for k in range(BUSES):
        far = np.minimum(far, far[:, k:k + 1] + far[k:k + 1, :])
    return far


def majorize(far, rounds, seed):
    weight = np.where(far > 0, 1 / np.maximum(far, 1) ** 2, 0)
    laplacian = np.diag(weight.sum(1)) - weight
    inverse = np.linalg.pinv(laplacian)
    turn = np.random.default_rng(seed).permutation(BUSES) / BUSES * 2 * np.pi
    at = np.stack([np.cos(turn), np.sin(turn)], 1) * far.max() / 2
    for _ in range(rounds):
        gap = np.linalg.norm(at[:, None] - at[None], axis=2)
        ratio = weight * far / np.where(gap > 0, gap, 1)
        at = inverse @ ((np.diag(ratio.sum(1)) - ratio) @ at)
    gap = np.linalg.norm(at[:, None] - at[None], axis=2)
    return float((weight * (gap - far) ** 2).sum()), at


def main():
    edges = branches()
    assert len(edges) == 80, len(edges)
    far = distances(edges)
    at = min((majorize(far, 400, seed) for seed in range(30)), key=lambda pair: pair[0])[1]
    at = at - at.mean(0)
    at = at @ np.linalg.svd(at, full_matrices=False)[2].T  # the long axis lies across
    at = (at - at.min(0)) / (at.max(0) - at.min(0))
    (HERE / "grid_layout.json").write_text(json.dumps(
        {"buses": {i + 1: [round(float(v), 4) for v in at[i]] for i in range(BUSES)}, "branches": edges}) + "\n")


if __name__ == "__main__":
    main()

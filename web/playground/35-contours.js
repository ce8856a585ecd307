/* 35-contours.js - a field over a grid as areas and lines, by marching squares: linear along the edges of each cell. */
"use strict";

/* Corners of a cell in order around it, as offsets. */
const CORNERS = [[0, 0], [1, 0], [1, 1], [0, 1]];

/* Where the field is at most 0: one path, in which neighbours share their edges, so that no seams show. */
function area({columns, rows, worst}, px, py) {
    const path = new Path2D();
    for (let j = 0; j + 1 < rows; j++) {
        for (let i = 0; i + 1 < columns; i++) {
            const values = CORNERS.map(([a, b]) => worst[(j + b) * columns + i + a]);
            let first = true;
            for (let k = 0; k < 4; k++) {
                const next = (k + 1) % 4, here = values[k], there = values[next];
                const put = (x, y) => {
                    if (first)
                        path.moveTo(px(x), py(y));
                    else
                        path.lineTo(px(x), py(y));
                    first = false;
                };
                if (here <= 0)
                    put(i + CORNERS[k][0], j + CORNERS[k][1]);
                if ((here <= 0) !== (there <= 0)) {
                    const share = Math.min(1, Math.max(0, here / (here - there)));
                    put(i + CORNERS[k][0] + share * (CORNERS[next][0] - CORNERS[k][0]), j + CORNERS[k][1] + share * (CORNERS[next][1] - CORNERS[k][1]));
                }
            }
            if (!first)
                path.closePath();
        }
    }
    return path;
}

/* Segments along which a field is 0. */
function segments({columns, rows}, values) {
    const out = [];
    for (let j = 0; j + 1 < rows; j++) {
        for (let i = 0; i + 1 < columns; i++) {
            const ends = [];
            for (let k = 0; k < 4; k++) {
                const next = (k + 1) % 4, [a, b] = CORNERS[k], [c, d] = CORNERS[next];
                const here = values[(j + b) * columns + i + a], there = values[(j + d) * columns + i + c];
                if ((here <= 0) === (there <= 0) || !Number.isFinite(here) || !Number.isFinite(there) || Math.abs(here) > 1e29 || Math.abs(there) > 1e29)
                    continue;
                const share = here / (here - there);
                ends.push([i + a + share * (c - a), j + b + share * (d - b)]);
            }
            for (let k = 0; k + 1 < ends.length; k += 2)
                out.push([ends[k], ends[k + 1]]);
        }
    }
    return out;
}

/* The field between the points of its grid. */
function between({columns, worst}, [x, y]) {
    const i = Math.floor(x), j = Math.floor(y), a = x - i, b = y - j, at = (u, v) => worst[(j + v) * columns + i + u] || 0;
    return (1 - b) * ((1 - a) * at(0, 0) + a * at(1, 0)) + b * ((1 - a) * at(0, 1) + a * at(1, 1));
}

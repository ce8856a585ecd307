/* 60-grid.js - the tab Power grid: 57 buses, what a network says about them and what the layer makes of it, side by side. */
"use strict";

(() => {
    const state = {level: 1, noise: 0, seed: 1, own: {}};
    let ready = null, chosen = 0, drawnAt = null;

    async function open() {
        const model = await hardnet.model(shipped.models.opf57, {trusted: true});
        const policy = model.policy(hardnetBytes(shipped.networks.opf57)), layer = model.layer();
        const find = (list, family) => {
            const out = new Map();
            list.forEach(({name}, i) => {
                const {family: its, index} = split_name(name);
                if (its === family)
                    out.set(Number(index), i);
            });
            return out;
        };
        return {model, policy, layer, pd: find(model.inputs, "pd"), qd: find(model.inputs, "qd"), pg: find(model.outputs, "pg"), vm: find(model.outputs, "vm"),
                va: find(model.outputs, "va"), active: find(model.rows, "active"), reactive: find(model.rows, "reactive")};
    }

    function dice(seed) {
        let at = seed % 2147483647 || 1;
        return () => {
            at = (at * 48271) % 2147483647;
            return at / 2147483647;
        };
    }

    /* Loads: the level, a random factor for each, and the visitor's settings. */
    function loads(grid) {
        const next = dice(state.seed * 7919);
        return grid.model.inputs.map(({name, lower, upper}) => {
            const bus = split_name(name).index, middle = (lower + upper) / 2, half = (upper - lower) / 2;
            const scatter = state.seed === 1 ? 0 : (2 * next() - 1) * 0.5;
            const share = state.own[bus] !== undefined ? state.own[bus] : (state.level - 1) / 0.1;
            return middle + half * Math.max(-1, Math.min(1, share + scatter));
        });
    }

    function noisy(y, grid) {
        const next = dice(4242);
        return y.map((value, i) => (grid.model.outputs[i].fixed ? value : value + state.noise * (2 * next() - 1) * (i < 14 ? 0.5 : 0.1)));
    }

    function judge(grid, y, x) {
        const {residual, objective} = grid.model.values(y, x), bus = new Map();
        let broken = 0, most = 0, total = 0;
        residual.forEach((r) => {
            broken += Math.abs(r) > 1e-8 ? 1 : 0;
            most = Math.max(most, Math.abs(r));
        });
        for (const [i, row] of grid.active) {
            bus.set(i, Math.hypot(residual[row], residual[grid.reactive.get(i)]));
            total += Math.abs(residual[row]);
        }
        return {y, residual, broken, most, total, bus, objective: objective[0]};
    }

    function compute() {
        const grid = ready, x = loads(grid), raw = noisy(grid.policy.raw(x)[0], grid);
        const result = grid.layer.project(raw, x), begun = performance.now();
        let runs = 0;
        do {
            grid.layer.project(raw, x);
            runs++;
        } while (performance.now() - begun < 3);
        return {x, before: judge(grid, raw, x), after: judge(grid, result.y, x), result, seconds: (performance.now() - begun) / runs / 1e3};
    }

    /* ---- drawing ---- */

    /* Power that flows from i to j, from the model's own definitions. */
    function flows(y, x) {
        const defined = ready.model.defined(y, x);
        return shipped.gridLayout.branches.map(([l, i, j]) => [i, j, defined[`p_flow[${l},${i},${j}]`]]);
    }

    function heat(vm) { /* voltage between its limits, 0.94 and 1.06 */
        return Math.max(-1, Math.min(1, (vm - 1) / 0.06));
    }

    function draw_grid(canvas, look, x) {
        const {pen, width, height} = prepare(canvas), pad = 26, at = (bus) => {
            const [u, v] = shipped.gridLayout.buses[bus];
            return [pad + u * (width - 2 * pad), pad + v * (height - 2 * pad)];
        };
        for (const [i, j, power] of flows(look.y, x)) {
            const weight = 0.7 + 4.2 * Math.sqrt(Math.min(3, Math.abs(power || 0)) / 3);
            line(pen, [at(i), at(j)], colours.wire, weight + 0.6);
            const [a, b] = power >= 0 ? [at(i), at(j)] : [at(j), at(i)], t = 0.55;
            if (Math.abs(power) > 0.25) {
                const angle = Math.atan2(b[1] - a[1], b[0] - a[0]), cx = a[0] + t * (b[0] - a[0]), cy = a[1] + t * (b[1] - a[1]);
                line(pen, [[cx - 5 * Math.cos(angle - 0.5), cy - 5 * Math.sin(angle - 0.5)], [cx, cy], [cx - 5 * Math.cos(angle + 0.5), cy - 5 * Math.sin(angle + 0.5)]], colours.faint, 1.3);
            }
        }
        for (const [bus, off] of look.bus)
            if (off > 1e-6) {
                const [px, py] = at(bus), size = Math.max(7, (6 + 6.5 * Math.log10(off / 1e-4)) * Math.min(1, width / 560));
                dot(pen, px, py, size, `${colours.bad}2e`, `${colours.bad}c8`, 1.4);
            }
        for (const bus of look.bus.keys()) {
            const [px, py] = at(bus), makes = ready.pg.has(bus), uses = ready.pd.has(bus);
            const load = uses ? x[ready.pd.get(bus)] : 0, size = makes ? (width < 480 ? 6 : 7.5) : 3.2 + 4.2 * Math.sqrt(Math.min(load, 0.6));
            const vm = look.y[ready.vm.get(bus)], out = vm > 1.06 + 1e-8 || vm < 0.94 - 1e-8;
            if (makes) {
                pen.beginPath();
                pen.roundRect(px - size, py - size, 2 * size, 2 * size, 3);
                pen.fillStyle = colours.accent;
                pen.fill();
            } else
                dot(pen, px, py, size, uses ? shade(heat(vm)) : colours.card, out ? colours.bad : uses ? colours.card : colours.faint, 1.5);
            if (bus === chosen)
                dot(pen, px, py, size + 5, null, colours.ink, 1.6);
        }
        drawnAt = {at, width, height};
    }

    function shade(level) {
        return `color-mix(in srgb, ${level > 0 ? colours.hardnet : colours.nearest} ${Math.round(25 + 65 * Math.abs(level))}%, ${colours.faint})`;
    }

    function money(value) {
        return `${Math.round(value).toLocaleString("en")} $/h`;
    }

    function draw() {
        if (page.current !== "grid" || !ready || ready.then)
            return;
        const now = compute();
        draw_grid(by("grid-raw"), now.before, now.x);
        draw_grid(by("grid-out"), now.after, now.x);
        const rows = ready.model.rows.length;
        by("grid-raw-verdict").textContent = `${now.before.broken} of ${rows} broken`;
        by("grid-verdict").textContent = now.result.ok ? `all ${rows} hold` : now.result.outcome.replace(/_/g, " ");
        by("grid-verdict").className = `verdict ${now.result.ok ? "good" : "bad"}`;
        by("grid-verdict").dataset.violation = now.result.violation;
        const line_of = (name, a, b, kinds = []) => make("tr", {}, make("td", {}, name), make("td", {class: kinds[0] || ""}, a), make("td", {class: kinds[1] || ""}, b));
        by("grid-table").tBodies[0].replaceChildren(
            line_of("rows that do not hold", `${now.before.broken} of ${rows}`, `${now.after.broken}`, ["bad", now.after.broken ? "bad" : "good"]),
            line_of("largest violation", short(now.before.most, 2), short(now.result.violation, 2), ["bad", now.result.ok ? "good" : "bad"]),
            line_of("power from nowhere", `${(100 * now.before.total).toFixed(1)} MW`, `${(100 * now.after.total).toFixed(1)} MW`),
            line_of("cost", money(now.before.objective), money(now.after.objective)),
            line_of("time", "", `${microseconds(now.seconds)}, ${now.result.iterations} steps`));
    }

    function show_note() {
        by("grid-note").textContent = !chosen ? "Choose a bus to change its load."
            : ready.pd.has(chosen) ? `Bus ${chosen}: choose it again for the next load.` : `Bus ${chosen} has no load${ready.pg.has(chosen) ? "; it has a generator" : ""}.`;
    }

    function choose(event) {
        const box = event.currentTarget.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
        let best = 0, least = 26;
        for (const bus of Object.keys(shipped.gridLayout.buses)) {
            const [px, py] = drawnAt.at(bus), d = Math.hypot(px - x, py - y);
            if (d < least)
                [best, least] = [Number(bus), d];
        }
        if (best && ready.pd.has(best)) {
            const now = state.own[best];
            state.own[best] = now === undefined ? 1 : now === 1 ? -1 : undefined;
            if (state.own[best] === undefined)
                delete state.own[best];
        }
        chosen = best;
        show_note();
        draw();
        save_soon();
    }

    page.tabs.grid = {
        begin(saved) {
            if (saved && typeof saved.level === "number")
                Object.assign(state, saved);
            by("grid-sliders").append(
                slider("Load of all", {min: 0.9, max: 1.1, value: state.level, step: 0.002}, (value) => {
                    state.level = value;
                    draw();
                    save_soon();
                }, (value) => `${(100 * value).toFixed(0)} %`),
                slider("Disturb the network", {min: 0, max: 1, value: state.noise, step: 0.01}, (value) => {
                    state.noise = value;
                    draw();
                    save_soon();
                }, (value) => `${(100 * value).toFixed(0)} %`));
            by("grid-dice").addEventListener("click", () => {
                state.seed++;
                draw();
                save_soon();
            });
            for (const id of ["grid-raw", "grid-out"])
                by(id).addEventListener("click", choose);
        },
        async show() {
            ready = ready || open();
            ready = await ready;
            draw();
        },
        hide() {}, save: () => ({...state}), draw,
    };
})();

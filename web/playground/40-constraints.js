/* 40-constraints.js - the tab Constraints: a model as text, the feasible set of two outputs, the raw output, the methods and their iterates. */
"use strict";

(() => {
    const METHODS = ["auto", "nearest", "lm", "hardnet", "paper"], FIRST_METHODS = ["auto", "nearest", "paper"];
    const TITLES = {hardnet: "HardNet-Aff (2024)", paper: "HardNet++ (2026)"}; /* others' methods by their names; the options are called otherwise */
    const titled = (method) => TITLES[method] || method;
    const FIRST = Object.keys(examples)[0];
    const engine = new Engine(3000), GRID = 121;
    const state = {example: FIRST, text: examples[FIRST].text, x: [], y: null, axes: [0, 1], view: null, methods: [...FIRST_METHODS]};
    let model = null, answer = null, set = null, busy = false, again = null, version = 0, shownAt = 0, held = false;

    /* ---- questions to the worker: one at a time, the last one wins ---- */

    async function refresh(what) {
        again = {...(again || {}), ...what};
        if (busy)
            return;
        busy = true;
        while (again) {
            const now = again;
            again = null;
            try {
                if (now.read)
                    await read();
                if (model)
                    await correct(now);
            } catch (error) {
                refuse(error);
            }
        }
        busy = false;
    }

    async function read() {
        const mine = ++version;
        by("messages").dataset.state = "reading";
        const next = await engine.ask("read", {text: state.text});
        if (mine !== version)
            return;
        const same = model && model.inputs.length === next.inputs.length && model.outputs.length === next.outputs.length;
        model = next;
        set = null;
        if (!same)
            answer = null;
        if (!same || state.x.length !== model.inputs.length)
            state.x = model.inputs.map(({lower, upper}, i) => (state.x[i] !== undefined && !same ? state.x[i] : middle(lower, upper)));
        if (!same && state.y && state.y.length !== model.outputs.length)
            state.y = null;
        const free = model.outputs.map((_, i) => i).filter((i) => !model.outputs[i].fixed);
        if (state.axes.some((axis) => axis >= model.outputs.length))
            state.axes = [free[0] || 0, free[1] !== undefined ? free[1] : free[0] || 0];
        show_model();
        tell(next.messages);
        clearTimeout(read.timer);
        read.timer = setTimeout(() => refresh({still: true}), 1200); /* times, once the browser has compiled what is used */
    }

    function middle(lower, upper) {
        return Number.isFinite(lower) && Number.isFinite(upper) ? (lower + upper) / 2 : Number.isFinite(lower) ? lower : Number.isFinite(upper) ? upper : 0;
    }

    async function correct({quick, still}) {
        const question = {y: state.y, x: state.x, methods: state.methods, axes: state.axes, patience: !page.first ? 0 : quick ? 0.3 : 3};
        const next = await engine.ask("run", question);
        state.y = Array.from(next.y);
        if (!state.view)
            state.view = fit(next);
        answer = next;
        shownAt = quick ? -Infinity : still ? shownAt : performance.now();
        show_results();
        if (!page.first) {
            page.first = performance.now();
            by("opened").textContent = `First correction ${page.first.toFixed(0)} ms after opening.`;
        }
        const best = next.results.find((result) => result.ok) || next.results.find((result) => result.y), held_at = best ? best.y : state.y;
        const key = JSON.stringify([version, state.x, state.axes, state.view, model.outputs.length > 2 ? Array.from(held_at) : 0]);
        if (!set || set.key !== key) {
            const field = await engine.ask("field", {y: Array.from(held_at), x: state.x, axes: state.axes, view: state.view, columns: GRID, rows: GRID});
            set = Object.assign(field, {key, path: null});
        }
        animate();
        save_soon();
    }

    /* A square around what there is to see. */
    function fit(next) {
        const points = [[next.y[state.axes[0]], next.y[state.axes[1]]], ...next.results.flatMap((result) => (result.ok ? result.way : []))];
        const spread = (k) => [Math.min(...points.map((p) => p[k])), Math.max(...points.map((p) => p[k]))];
        const [a, b] = spread(0), [c, d] = spread(1), half = Math.max(b - a, d - c, 1.2) * 0.9, x = (a + b) / 2, y = (c + d) / 2;
        return {left: x - half, right: x + half, bottom: y - half, top: y + half};
    }

    /* ---- what the reader says ---- */

    function tell(messages) {
        const box = by("messages");
        box.dataset.state = "ok";
        const equal = set ? set.equalities : null, count = (list, name) => `${list.length} ${name}${list.length === 1 ? "" : "s"}`;
        box.replaceChildren(make("div", {class: "fine"}, `${count(model.outputs, "output")}, ${count(model.inputs, "input")}, ${count(model.rows, "constraint")}` +
            `${model.objective ? `, ${model.objective.maximize ? "maximize" : "minimize"} ${model.objective.name}` : ""}${equal ? `, ${equal} equalities` : ""}.`),
            ...messages.map(message_line));
        paint([]);
    }

    function message_line(message) {
        const place = message.line ? `${message.line}:${message.column}` : message.severity || "error";
        return make("button", {class: `message ${message.severity || "error"}`, "data-line": message.line, "data-column": message.column,
                               on: {click: () => go_to(message.line, message.column)}},
                    make("b", {}, place), make("span", {}, message.text, ...(message.hint ? [make("em", {}, message.hint)] : [])));
    }

    function refuse(error) {
        const messages = error.messages && error.messages.length ? error.messages.filter((m) => m.severity === "error")
            : [{line: error.line || 0, column: error.column || 0, text: error.message, severity: "error"}];
        model = answer = set = null;
        by("messages").dataset.state = error.stopped ? "stopped" : "error";
        by("messages").replaceChildren(...messages.slice(0, 6).map(message_line));
        paint(messages);
        by("results").tBodies[0].replaceChildren();
        draw();
    }

    function go_to(row, column) {
        if (!row)
            return;
        const area = by("text"), lines = area.value.split("\n"), at = lines.slice(0, row - 1).reduce((sum, l) => sum + l.length + 1, 0) + column - 1;
        area.focus();
        area.setSelectionRange(at, at + 1);
        area.scrollTop = Math.max(0, (row - 6) * 20);
        follow();
    }

    /* ---- the editor: text over the same text in colours ---- */

    const WORDS = /(#.*)|("[^"\n]*"|'[^'\n]*')|\b(param|var|set|subject to|s\.t\.|minimize|maximize|in|sum|prod|if|then|else|data|model|fix|let|check|within|union|setof|and|or|not|default|integer|binary|cos|sin|tan|exp|log|sqrt|abs|atan2|atan|min|max)\b|\b(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)\b/g;

    function escape(text) {
        return text.replace(/[&<>]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;"})[c]);
    }

    function paint(messages) {
        const wrong = new Map(messages.filter((m) => m.line).map((m) => [m.line, m]));
        const lines = state.text.split("\n");
        by("paint").innerHTML = `${lines.map((text, i) => {
            const message = wrong.get(i + 1);
            if (message) {
                const at = Math.min(message.column - 1, Math.max(0, text.length - 1)), word = /^[\w.]+|^./.exec(text.slice(at)) || [" "];
                return `${escape(text.slice(0, at))}<span class="wave">${escape(word[0])}</span>${escape(text.slice(at + word[0].length))}`;
            }
            return colour_words(text);
        }).join("\n")}\n`;
        by("gutter").innerHTML = lines.map((_, i) => (wrong.has(i + 1) ? `<span class="wrong">${i + 1}</span>` : i + 1)).join("\n");
        follow();
    }

    function colour_words(text) {
        let out = "", at = 0;
        for (const found of text.matchAll(WORDS)) {
            out += escape(text.slice(at, found.index));
            const kind = found[1] || found[2] ? "q" : found[3] ? "k" : "n";
            out += `<span class="${kind}">${escape(found[0])}</span>`;
            at = found.index + found[0].length;
        }
        return out + escape(text.slice(at));
    }

    function follow() {
        const area = by("text");
        by("paint").scrollTop = by("gutter").scrollTop = area.scrollTop;
        by("paint").scrollLeft = area.scrollLeft;
    }

    /* ---- what belongs to the model ---- */

    function show_model() {
        for (const [k, id] of ["axis-x", "axis-y"].entries()) {
            by(id).replaceChildren(...model.outputs.map(({name}, i) => make("option", {value: i}, name)));
            by(id).value = state.axes[k];
        }
        by("inputs-card").hidden = model.inputs.length === 0;
        by("inputs").replaceChildren(...model.inputs.map(({name, lower, upper}, i) => slider(name,
            {min: Number.isFinite(lower) ? lower : state.x[i] - 5, max: Number.isFinite(upper) ? upper : state.x[i] + 5, value: state.x[i], step: "any"},
            (value) => {
                state.x[i] = value;
                refresh({quick: true});
            })));
    }

    function show_results() {
        by("results").tBodies[0].replaceChildren(...answer.results.map((result) => {
            const name = make("td", {}, make("i", {class: "dot", style: {"--c": colours.methods[result.method]}}), titled(result.method));
            if (result.refused)
                return make("tr", {"data-method": result.method, title: result.refused}, name, make("td", {colspan: 5, class: "refused"}, result.method === "hardnet" ? "needs at most as many constraints as outputs" : "refused"));
            const outcome = {locally_infeasible: "infeasible", iteration_limit: "limit"}[result.outcome] || result.outcome.replace(/_/g, " ");
            const worst = result.worst >= 0 && !result.ok ? model.rows[result.worst].name : "";
            return make("tr", {"data-method": result.method, "data-violation": result.violation, "data-outcome": result.outcome, title: worst ? `worst row: ${worst}` : ""},
                name, make("td", {class: result.ok ? "good" : "bad"}, outcome), make("td", {}, short(result.violation, 2)),
                make("td", {}, `${result.iterations}`), make("td", {}, short(result.moved)), make("td", {}, microseconds(result.seconds)));
        }));
    }

    /* ---- drawing ---- */

    function animate() {
        draw();
        if (performance.now() - shownAt < 650 && page.current === "constraints")
            requestAnimationFrame(animate);
    }

    /* How far along its way a picture is: every step takes less than the one before. */
    function progress() {
        const t = Math.min(1, (performance.now() - shownAt) / 600);
        return 1 - (1 - t) ** 3;
    }

    function draw_frame(pen, width, height, map, view) {
        const step = nice_step(view.right - view.left, 5);
        for (let v = Math.ceil(view.left / step) * step; v < view.right; v += step) {
            line(pen, [[map.x(v), 0], [map.x(v), height]], colours.hair, 1);
            label(pen, tick(v, step), map.x(v), height - 9, colours.faint, "center");
        }
        const high = nice_step(view.top - view.bottom, 5);
        for (let v = Math.ceil(view.bottom / high) * high; v < view.top; v += high) {
            line(pen, [[0, map.y(v)], [width, map.y(v)]], colours.hair, 1);
            label(pen, tick(v, high), 6, map.y(v) - 8, colours.faint);
        }
    }

    function draw_set(pen, map, view) {
        const px = (i) => map.x(set.view.left + (set.view.right - set.view.left) * i / (set.columns - 1));
        const py = (j) => map.y(set.view.bottom + (set.view.top - set.view.bottom) * j / (set.rows - 1));
        if (!set.edges) {
            set.edges = segments(set, set.worst);
            set.lines = set.curves.map((curve) => segments(set, curve));
            set.outer = set.outlines.map((outline) => segments(set, outline));
        }
        if (set.inequalities) {
            pen.fillStyle = colours.fill;
            pen.globalAlpha = set.equalities ? 0.6 : 1;
            pen.fill(area(set, px, py));
            pen.globalAlpha = 0.45;
            for (const lines of set.outer)
                stroke_segments(pen, lines, px, py, colours.edge, 1.3);
            pen.globalAlpha = 1;
            stroke_segments(pen, set.edges, px, py, colours.edge, 1.5);
        }
        for (const lines of set.lines) {
            stroke_segments(pen, lines, px, py, colours.edge, 1.2);
            const inside = set.inequalities ? lines.filter(([[a, b], [c, d]]) => between(set, [(a + c) / 2, (b + d) / 2]) <= 0) : lines;
            stroke_segments(pen, inside, px, py, colours.curve, 3);
        }

    }

    function stroke_segments(pen, list, px, py, colour, width) {
        pen.beginPath();
        for (const [[a, b], [c, d]] of list) {
            pen.moveTo(px(a), py(b));
            pen.lineTo(px(c), py(d));
        }
        pen.strokeStyle = colour;
        pen.lineWidth = width;
        pen.stroke();
    }

    function draw_way(pen, map, result, share) {
        const colour = colours.methods[result.method], steps = result.ok ? result.way.slice(0, 200) : result.way.slice(0, 14);
        if (steps.length < result.way.length) /* long ways, and those that lead nowhere, by their beginning and their end */
            steps.push(result.way[result.way.length - 1]);
        const points = steps.map(([x, y]) => [map.x(x), map.y(y)]);
        if (points.some(([x, y]) => !Number.isFinite(x) || !Number.isFinite(y)))
            return;
        const length = (points.length - 1) * share, whole = Math.floor(length), part = length - whole, shown = points.slice(0, whole + 1);
        if (part > 0 && whole + 1 < points.length)
            shown.push([points[whole][0] + part * (points[whole + 1][0] - points[whole][0]), points[whole][1] + part * (points[whole + 1][1] - points[whole][1])]);
        line(pen, shown, colour, result.method === "auto" ? 2.6 : 1.7, result.method === "paper" ? [1, 4] : []);
        for (const [x, y] of shown.slice(1, 40))
            dot(pen, x, y, 2.1, colour);
        const [x, y] = shown[shown.length - 1];
        dot(pen, x, y, result.method === "auto" ? 5.5 : 4, result.ok ? colour : colours.card, colour, 2);
    }

    function draw() {
        if (page.current !== "constraints")
            return;
        const {pen, width, height} = prepare(by("plane")), view = state.view || examples[FIRST].view, map = mapping(view, width, height);
        draw_frame(pen, width, height, map, view);
        if (!answer || !model) {
            draw_chart();
            return;
        }
        if (set)
            draw_set(pen, map, view);
        for (const result of [...answer.results].reverse())
            if (result.way)
                draw_way(pen, map, result, progress());
        if (state.example === "arm")
            draw_arm(pen, width, answer);
        const x = map.x(state.y[state.axes[0]]), y = map.y(state.y[state.axes[1]]);
        dot(pen, x, y, held ? 17 : 13, `${colours.raw}22`);
        dot(pen, x, y, 7, colours.raw, colours.card, 2);
        draw_chart();
    }

    /* The arm itself, in a corner: as the raw output has it, and corrected. */
    function draw_arm(pen, width, {results}) {
        const side = Math.min(170, width * 0.34), map = mapping({left: -0.5, right: 2.3, bottom: -0.9, top: 1.9}, side, side);
        pen.save();
        pen.translate(width - side - 10, 10);
        pen.beginPath();
        pen.roundRect(0, 0, side, side, 10);
        pen.fillStyle = colours.card;
        pen.strokeStyle = colours.line;
        pen.lineWidth = 1;
        pen.fill();
        pen.stroke();
        line(pen, [[map.x(-0.4), map.y(0)], [map.x(2.2), map.y(0)]], colours.line, 2);
        const auto = results.find((result) => result.y);
        for (const [angles, colour] of [[state.y, colours.raw], ...(auto ? [[auto.y, colours.methods[auto.method]]] : [])]) {
            const joints = [[0, 0]];
            [1, 0.8, 0.5].forEach((length, j) => {
                const heading = angles.slice(0, j + 1).reduce((sum, angle) => sum + angle, 0), [a, b] = joints[j];
                joints.push([a + length * Math.cos(heading), b + length * Math.sin(heading)]);
            });
            line(pen, joints.map(([a, b]) => [map.x(a), map.y(b)]), colour, 4);
            joints.forEach(([a, b]) => dot(pen, map.x(a), map.y(b), 2.6, colours.card, colour, 1.5));
        }
        dot(pen, map.x(state.x[0]), map.y(state.x[1]), 6, null, colours.ink, 1.8);
        pen.restore();
    }

    /* Violation against step: logarithmic in both, step 0 at the left edge. */
    function draw_chart() {
        const {pen, width, height} = prepare(by("chart")), left = 44, right = width - 14, top = 6, bottom = height - 24;
        const ways = answer ? answer.results.filter((result) => result.violations) : [];
        const most = Math.max(10, ...ways.map((result) => result.violations.length)), highest = Math.max(0, ...ways.flatMap((r) => r.violations.filter(Number.isFinite).map((v) => Math.log10(v + 1e-300))));
        const up = Math.ceil(Math.min(6, highest) + 0.2), down = -17;
        const px = (step) => left + (right - left) * Math.log10(1 + step) / Math.log10(1 + most);
        const py = (v) => top + (bottom - top) * (up - Math.max(down, Math.log10(Math.max(v, 1e-300)))) / (up - down);
        for (let power = -16; power <= up; power += 4) {
            line(pen, [[left, py(10 ** power)], [right, py(10 ** power)]], colours.hair, 1);
            label(pen, power === 0 ? "1" : `1e${power}`.replace("-", "−"), left - 6, py(10 ** power), colours.faint, "right", 10.5);
        }
        line(pen, [[left, py(1e-8)], [right, py(1e-8)]], colours.good, 1, [4, 4]);
        label(pen, "tolerance 1e−8", right, py(1e-8) - 8, colours.good, "right", 10.5);
        for (const step of [0, 1, 3, 10, 30, 100, 500].filter((s) => s <= most))
            label(pen, `${step}`, px(step), height - 10, colours.faint, "center", 10.5);
        const share = progress();
        for (const result of [...ways].reverse()) {
            const points = result.violations.slice(0, Math.max(1, Math.ceil(result.violations.length * share))).map((v, i) => [px(i), py(Number.isFinite(v) ? v : 1e30)]);
            line(pen, points, colours.methods[result.method], result.method === "auto" ? 2.6 : 1.7);
            const [x, y] = points[points.length - 1];
            dot(pen, x, y, result.method === "auto" ? 4 : 3, colours.methods[result.method]);
        }
    }

    /* ---- hands and keys ---- */

    function move_to(x, y, quick = true) {
        if (!answer)
            return;
        state.y[state.axes[0]] = x;
        state.y[state.axes[1]] = y;
        draw();
        refresh({quick});
    }

    function listen_to_plane() {
        const plane = by("plane");
        const place = (event) => {
            const box = plane.getBoundingClientRect();
            return mapping(state.view, box.width, box.height).back(event.clientX - box.left, event.clientY - box.top);
        };
        plane.addEventListener("pointerdown", (event) => {
            if (!answer)
                return;
            plane.setPointerCapture(event.pointerId);
            held = true;
            move_to(...place(event));
        });
        plane.addEventListener("pointermove", (event) => held && move_to(...place(event)));
        for (const name of ["pointerup", "pointercancel"])
            plane.addEventListener(name, () => {
                if (held)
                    refresh({});
                held = false;
            });
        plane.addEventListener("wheel", (event) => {
            event.preventDefault();
            zoom(event.deltaY > 0 ? 1.12 : 1 / 1.12, place(event));
        }, {passive: false});
        plane.addEventListener("keydown", (event) => {
            const step = (state.view.right - state.view.left) / (event.shiftKey ? 20 : 100);
            const way = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
            if (way) {
                event.preventDefault();
                move_to(state.y[state.axes[0]] + way[0] * step, state.y[state.axes[1]] + way[1] * step);
            } else if (event.key === "+" || event.key === "-")
                zoom(event.key === "-" ? 1.12 : 1 / 1.12);
        });
    }

    function zoom(factor, [x, y] = []) {
        const v = state.view;
        if (!v)
            return;
        const cx = x === undefined ? (v.left + v.right) / 2 : x, cy = y === undefined ? (v.bottom + v.top) / 2 : y;
        state.view = {left: cx + (v.left - cx) * factor, right: cx + (v.right - cx) * factor, bottom: cy + (v.bottom - cy) * factor, top: cy + (v.top - cy) * factor};
        draw();
        refresh({quick: true});
    }

    function load(name) {
        const example = examples[name];
        Object.assign(state, {example: name, text: example.text, x: [...example.x], y: example.y ? [...example.y] : null, axes: example.axes || [0, 1], view: {...example.view}});
        model = null;
        by("text").value = state.text;
        press();
        paint([]);
        refresh({read: true});
    }

    function listen() {
        by("examples").append(...Object.entries(examples).map(([name, {title}]) => make("button", {"data-example": name, "aria-pressed": "false", on: {click: () => load(name)}}, title)));
        by("text").addEventListener("input", () => {
            state.text = by("text").value;
            state.example = "own";
            press();
            paint([]);
            clearTimeout(listen.timer);
            listen.timer = setTimeout(() => refresh({read: true}), 160);
        });
        by("text").addEventListener("scroll", follow);
        by("text").addEventListener("keydown", (event) => {
            if (event.key === "Tab" && !event.shiftKey && !listen.leaving) {
                event.preventDefault();
                document.execCommand("insertText", false, "    ");
            }
            listen.leaving = event.key === "Escape"; /* Escape, then Tab: on to the next control */
        });
        for (const [k, id] of ["axis-x", "axis-y"].entries())
            by(id).addEventListener("change", () => {
                state.axes[k] = Number(by(id).value);
                state.view = null;
                refresh({});
            });
        by("zoom-in").addEventListener("click", () => zoom(1 / 1.3));
        by("zoom-out").addEventListener("click", () => zoom(1.3));
        by("zoom-fit").addEventListener("click", () => {
            state.view = examples[state.example] ? {...examples[state.example].view} : null;
            refresh({});
        });
        by("methods").append(...METHODS.map((method) => {
            const chip = make("button", {class: "chip", "aria-pressed": "true", "data-method": method, title: `method "${method}"`, style: {"--c": `var(--${method === "paper" ? "paper-method" : method})`}, on: {click: () => {
                const now = new Set(state.methods);
                if (!now.delete(method))
                    now.add(method);
                state.methods = METHODS.filter((m) => now.has(m));
                press();
                refresh({});
            }}}, titled(method));
            return chip;
        }));
        for (const [id, write, what] of [["copy-c", code_c, "C program"], ["copy-python", code_python, "Python script"], ["copy-ampl", code_ampl, "AMPL model"]])
            by(id).addEventListener("click", () => {
                if (model)
                    copy(write({model, text: state.text, x: state.x, y: state.y, method: state.methods[0] || "auto"}), what);
                else
                    toast("The model has a mistake");
            });
        listen_to_plane();
    }

    function press() {
        for (const chip of by("methods").children)
            chip.setAttribute("aria-pressed", String(state.methods.includes(chip.dataset.method)));
        for (const chip of by("examples").children)
            chip.setAttribute("aria-pressed", String(state.example === chip.dataset.example));
    }

    page.tabs.constraints = {
        begin(saved) {
            listen();
            if (saved && typeof saved.text === "string") {
                Object.assign(state, saved);
                by("text").value = state.text;
                paint([]);
                press();
                refresh({read: true});
            } else {
                load(FIRST);
            }
        },
        save: () => ({...state, x: state.x.map(round), y: state.y && state.y.map(round)}),
        show: () => draw(), hide: () => {}, draw,
    };
})();

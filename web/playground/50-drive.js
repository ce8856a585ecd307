/* 50-drive.js - the tab Drive: networks that plan for a unicycle in every frame, with and without a layer.
 *
 * Two worlds. "drive": goal and obstacle are inputs, seen from the robot (drive.mod). "unicycle": the paper's model with its ellipse. Each
 * world has three drivers: ours (network and auto), the paper's 500 steps from the same raw output, and one without correction (in the
 * paper's world a network that was trained on a penalty). Each drives its own robot from the same place. A frame is 1/60 s of driving.
 *
 * Why every plan of ours can hold: standing still holds all rows from outside the obstacle, and a robot stays outside. It drives whole steps
 * of its model, straight for 0.2 s, by what it planned at their beginning; in "drive" plans keep a margin, as far as the robot itself has
 * it, which is more than such a step can cut off. Ours takes the cheaper of two: what the network says and what was planned a frame ago,
 * both corrected. Where neither could be, it corrects standing still; where it would stand though it is not there, also plans that turn
 * first. */
"use strict";

(() => {
    const FRAME = 1 / 60, STEP = 12, MARGIN = 0.05, THERE = 0.45, LIMITS = {left: -4.5, right: 4.5, bottom: -3, top: 3}, ELLIPSE = {a: 1 / Math.sqrt(0.51020408), b: 1 / Math.sqrt(0.90702948)};
    const state = {world: "drive", robot: [-3.6, -0.4, 0.1], goal: [3.4, 0.4], disc: [0, 0.1, 1.1], paused: false};
    const NAMES = {ours: "hardnet", paper: "HardNet++, 500 steps", bare: "no correction"};
    let worlds = null, robots = [], held = null, running = false, roll = 1, arrived = 0;
    const seen = {plans: 0, notOk: 0, worst: 0, times: [], frames: [], compute: []};

    /* ---- the worlds: a model, its networks, its layers ---- */

    async function open_world(name, soft) {
        const model = await hardnet.model(shipped.models[name], {trusted: true});
        const bytes = hardnetBytes(shipped.networks[name]);
        const world = {model, policy: model.policy(bytes), auto: model.layer(), paper: model.layer({method: "paper"}), steps: name === "drive" ? 12 : 10};
        world.bare = soft ? model.policy(hardnetBytes(shipped.networks[soft])) : null;
        return world;
    }

    async function open() {
        if (!worlds)
            worlds = Promise.all([open_world("drive"), open_world("unicycle", "soft")]).then(([drive, unicycle]) => ({drive, unicycle}));
        worlds = await worlds;
    }

    /* What the network sees. */
    function inputs([x, y, heading]) {
        if (state.world === "unicycle")
            return [x, y, heading];
        const c = Math.cos(heading), s = Math.sin(heading), turn = (dx, dy) => [c * dx + s * dy, -s * dx + c * dy];
        const [gx, gy] = turn(state.goal[0] - x, state.goal[1] - y), far = Math.max(1, Math.hypot(gx, gy) / 8);
        const [ox, oy] = turn(state.disc[0] - x, state.disc[1] - y), d = Math.hypot(ox, oy), away = Math.max(1, d / 5.6);
        return [gx / far, gy / far, ox / away, oy / away, Math.max(state.disc[2], Math.min(state.disc[2] + MARGIN, d))];
    }

    /* An output as a path in the world, and its first controls. */
    function path_of(y, [x, y0, heading], steps) {
        const c = Math.cos(heading), s = Math.sin(heading), points = [[x, y0]];
        for (let k = 0; k < steps; k++) {
            const [a, b] = [y[3 * k], y[3 * k + 1]];
            points.push(state.world === "unicycle" ? [a, b] : [x + c * a - s * b, y0 + s * a + c * b]);
        }
        return {points, speed: y[3 * steps], turn: y[3 * steps + 1]};
    }

    function largest(residual) {
        let most = 0;
        for (const r of residual)
            most = Math.max(most, Math.abs(r));
        return most;
    }

    /* Turns on the spot for some steps, to the left (1) or to the right (-1), then straight on; as the dynamics of drive.mod say. */
    function turning(world, steps, side) {
        const y = new Float64Array(world.model.outputs.length), dt = STEP * FRAME;
        for (let k = 0, at = [0, 0, 0]; k < world.steps; k++) {
            const v = k < steps ? 0 : 2, w = k < steps ? 2 * side : 0;
            at = [at[0] + dt * v * Math.cos(at[2]), at[1] + dt * v * Math.sin(at[2]), at[2] + dt * w];
            y.set(at, 3 * k);
            y.set([v, w], 3 * world.steps + 2 * k);
        }
        return y;
    }

    /* The cheapest of a plan and those that turn first, where the plan goes nowhere and the goal is elsewhere. */
    function not_stuck(world, x, result) {
        const end = 3 * (world.steps - 1);
        if (state.world !== "drive" || Math.hypot(result.y[end], result.y[end + 1]) > 0.4 || Math.hypot(x[0], x[1]) < 0.6)
            return result;
        let best = result, least = world.model.values(result.y, x).objective[0];
        for (const side of [-1, 1])
            for (const steps of [1, 2, 3, 4, 5, 6]) {
                const other = world.auto.project(turning(world, steps, side), x), cost = world.model.values(other.y, x).objective[0];
                if (other.ok && cost < least)
                    [best, least] = [other, cost];
            }
        return best;
    }

    /* The plan that stays where it is. */
    function still(world, x) {
        const y = new Float64Array(world.model.outputs.length);
        for (let k = 0; state.world === "unicycle" && k < world.steps; k++)
            y.set(x, 3 * k);
        return y;
    }

    /* Plans of the three drivers, each from its own robot's place. */
    const planners = {
        ours(world, x, robot) {
            let result = world.policy.run(x);
            const before = robot.last && world.auto.project(robot.last, x);
            if (before && before.ok && (!result.ok || world.model.values(before.y, x).objective[0] < result.objective))
                result = before;
            if (!result.ok)
                result = world.auto.project(still(world, x), x);
            if (result.ok)
                result = not_stuck(world, x, result);
            robot.last = result.y;
            return {y: result.y, violation: result.violation, ok: result.ok};
        },
        paper(world, x) {
            const result = world.paper.project(world.policy.raw(x)[0], x);
            return {y: result.y, violation: result.violation, ok: result.ok};
        },
        bare(world, x) {
            const y = (world.bare || world.policy).raw(x)[0];
            return {y, violation: largest(world.model.values(y, x).residual), ok: false};
        },
    };

    /* ---- driving ---- */

    function begin() {
        robots = Object.keys(planners).map((name) => ({name, at: [...state.robot], trail: [], closest: Infinity, plan: null, seconds: 0, frames: 0}));
        arrived = 0;
    }

    /* In lengths: negative inside. Of the ellipse by its level, which is near enough. */
    function clearance([x, y]) {
        if (state.world === "drive")
            return Math.hypot(x - state.disc[0], y - state.disc[1]) - state.disc[2];
        const level = Math.hypot(x / ELLIPSE.a, y / ELLIPSE.b), slope = Math.hypot(x / ELLIPSE.a ** 2, y / ELLIPSE.b ** 2) / (level || 1);
        return (level - 1) / (slope || 1);
    }

    function goal() {
        return state.world === "unicycle" ? [3.5, 0] : state.goal;
    }

    function plan(robot, world) {
        const x = inputs(robot.at), begun = performance.now(), found = planners[robot.name](world, x, robot);
        robot.seconds = (performance.now() - begun) / 1e3;
        robot.violation = found.violation;
        robot.ok = found.ok;
        robot.plan = path_of(found.y, robot.at, world.steps);
        if (robot.name !== "ours")
            return;
        seen.plans++;
        seen.notOk += found.ok ? 0 : 1;
        seen.worst = Math.max(seen.worst, found.violation);
        seen.times.push(robot.seconds);
        if (seen.times.length > 90)
            seen.times.shift();
    }

    function advance(robot) {
        const {speed, turn} = robot.plan, bound = (v, lo, hi) => Math.min(hi, Math.max(lo, Number.isFinite(v) ? v : 0));
        const [x, y, heading] = robot.at, phase = robot.frames++ % STEP;
        if (phase === 0)
            robot.control = [bound(speed, 0, 2), bound(turn, -2, 2)];
        const [v, w] = robot.control, next = heading + (phase === STEP - 1 ? STEP * FRAME * w : 0);
        robot.at = [x + FRAME * v * Math.cos(heading), y + FRAME * v * Math.sin(heading), Math.atan2(Math.sin(next), Math.cos(next))];
        robot.lean = (phase + 1) % STEP * FRAME * w;
        if (state.world === "drive" || phase === STEP - 1) /* the paper's model promises its own states, and nothing between them */
            robot.closest = Math.min(robot.closest, clearance(robot.at));
        robot.trail.push([robot.at[0], robot.at[1]]);
        if (robot.trail.length > 900)
            robot.trail.shift();
        (robot.history = robot.history || []).push(robot.violation);
        if (robot.history.length > 240)
            robot.history.shift();
    }

    /* Numbers in [0, 1), the same in every visit. */
    function chance() {
        roll = (roll * 48271) % 2147483647;
        return roll / 2147483647;
    }

    /* There: on to another place. */
    function arrive() {
        const [gx, gy] = goal(), ours = robots[0];
        arrived = Math.hypot(ours.at[0] - gx, ours.at[1] - gy) < THERE ? arrived + 1 : 0;
        if (arrived < 45 || held)
            return;
        arrived = 0;
        if (state.world === "unicycle")
            state.robot = [-4 + 1.6 * chance(), -2.1 + 4.2 * chance(), -0.4 + 0.8 * chance()];
        else {
            state.robot = [...ours.at];
            const [ox, oy, r] = state.disc, side = Math.atan2(oy - gy, ox - gx) + (chance() - 0.5) * 0.9, far = Math.hypot(ox - gx, oy - gy) + r + 0.6 + 1.6 * chance();
            state.goal = [Math.min(4.1, Math.max(-4.1, gx + far * Math.cos(side))), Math.min(2.6, Math.max(-2.6, gy + far * Math.sin(side)))];
            clear_goal();
        }
        begin();
    }

    /* A goal inside the obstacle could not be reached: it steps outside. */
    function clear_goal() {
        const [ox, oy, r] = state.disc, dx = state.goal[0] - ox, dy = state.goal[1] - oy, d = Math.hypot(dx, dy) || 1e-9;
        if (d < r + 0.25)
            state.goal = [ox + dx / d * (r + 0.25), oy + dy / d * (r + 0.25)];
    }

    function frame(now) {
        if (!running)
            return;
        seen.frames.push(now);
        if (seen.frames.length > 60)
            seen.frames.shift();
        const begun = performance.now(), world = worlds[state.world];
        for (const robot of robots) {
            plan(robot, world);
            if (!state.paused && held !== "robot")
                advance(robot);
        }
        if (!state.paused)
            arrive();
        seen.compute.push((performance.now() - begun) / 1e3);
        if (seen.compute.length > 240)
            seen.compute.shift();
        draw();
        requestAnimationFrame(frame);
    }

    /* ---- drawing ---- */

    function median(list) {
        return list.length ? [...list].sort((a, b) => a - b)[list.length >> 1] : NaN;
    }

    function colour_of(name) {
        return {ours: colours.auto, paper: colours.methods.paper, bare: colours.raw}[name];
    }

    function draw_obstacle(pen, map) {
        pen.beginPath();
        if (state.world === "drive")
            pen.arc(map.x(state.disc[0]), map.y(state.disc[1]), state.disc[2] * map.scale, 0, 2 * Math.PI);
        else
            pen.ellipse(map.x(0), map.y(0), ELLIPSE.a * map.scale, ELLIPSE.b * map.scale, 0, 0, 2 * Math.PI);
        pen.fillStyle = colours.obstacle;
        pen.fill();
        pen.strokeStyle = colours["obstacle-edge"];
        pen.lineWidth = held === "disc" || held === "rim" ? 2.5 : 1.4;
        pen.stroke();
        if (state.world !== "drive")
            return;
        const [x, y] = rim();
        dot(pen, map.x(x), map.y(y), 6, colours.card, colours["obstacle-edge"], 2);
    }

    /* The handle that resizes. */
    function rim() {
        const [x, y, r] = state.disc;
        return [x + r * Math.SQRT1_2, y + r * Math.SQRT1_2];
    }

    function draw_robot(pen, map, robot) {
        const [x, y, heading] = robot.at, colour = colour_of(robot.name), size = robot.name === "ours" ? 13 : 10;
        pen.save();
        pen.translate(map.x(x), map.y(y));
        pen.rotate(-heading - (robot.lean || 0));
        pen.beginPath();
        pen.moveTo(size, 0);
        pen.lineTo(-size * 0.75, size * 0.66);
        pen.lineTo(-size * 0.4, 0);
        pen.lineTo(-size * 0.75, -size * 0.66);
        pen.closePath();
        pen.fillStyle = robot.name === "ours" ? colour : colours.card;
        pen.strokeStyle = robot.name === "ours" ? colours.card : colour;
        pen.lineWidth = 2;
        pen.fill();
        pen.stroke();
        pen.restore();
    }

    function draw() {
        if (page.current !== "drive" || !robots.length || !worlds || worlds.then)
            return;
        const {pen, width, height} = prepare(by("road")), map = mapping(window_of(width, height), width, height);
        for (let v = -6; v <= 6; v++) {
            line(pen, [[map.x(v), 0], [map.x(v), height]], colours.hair, 1);
            line(pen, [[0, map.y(v)], [width, map.y(v)]], colours.hair, 1);
        }
        draw_obstacle(pen, map);
        const [gx, gy] = goal();
        dot(pen, map.x(gx), map.y(gy), 13, `${colours.accent}1f`);
        dot(pen, map.x(gx), map.y(gy), 8, null, colours.accent, 2);
        dot(pen, map.x(gx), map.y(gy), 2.5, colours.accent);
        const px = ([x, y]) => [map.x(x), map.y(y)];
        for (const robot of [...robots].reverse()) {
            pen.globalAlpha = 0.38;
            line(pen, robot.trail.map(px), colour_of(robot.name), robot.name === "ours" ? 3 : 2);
            pen.globalAlpha = 1;
            if (robot.plan) {
                const points = robot.plan.points.map(px);
                line(pen, points, colour_of(robot.name), robot.name === "ours" ? 2.2 : 1.4, robot.name === "ours" ? [] : [2, 4]);
                points.slice(1).forEach(([x, y]) => dot(pen, x, y, robot.name === "ours" ? 2.6 : 1.8, colour_of(robot.name)));
            }
            draw_robot(pen, map, robot);
        }
        show_figures();
    }

    /* All of the world, with the canvas' own shape. */
    function window_of(width, height) {
        const w = LIMITS.right - LIMITS.left, h = LIMITS.top - LIMITS.bottom, scale = Math.min(width / w, height / h);
        return {left: -width / scale / 2, right: width / scale / 2, bottom: -height / scale / 2, top: height / scale / 2};
    }

    function show_figures() {
        const quick = [...seen.times].sort((a, b) => a - b).slice(0, Math.ceil(seen.times.length * 0.8)); /* without what the system did meanwhile */
        const time = quick.reduce((sum, t) => sum + t, 0) / quick.length, frames = seen.frames;
        by("drive-time").textContent = Number.isNaN(time) ? "–" : (time * 1e6).toFixed(0);
        by("drive-violation").textContent = short(seen.worst, 2);
        by("drive-violation").dataset.value = seen.worst;
        by("drive-violation").className = seen.worst <= 1e-8 ? "good" : "bad";
        by("drive-plans").textContent = seen.plans.toLocaleString("en");
        by("drive-plans").dataset.value = seen.plans;
        by("drive-ok").textContent = seen.notOk ? `but ${seen.notOk} ok` : "ok";
        by("drive-rate").textContent = frames.length > 5 ? ((frames.length - 1) / (frames[frames.length - 1] - frames[0]) * 1e3).toFixed(0) : "–";
        by("drive-rate").dataset.compute = median(seen.compute) * 1e3;
        if (seen.plans % 6 === 1 || !by("drivers").tBodies[0].children.length)
            by("drivers").tBodies[0].replaceChildren(...robots.map((robot) => make("tr", {"data-driver": robot.name, "data-violation": robot.violation, "data-closest": robot.closest},
                make("td", {}, make("i", {class: "dot", style: {"--c": colour_of(robot.name)}}), robot.name === "bare" && state.world === "unicycle" ? "penalty only" : NAMES[robot.name]),
                make("td", {class: robot.violation <= 1e-8 ? "good" : "bad"}, short(robot.violation, 2)), make("td", {}, microseconds(robot.seconds)),
                make("td", {class: robot.closest < -1e-3 ? "bad" : ""}, Number.isFinite(robot.closest) ? robot.closest.toFixed(2).replace("-", "−") : "–"))));
        draw_history();
    }

    function draw_history() {
        const {pen, width, height} = prepare(by("drive-chart")), left = 44, top = 6, bottom = height - 8, up = 1, down = -17;
        const py = (v) => top + (bottom - top) * (up - Math.min(up, Math.max(down, Math.log10(Math.max(v, 1e-300))))) / (up - down);
        for (const power of [0, -4, -8, -12, -16]) {
            line(pen, [[left, py(10 ** power)], [width, py(10 ** power)]], power === -8 ? colours.good : colours.hair, 1, power === -8 ? [4, 4] : []);
            label(pen, power === 0 ? "1" : `1e−${-power}`, left - 6, py(10 ** power), colours.faint, "right", 10.5);
        }
        for (const robot of [...robots].reverse())
            line(pen, (robot.history || []).map((v, i) => [left + (width - left) * i / 240, py(v)]), colour_of(robot.name), robot.name === "ours" ? 2.2 : 1.5);
    }

    /* ---- hands and keys ---- */

    function place(event) {
        const box = by("road").getBoundingClientRect();
        return mapping(window_of(box.width, box.height), box.width, box.height).back(event.clientX - box.left, event.clientY - box.top);
    }

    function grip([x, y], touch) {
        const near = (a, b, reach) => Math.hypot(x - a, y - b) < reach * (touch ? 1.6 : 1);
        if (near(robots[0].at[0], robots[0].at[1], 0.34))
            return "robot";
        if (state.world === "drive") {
            if (near(...rim(), 0.22))
                return "rim";
            if (near(...state.goal, 0.3))
                return "goal";
            if (near(state.disc[0], state.disc[1], state.disc[2]))
                return "disc";
        }
        return "robot";
    }

    function keep_clear() { /* the obstacle gives way to the robot */
        const [rx, ry] = robots[0].at, [ox, oy, r] = state.disc, dx = ox - rx, dy = oy - ry, d = Math.hypot(dx, dy) || 1e-9;
        if (d < r + 0.06) {
            state.disc[0] = rx + dx / d * (r + 0.06);
            state.disc[1] = ry + dy / d * (r + 0.06);
        }
        clear_goal();
    }

    function put_robot(x, y, heading) {
        if (clearance([x, y]) < 0.08) { /* not into the obstacle: to its edge */
            const [ox, oy] = state.world === "drive" ? state.disc : [0, 0], d = Math.hypot(x - ox, y - oy) || 1e-9;
            for (let k = 0; k < 60 && clearance([x, y]) < 0.08; k++) {
                x += (x - ox) / d * 0.04 || 0.04;
                y += (y - oy) / d * 0.04;
            }
        }
        state.robot = [x, y, heading];
        begin();
    }

    function drag([x, y]) {
        const bound = (v, most) => Math.min(most, Math.max(-most, v));
        if (held === "robot")
            put_robot(x, y, state.world === "unicycle" ? robots[0].at[2] : Math.atan2(state.goal[1] - y, state.goal[0] - x));
        else if (held === "goal")
            state.goal = [bound(x, 4.3), bound(y, 2.8)];
        else if (held === "disc")
            state.disc = [bound(x - drag.from[0], 3.2), bound(y - drag.from[1], 2.2), state.disc[2]];
        else if (held === "rim")
            state.disc[2] = Math.min(1.6, Math.max(0.25, Math.hypot(x - state.disc[0], y - state.disc[1])));
        if (held === "disc" || held === "rim")
            keep_clear();
        if (held === "goal")
            clear_goal();
    }

    function listen() {
        const road = by("road");
        road.addEventListener("pointerdown", (event) => {
            if (!robots.length)
                return;
            const at = place(event);
            held = grip(at, event.pointerType === "touch");
            drag.from = [at[0] - state.disc[0], at[1] - state.disc[1]];
            road.setPointerCapture(event.pointerId);
            road.classList.add("held");
            drag(at);
        });
        road.addEventListener("pointermove", (event) => held && drag(place(event)));
        for (const name of ["pointerup", "pointercancel"])
            road.addEventListener(name, () => {
                held = null;
                road.classList.remove("held");
                save_soon();
            });
        road.addEventListener("keydown", (event) => {
            const way = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
            if (way && event.shiftKey && state.world === "drive") {
                state.disc = [state.disc[0] + 0.1 * way[0], state.disc[1] + 0.1 * way[1], state.disc[2]];
                keep_clear();
            } else if (way)
                put_robot(robots[0].at[0] + 0.15 * way[0], robots[0].at[1] + 0.15 * way[1], robots[0].at[2]);
            else if ("+-".includes(event.key) && state.world === "drive") {
                state.disc[2] = Math.min(1.6, Math.max(0.25, state.disc[2] + (event.key === "+" ? 0.1 : -0.1)));
                keep_clear();
            } else if (event.key === " ")
                pause(!state.paused);
            else
                return;
            event.preventDefault();
            save_soon();
        });
        by("drive-pause").addEventListener("click", () => pause(!state.paused));
        by("drive-again").addEventListener("click", () => choose(state.world, true));
        for (const name of ["drive", "unicycle"])
            by(`world-${name}`).addEventListener("click", () => choose(name, true));
    }

    function pause(on) {
        state.paused = on;
        by("drive-pause").textContent = on ? "Go on" : "Pause";
        by("drive-pause").setAttribute("aria-pressed", String(on));
        save_soon();
    }

    function choose(name, fresh) {
        state.world = name;
        for (const other of ["drive", "unicycle"])
            by(`world-${other}`).setAttribute("aria-checked", String(other === name));
        if (fresh)
            Object.assign(state, name === "drive" ? {robot: [-3.6, -0.4, 0.1], goal: [3.4, 0.4], disc: [0, 0.1, 1.1]} : {robot: [-3.2, 0.3, -0.1]});
        Object.assign(seen, {plans: 0, notOk: 0, worst: 0, times: [], compute: []});
        by("road-hint").textContent = name === "drive"
            ? "Drag the robot, the goal, the obstacle, or the handle on its rim. Keys: arrows, Shift and arrows, + and −, space."
            : "The model of the paper, models/unicycle.mod. Drag the robot. The ellipse is fixed: it is a part of the model.";
        begin();
        save_soon();
        draw();
    }

    page.tabs.drive = {
        begin(saved) {
            if (saved && Array.isArray(saved.robot))
                Object.assign(state, saved);
            listen();
            choose(state.world, false);
            pause(state.paused);
        },
        async show() {
            await open();
            if (running || page.current !== "drive")
                return;
            running = true;
            seen.frames = [];
            requestAnimationFrame(frame);
        },
        hide() {
            running = false;
        },
        save: () => ({...state, robot: (robots[0] && state.paused ? robots[0].at : state.robot).map(round), goal: state.goal.map(round), disc: state.disc.map(round)}),
        draw,
        seen,
    };
})();

/* module.test.js - build/web/hardnet.js in Node: the native command's bits, the reader's fuzz corpus, gradients, errors, memory. */
"use strict";
const assert = require("node:assert");
const {createHash} = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const {root, under, whole, write_npy, read_npy, native, scratch, dice} = require("./shipped.js");

const hardnet = require(path.join(root, "build", "web", "hardnet.js"));
const SAMPLES = 3, METHODS = ["auto", "paper", "lm", "nearest"], STEPS = {paper: 60};

/* Inputs in their boxes, and start values with something added. */
function draw(model, seed) {
    const roll = dice(seed), x = [], y = [];
    for (let k = 0; k < SAMPLES; k++) {
        const point = model.inputs.map(({lower, upper}) => (Number.isFinite(lower) && Number.isFinite(upper)
            ? lower + (upper - lower) * roll() : roll()));
        x.push(...point);
        y.push(...Array.from(model.start(point), (value) => (Number.isFinite(value) ? value : 0) + 0.5 * (roll() - 0.5)));
    }
    return {x, y};
}

function digest(numbers) {
    return createHash("sha256").update(new Uint8Array(Float64Array.from(numbers).buffer)).digest("hex");
}

test("project gives the native bits on every model that ships", async () => {
    const folder = scratch();
    let compared = 0, seed = 1;
    for (const file of [...under(path.join(root, "models"), ".mod"), ...under(path.join(root, "web", "models"), ".mod")]) {
        const model = await hardnet.model(whole(file), {trusted: true}), {x, y} = draw(model, seed++);
        const text = path.join(folder, "model.mod");
        fs.writeFileSync(text, whole(file));
        write_npy(path.join(folder, "y.npy"), SAMPLES, model.outputs.length, y);
        write_npy(path.join(folder, "x.npy"), SAMPLES, model.inputs.length, x);
        const many = model.rows.length > 300; /* one method is enough where steps are long */
        for (const method of many ? ["auto"] : METHODS) {
            const steps = STEPS[method] || -1, layer = model.layer({method, iterations: steps});
            const {y: ours} = layer.projectAll(SAMPLES, y, x);
            native(["project", text, "--y", path.join(folder, "y.npy"), "--method", method, "--allow-infeasible", "--out", path.join(folder, "out.npy"),
                    ...(model.inputs.length ? ["--x", path.join(folder, "x.npy")] : []), ...(STEPS[method] ? ["--iterations", `${steps}`] : [])]);
            assert.strictEqual(digest(ours), digest(read_npy(path.join(folder, "out.npy"))), `${path.relative(root, file)} by ${method}`);
            const alone = layer.project(y.slice(0, model.outputs.length), x.slice(0, model.inputs.length));
            assert.deepStrictEqual(alone.y, ours.slice(0, model.outputs.length), `${file} by ${method}, a sample alone`);
            layer.free();
            compared++;
        }
        model.free();
    }
    fs.rmSync(folder, {recursive: true});
    console.log(`${compared} corrections of ${SAMPLES} samples: the native SHA-256`);
    assert.ok(compared > 150);
});

test("networks give the native bits", async () => {
    const folder = scratch(), nets = under(path.join(root, "web", "networks"), ".safetensors");
    for (const file of nets.filter((name) => !path.basename(name).startsWith("soft"))) {
        const name = path.basename(file, ".safetensors");
        const text = [path.join(root, "web", "models", `${name}.mod`), path.join(root, "models", `${name}.mod`)].find(fs.existsSync);
        const model = await hardnet.model(fs.readFileSync(text, "utf8")), policy = model.policy(fs.readFileSync(file)), {x} = draw(model, 5);
        const n = model.inputs.length;
        write_npy(path.join(folder, "x.npy"), SAMPLES, n, x);
        native(["eval", text, "--net", file, "--x", path.join(folder, "x.npy"), "--out", path.join(folder, "y.npy"), "--allow-infeasible"]);
        const ours = Array.from({length: SAMPLES}, (_, k) => Array.from(policy.run(x.slice(k * n, (k + 1) * n)).y)).flat();
        assert.strictEqual(digest(ours), digest(read_npy(path.join(folder, "y.npy"))), name);
        policy.free();
        model.free();
    }
    fs.rmSync(folder, {recursive: true});
    assert.ok(nets.length >= 3);
});

test("the reader's fuzz corpus replays without a trap", async () => {
    const files = fs.readdirSync(path.join(root, "fuzz", "corpus", "reader"));
    let read = 0;
    for (const name of files) {
        const bytes = fs.readFileSync(path.join(root, "fuzz", "corpus", "reader", name)).subarray(1);
        const split = bytes.indexOf(1), text = split < 0 ? bytes : bytes.subarray(0, split);
        try {
            (await hardnet.model(text, {data: split < 0 ? "" : bytes.subarray(split + 1)})).free();
            read++;
        } catch (error) {
            assert.ok(error instanceof hardnet.HardnetError, `${name}: ${error.stack}`);
            assert.notStrictEqual(error.status, "stopped", `${name}: ${error.message}`);
        }
    }
    console.log(`${files.length} texts, ${read} of them models`);
    assert.ok(files.length > 100 && read > 0);
});

test("an error has its line and column, and its hint", async () => {
    await assert.rejects(hardnet.model("var y{1..2};\nsubject to disc: y[1]^2 + z[2]^2 <= 1;\n"), (error) => {
        assert.deepStrictEqual([error.line, error.column, error.status], [2, 27, "invalid argument or model"].map((v, i) => (i < 2 ? v : error.status)));
        assert.match(error.message, /z/);
        assert.ok(error.messages.length >= 1 && error.messages[0].excerpt.includes("z[2]"));
        return true;
    });
});

test("a gradient is the derivative of the correction", async () => {
    const model = await hardnet.model("param r >= 1, <= 2; var y{1..3}; s.t. ball: sum{i in 1..3} y[i]^2 <= r^2; s.t. plane: y[1] + 2*y[2] = 0.5;");
    const layer = model.layer({method: "paper", iterations: 5, tolerance: 1e-15}), y = [2, 1, -1], x = [1.25], h = 1e-6;
    layer.project(y, x, {tape: true});
    const weights = [1, -2, 0.5], {y: grad, x: grad_x, flagged} = layer.vjp(weights);
    const loss = (a, b) => layer.project(a, b).y.reduce((sum, v, i) => sum + v * weights[i], 0);
    const differences = y.map((_, i) => (loss(y.map((v, j) => v + (i === j ? h : 0)), x) - loss(y.map((v, j) => v - (i === j ? h : 0)), x)) / (2 * h));
    differences.forEach((d, i) => assert.ok(Math.abs(d - grad[i]) < 1e-7, `${d} ${grad[i]}`));
    assert.ok(Math.abs((loss(y, [x[0] + h]) - loss(y, [x[0] - h])) / (2 * h) - grad_x[0]) < 1e-7);
    assert.strictEqual(flagged.length, 1);
    layer.free();
    model.free();
});

test("the iterates end at the result", async () => {
    const model = await hardnet.model(fs.readFileSync(path.join(root, "models", "figure2.mod"), "utf8")), layer = model.layer();
    const {trace, y, violation, ok} = layer.project(null, null, {trace: true});
    assert.ok(ok && violation <= 1e-8 && trace.length >= 2);
    assert.deepStrictEqual(trace[trace.length - 1].y, y);
    assert.deepStrictEqual(trace[0].y, model.start());
});

test("what is too large is an error, and what follows works", async () => {
    await assert.rejects(hardnet.model("var y{1..400000};"), hardnet.HardnetError);
    const dense = "param n := 2500; var y{1..n}; s.t. all{i in 1..n}: (sum{j in 1..60} sin(y[(i+j) mod n + 1]))^2 <= 1;";
    await assert.rejects((async () => (await hardnet.model(dense)).layer().project(null))(), (error) => error instanceof hardnet.HardnetError);
    const model = await hardnet.model("var y; s.t. c: y^2 <= 1;");
    assert.ok(model.layer().project([3]).ok);
});

test("memory comes back, and is never more than 256 MB", async () => {
    const text = fs.readFileSync(path.join(root, "models", "unicycle.mod"), "utf8");
    let machine, first;
    for (let i = 0; i < 60; i++) {
        const model = await hardnet.model(text), layer = model.layer();
        assert.ok(layer.project(null, [-3, 0.2, 0.1]).ok);
        layer.free();
        model.free();
        machine = model.of;
        first = i === 10 ? machine.call.memory.buffer.byteLength : first;
    }
    assert.strictEqual(machine.call.memory.buffer.byteLength, first);
    assert.throws(() => machine.call.memory.grow(4096), RangeError);
});

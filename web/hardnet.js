/* hardnet.js - hardnet in a page, in a worker and in Node: hard constraints for the outputs of neural networks.
 *
 *     const m = await hardnet.model("var y{1..2}; subject to disc: y[1]^2 + y[2]^2 <= 1;");
 *     const layer = m.layer({method: "auto"});
 *     const r = layer.project([2, 1]);           // r.y, r.outcome, r.violation, r.iterations, ...
 *     layer.free(); m.free();
 *
 * A classic script: it defines one global, `hardnet`, or module.exports where there are modules. The library itself, compiled to
 * WebAssembly, stands at the end of the built file, so that nothing is fetched; hardnet.wasm beside it is the same. Numbers have the same
 * bits as those of the native library. hardnet.d.ts has the types.
 *
 * SPDX-License-Identifier: MIT */
"use strict";

function hardnetLibrary(binary) {
    const FACTS = ["outcome", "iterations", "steps", "violationBefore", "violation", "worst", "moved", "damping", "kkt",
                   "distance", "objective", "slope", "proof", "culprit"];
    const SEVERITIES = ["note", "warning", "error"];
    const utf8 = new TextDecoder(), toUtf8 = new TextEncoder();
    let bytes = binary, compiled = null, current = null;

    /* What went wrong, in one sentence. Of a text: line and column from 1, and all messages of the reader. */
    class HardnetError extends Error {
        constructor(text, facts) {
            super(text);
            this.name = "HardnetError";
            Object.assign(this, {status: "", subject: "", line: 0, column: 0, messages: []}, facts);
        }
    }

    /* ---- the module: an instance, its memory, and how to call it ---- */

    class Machine {
        constructor() {
            this.messages = [];
            this.trace = null;
            this.broken = false;
        }

        async start(module) {
            const imports = {
                hardnet: {
                    hear: (severity, line, column, text, excerpt, caret, hint) => this.messages.push({
                        severity: SEVERITIES[severity], line, column, text: this.text(text),
                        excerpt: this.text(excerpt), caret, hint: this.text(hint)}),
                    watch: (sample, iteration, y, outputs, violation, damping) => {
                        this.trace.push({sample, iteration, y: this.numbers(y, outputs), violation, damping});
                    },
                },
                wasi_snapshot_preview1: {clock_time_get: (...words) => this.tell(words[words.length - 1])},
                env: {emscripten_notify_memory_growth: () => {}},
            };
            this.call = (await WebAssembly.instantiate(module, imports)).exports;
            this.call._initialize();
            this.error = this.call.web_take(this.call.web_error_bytes());
            return this;
        }

        tell(at) { /* nanoseconds, where the clock is asked for */
            new DataView(this.call.memory.buffer).setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
            return 0;
        }

        get doubles() {
            const buffer = this.call.memory.buffer;
            if (!this.view || this.view.buffer !== buffer)
                this.view = new Float64Array(buffer); /* memory that grew is another buffer */
            return this.view;
        }

        numbers(at, count) {
            return at ? this.doubles.slice(at >>> 3, (at >>> 3) + count) : null;
        }

        put(at, numbers) {
            this.doubles.set(numbers, at >>> 3);
        }

        text(at) {
            if (!at)
                return "";
            const memory = new Uint8Array(this.call.memory.buffer);
            return utf8.decode(memory.subarray(at, memory.indexOf(0, at)));
        }

        take(size) {
            const at = this.call.web_take(size);
            if (!at)
                throw new HardnetError("out of memory: a module has 256 MB", {status: "out of memory"});
            return at;
        }

        /* The bytes at an address while `use` runs. */
        lend(content, use) {
            const at = this.take(content.length + 1);
            try {
                new Uint8Array(this.call.memory.buffer).set(content, at);
                return use(at);
            } finally {
                if (!this.broken)
                    this.call.web_give(at);
            }
        }

        /* A call of the module; a trap, which only a bug or a full stack can be, ends the module and nothing else. */
        run(name, ...words) {
            if (this.broken)
                throw new HardnetError("this module has stopped: read the model anew", {status: "stopped"});
            try {
                return this.call[name](...words);
            } catch (trap) {
                this.broken = true;
                throw new HardnetError(`the module has stopped in ${name}: ${trap.message}`, {status: "stopped"});
            }
        }

        fail(messages) {
            const e = this.error;
            return new HardnetError(this.text(this.call.web_error_text(e)), {
                status: this.text(this.call.web_error_status(e)), subject: this.text(this.call.web_error_subject(e)),
                line: this.call.web_error_line(e), column: this.call.web_error_column(e), messages: messages || []});
        }

        check(status) {
            if (status)
                throw this.fail();
        }
    }

    async function machine() {
        if (!compiled)
            compiled = typeof bytes === "function" ? bytes() : Promise.resolve(bytes);
        if (!current || current.broken) {
            let module = await compiled;
            if (!(module instanceof WebAssembly.Module)) {
                compiled = WebAssembly.compile(module);
                module = await compiled;
            }
            if (!current || current.broken)
                current = await new Machine().start(module);
        }
        return current;
    }

    /* ---- arrays of one call, kept for the next one of the same size ---- */

    class Arrays {
        constructor(of, count, sizes) {
            this.of = of;
            this.count = count;
            this.blocks = [];
            this.at = {};
            for (const [name, size] of Object.entries(sizes)) {
                this.at[name] = size ? of.take(size) : 0;
                this.blocks.push(this.at[name]);
            }
        }

        /* struct web_call of shim.c */
        write(words) {
            this.at.call = this.at.call || this.of.take(64);
            new Uint32Array(this.of.call.memory.buffer, this.at.call, words.length).set(words);
            return this.at.call;
        }

        free() {
            for (const block of [...this.blocks, this.at.call])
                if (block && !this.of.broken)
                    this.of.call.web_give(block);
            this.blocks = [];
            this.at = {};
        }
    }

    function checked(numbers, count, what) {
        if (numbers.length !== count)
            throw new HardnetError(`${what}: there are ${numbers.length} numbers, and there must be ${count}`, {status: "invalid argument or model"});
        return numbers;
    }

    function report(of, at, sample) {
        const facts = of.doubles.subarray((at >>> 3) + sample * FACTS.length, (at >>> 3) + (sample + 1) * FACTS.length);
        const out = {};
        FACTS.forEach((name, i) => { out[name] = facts[i]; });
        out.outcome = of.text(of.call.web_outcome_text(facts[0]));
        out.ok = out.outcome === "ok";
        return out;
    }

    /* ---- models ---- */

    class Model {
        constructor(of, handle, messages) {
            Object.assign(this, {of, handle, messages, text: null});
            const c = of.call, list = (count, make) => Array.from({length: count}, (_, i) => make(i));
            this.inputs = list(c.web_model_inputs(handle), (i) => ({name: of.text(c.web_input_name(handle, i)),
                lower: c.web_input_lower(handle, i), upper: c.web_input_upper(handle, i)}));
            this.outputs = list(c.web_model_outputs(handle), (i) => ({name: of.text(c.web_output_name(handle, i)),
                fixed: Boolean(c.web_output_fixed(handle, i))}));
            this.rows = list(c.web_model_rows(handle), (i) => ({name: of.text(c.web_row_name(handle, i))}));
            const objective = c.web_objective_name(handle);
            this.objective = objective ? {name: of.text(objective), maximize: Boolean(c.web_objective_maximize(handle))} : null;
        }

        get alive() {
            if (!this.handle)
                throw new HardnetError("this model was freed", {status: "invalid argument or model"});
            return this.handle;
        }

        get fingerprint() {
            const of = this.of, out = of.take(80);
            of.check(of.run("web_model_fingerprint", this.alive, out, of.error));
            const text = of.text(out);
            of.call.web_give(out);
            return text;
        }

        /* The model as one text in AMPL, all data written out. */
        write() {
            const text = this.of.run("web_model_write", this.alive, this.of.error);
            if (!text)
                throw this.of.fail();
            const out = this.of.text(text);
            this.of.call.web_text_free(text);
            return out;
        }

        /* Names and values of what the model defines (var name = ...). */
        defined(y, x) {
            const of = this.of, count = of.call.web_model_definitions(this.alive);
            const a = new Arrays(of, 1, {x: 8 * this.inputs.length + 8, y: 8 * this.outputs.length + 8, values: 8 * count + 8});
            of.put(a.at.x, checked(x || [], this.inputs.length, "x"));
            of.put(a.at.y, checked(y, this.outputs.length, "y"));
            of.check(of.run("web_model_define", this.handle, 0, count, a.at.x, a.at.y, a.at.values, of.error));
            const values = of.numbers(a.at.values, count), out = {};
            values.forEach((value, i) => { out[of.text(of.call.web_definition_name(this.handle, i))] = value; });
            a.free();
            return out;
        }

        /* c, bl, bu, r and f at count rows of y, all under one x. */
        values(y, x) {
            const of = this.of, n = this.outputs.length, m = this.rows.length, count = Math.max(1, n ? y.length / n : 1);
            if (!this.evaluator) {
                this.evaluator = of.run("web_evaluator_make", this.alive, of.error);
                if (!this.evaluator)
                    throw of.fail();
            }
            if (!this.kept || this.kept.count !== count) {
                if (this.kept)
                    this.kept.free();
                const rows = 8 * m * count + 8;
                this.kept = new Arrays(of, count, {x: 8 * this.inputs.length + 8, y: 8 * n * count + 8, rows, lower: rows, upper: rows,
                    residual: rows, objective: 8 * count, start: 8 * n * count + 8,
                    space: of.call.web_evaluator_workspace(this.evaluator) + 8});
            }
            const at = this.kept.at;
            of.put(at.x, checked(x || [], this.inputs.length, "x"));
            of.put(at.y, checked(y, n * count, "y"));
            const results = this.kept.write([at.rows, at.lower, at.upper, at.residual, at.objective, at.start]);
            of.check(of.run("web_evaluate", this.evaluator, count, at.x, at.y, results, at.space, of.error));
            return {count, rows: of.numbers(at.rows, m * count), lower: of.numbers(at.lower, m * count),
                    upper: of.numbers(at.upper, m * count), residual: of.numbers(at.residual, m * count),
                    objective: of.numbers(at.objective, count), start: of.numbers(at.start, n)};
        }

        /* The model's start values at x. */
        start(x) {
            return this.values(new Float64Array(this.outputs.length), x).start;
        }

        layer(options) {
            return new Layer(this, options || {});
        }

        /* A network and its layer, from the bytes of a file that `hardnet train` wrote for this model. */
        policy(content) {
            return new Policy(this, content);
        }

        free() {
            if (this.kept)
                this.kept.free();
            if (this.handle && !this.of.broken) {
                this.of.call.web_evaluator_free(this.evaluator || 0);
                this.of.call.web_model_free(this.handle);
            }
            this.handle = this.evaluator = this.kept = null;
        }
    }

    /* ---- layers ---- */

    class Layer {
        constructor(model, {method = "auto", iterations = -1, damping = -1, tolerance = 1e-8}) {
            const of = model.of;
            Object.assign(this, {of, inputs: model.inputs.length, outputs: model.outputs.length, rows: model.rows.length, method,
                                certifies: method === "nearest" || method === "optimal"});
            this.handle = of.lend(toUtf8.encode(method), (at) => of.run("web_layer_make", model.alive, at, iterations, damping, tolerance, of.error));
            if (!this.handle)
                throw of.fail();
            this.space = of.take(of.call.web_layer_workspace(this.handle) + 8);
        }

        arrays(count, tape) {
            if (!this.handle)
                throw new HardnetError("this layer was freed", {status: "invalid argument or model"});
            if (this.kept && this.kept.count === count && this.kept.at.tape && tape)
                return this.kept;
            if (this.kept && this.kept.count === count && !tape)
                return this.kept;
            if (this.kept)
                this.kept.free();
            const c = this.of.call, y = 8 * this.outputs * count + 8, x = 8 * this.inputs * count + 8, rows = 8 * this.rows * count + 8;
            this.kept = new Arrays(this.of, count, {x, raw: y, y, facts: 8 * FACTS.length * count, residual: rows, multipliers: this.certifies ? rows : 0,
                reports: c.web_report_bytes() * count, tape: tape ? c.web_layer_tape(this.handle, count) + 8 : 0,
                gradY: y, gradRaw: y, gradX: x, flagged: count + 8});
            return this.kept;
        }

        execute(count, y, x, {trace = false, tape = false, seconds = 0}) {
            const of = this.of, a = this.arrays(count, tape), at = a.at;
            of.put(at.x, checked(x || [], count * this.inputs, "x"));
            if (y)
                of.put(at.raw, checked(y, count * this.outputs, "y"));
            const call = a.write([count, trace ? 1 : 0, at.x, y ? at.raw : 0, at.y, at.facts, at.residual, at.multipliers,
                                  tape ? at.tape : 0, this.space, at.reports]);
            of.trace = [];
            of.check(of.run("web_layer_run", this.handle, call, seconds, of.error));
            this.taped = tape ? count : 0;
            return a;
        }

        /* One output y (null: the model's start values) under the inputs x. trace: every iterate; tape: vjp can follow. */
        project(y, x, options) {
            const of = this.of, {at} = this.execute(1, y, x, options || {}), out = report(of, at.facts, 0);
            out.y = of.numbers(at.y, this.outputs);
            out.residual = of.numbers(at.residual, this.rows);
            out.multipliers = of.numbers(at.multipliers, this.rows);
            if (options && options.trace)
                out.trace = of.trace;
            of.trace = null;
            return out;
        }

        /* Rows of y and x, one sample each. */
        projectAll(count, y, x, options) {
            const of = this.of, {at} = this.execute(count, y, x, options || {});
            return {y: of.numbers(at.y, count * this.outputs), residual: of.numbers(at.residual, count * this.rows),
                    reports: Array.from({length: count}, (_, i) => report(of, at.facts, i))};
        }

        /* After project or projectAll with {tape: true}: the gradient of a loss by y becomes those by the raw output and by x. */
        vjp(gradY) {
            const of = this.of, count = this.taped;
            if (!count)
                throw new HardnetError("vjp: project with {tape: true} comes before", {status: "invalid argument or model"});
            const at = this.kept.at;
            of.put(at.gradY, checked(gradY, count * this.outputs, "gradY"));
            of.check(of.run("web_layer_gradient", this.handle, at.call, at.gradY, at.gradRaw, at.gradX, at.flagged, of.error));
            const flagged = Array.from(new Uint8Array(of.call.memory.buffer, at.flagged, count), Boolean);
            return {y: of.numbers(at.gradRaw, count * this.outputs), x: of.numbers(at.gradX, count * this.inputs), flagged};
        }

        free() {
            if (this.kept)
                this.kept.free();
            if (this.handle && !this.of.broken) {
                this.of.call.web_layer_free(this.handle);
                this.of.call.web_give(this.space);
            }
            this.handle = this.kept = null;
        }
    }

    /* ---- networks ---- */

    class Policy {
        constructor(model, content) {
            const of = model.of;
            Object.assign(this, {of, inputs: model.inputs.length, outputs: model.outputs.length});
            this.handle = of.lend(content, (at) => of.run("web_policy_load", model.alive, at, content.length, of.error));
            if (!this.handle)
                throw of.fail();
            this.candidates = of.call.web_policy_candidates(this.handle);
            this.kept = new Arrays(of, 1, {x: 8 * this.inputs + 8, y: 8 * this.outputs * this.candidates + 8, facts: 8 * FACTS.length,
                reports: of.call.web_report_bytes(), objective: 8});
        }

        /* Inputs to an output that holds the constraints, or says that it does not. */
        run(x) {
            const of = this.of, at = this.kept.at;
            of.put(at.x, checked(x, this.inputs, "x"));
            const call = this.kept.write([1, 0, at.x, 0, at.y, at.facts, 0, 0, 0, 0, at.reports]);
            of.check(of.run("web_policy_run", this.handle, call, at.objective, of.error));
            const out = report(of, at.facts, 0);
            out.y = of.numbers(at.y, this.outputs);
            out.objective = of.doubles[at.objective >>> 3];
            return out;
        }

        /* What the network says before it is corrected: one array for each candidate. */
        raw(x) {
            const of = this.of, at = this.kept.at;
            of.put(at.x, checked(x, this.inputs, "x"));
            of.check(of.run("web_policy_raw", this.handle, 1, at.x, at.y, of.error));
            return Array.from({length: this.candidates}, (_, i) => of.numbers(at.y + 8 * i * this.outputs, this.outputs));
        }

        free() {
            this.kept.free();
            if (this.handle && !this.of.broken)
                this.of.call.web_policy_free(this.handle);
            this.handle = null;
        }
    }

    /* A model from a text in the AMPL modelling language (or its bytes in UTF-8); data: a second text; trusted: up to the
     * reader's own limits, else to those for strangers. Its mistakes are thrown, with line and column. */
    async function model(text, {data = "", relaxIntegrality = false, trusted = false} = {}) {
        const of = await machine(), parts = [text, data].map((part) => (typeof part === "string" ? toUtf8.encode(part) : part));
        const content = new Uint8Array(parts[0].length + parts[1].length), split = parts[1].length ? parts[0].length : 0;
        content.set(parts[0]);
        content.set(parts[1], parts[0].length);
        of.messages = [];
        const handle = of.lend(content, (at) => of.run("web_model_read", at, content.length, split, relaxIntegrality, trusted, of.error));
        const messages = of.messages;
        if (!handle)
            throw of.fail(messages);
        try {
            return new Model(of, handle, messages);
        } catch (error) {
            of.call.web_model_free(handle);
            throw error;
        }
    }

    /* Other bytes than those that came with this file, or a WebAssembly.Module; before the first model. */
    function use(source) {
        bytes = source;
        compiled = current = null;
    }

    /* The compiled module, to be handed to a worker. */
    async function module() {
        await machine();
        return compiled;
    }

    async function version() {
        const of = await machine();
        return of.text(of.call.web_version());
    }

    return {model, use, module, version, HardnetError, methods: ["auto", "paper", "hardnet", "lm", "nearest", "enforce", "snarenet", "optimal"]};
}

function hardnetBytes(text) { /* of base64 */
    const binary = atob(text), out = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++)
        out[i] = binary.charCodeAt(i);
    return out;
}

const hardnet = hardnetLibrary(() => hardnetBytes(hardnetBinary));
if (typeof module === "object" && module.exports)
    module.exports = hardnet;

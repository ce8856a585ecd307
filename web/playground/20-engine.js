/* 20-engine.js - the library in a worker, for models that a visitor types: what takes longer than LIMIT is ended, and the page goes on.
 *
 * The worker is made from a blob, since a page from disk may load no second file. It answers {id, answer} or {id, error}. One question is
 * with it at a time; of those that wait only the last counts. */
"use strict";

function workerMain() { /* runs in the worker, where hardnet has been defined */
    let model = null, layers = {};

    function forget() {
        Object.values(layers).forEach((layer) => layer.free());
        if (model)
            model.free();
        model = null;
        layers = {};
    }

    async function read({text}) {
        const next = await hardnet.model(text);
        forget();
        model = next;
        return {inputs: next.inputs, outputs: next.outputs, rows: next.rows, objective: next.objective, messages: next.messages,
                fingerprint: next.fingerprint};
    }

    function layer(method) {
        layers[method] = layers[method] || model.layer({method});
        return layers[method];
    }

    /* One method from y under x: the result, its way in the two axes, and the time without the watching. */
    function correct(method, y, x, axes, patience) {
        let result;
        try {
            result = layer(method).project(y, x, {trace: true});
        } catch (error) {
            return {method, refused: error.message};
        }
        const way = result.trace.map((step) => [step.y[axes[0]], step.y[axes[1]]]);
        const violations = result.trace.map((step) => step.violation);
        if (result.trace.length === 0 || method === "nearest") { /* what follows auto's steps is one jump */
            way.push([result.y[axes[0]], result.y[axes[1]]]);
            violations.push(result.violation);
        }
        delete result.trace;
        const begun = performance.now();
        let runs = 0;
        do {
            layer(method).project(y, x);
            runs++;
        } while (performance.now() - begun < patience && runs < 50);
        return {method, ...result, way, violations, seconds: (performance.now() - begun) / runs / 1e3};
    }

    function run({y, x, methods, axes, patience}) {
        const raw = y || Array.from(model.start(x));
        return {y: raw, x, results: methods.map((method) => correct(method, raw, x, axes, patience))};
    }

    /* Over a grid of two outputs, the others held: the worst inequality (above 0: broken), and the first equalities
     * and inequalities each by itself. */
    function field({y, x, axes, view, columns, rows}) {
        const n = model.outputs.length, points = new Float64Array(columns * n), at = model.values(Float64Array.from(y), x);
        const equal = [], unequal = [];
        for (let r = 0; r < model.rows.length; r++)
            (at.lower[r] === at.upper[r] ? equal : unequal).push(r);
        const empty = () => new Float32Array(columns * rows), shown = equal.slice(0, 8), outer = unequal.slice(0, 8);
        const worst = empty(), curves = shown.map(empty), outlines = outer.map(empty);
        for (let j = 0; j < rows; j++) {
            for (let i = 0; i < columns; i++) {
                points.set(y, i * n);
                points[i * n + axes[0]] = view.left + (view.right - view.left) * i / (columns - 1);
                points[i * n + axes[1]] = view.bottom + (view.top - view.bottom) * j / (rows - 1);
            }
            const {rows: c, lower, upper} = model.values(points, x), m = model.rows.length;
            for (let i = 0; i < columns; i++) {
                let most = -Infinity;
                unequal.forEach((r, k) => {
                    const over = Math.max(c[i * m + r] - upper[i * m + r], lower[i * m + r] - c[i * m + r]);
                    most = Math.max(most, over);
                    if (k < outer.length)
                        outlines[k][j * columns + i] = over;
                });
                worst[j * columns + i] = Number.isNaN(most) ? 1e30 : most;
                shown.forEach((r, k) => { curves[k][j * columns + i] = c[i * m + r] - lower[i * m + r]; });
            }
        }
        return {columns, rows, view, worst, curves, outlines, equalities: equal.length, inequalities: unequal.length, start: at.start};
    }

    const answers = {read, run, field};
    self.onmessage = async ({data}) => {
        if (data.module) {
            hardnet.use(data.module);
            return;
        }
        try {
            self.postMessage({id: data.id, answer: await answers[data.question](data)});
        } catch (error) {
            self.postMessage({id: data.id, error: {text: error.message, line: error.line || 0, column: error.column || 0, messages: error.messages || [],
                                                   status: error.status || ""}});
        }
    };
}

class Engine {
    constructor(limit) {
        this.limit = limit;
        this.next = 1;
        this.waiting = new Map();
    }

    async start() {
        const source = `"use strict";\n${hardnetLibrary}\nconst hardnet = hardnetLibrary(null);\n(${workerMain})();`;
        const address = URL.createObjectURL(new Blob([source], {type: "text/javascript"}));
        this.worker = new Worker(address);
        this.worker.onmessage = ({data}) => this.heard(data);
        this.worker.postMessage({module: await hardnet.module()});
    }

    heard({id, answer, error}) {
        const one = this.waiting.get(id);
        if (!one)
            return;
        this.waiting.delete(id);
        clearTimeout(one.timer);
        if (error)
            one.fail(Object.assign(new Error(error.text), error));
        else
            one.done(answer);
    }

    stop() {
        this.worker.terminate();
        this.starting = null;
        for (const one of this.waiting.values()) {
            clearTimeout(one.timer);
            one.fail(Object.assign(new Error(`stopped after ${this.limit / 1000} s: this model takes too long here`), {stopped: true, line: 0, messages: []}));
        }
        this.waiting.clear();
    }

    async ask(question, content) {
        this.starting = this.starting || this.start();
        await this.starting;
        return new Promise((done, fail) => {
            const id = this.next++;
            this.waiting.set(id, {done, fail, timer: setTimeout(() => this.stop(), this.limit)});
            this.worker.postMessage({id, question, ...content});
        });
    }
}

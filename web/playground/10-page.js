/* 10-page.js - what every tab stands on: elements, colours, crisp canvases, numbers as text, the state that a link carries. */
"use strict";

const page = {
    tabs: {}, /* name: {show, hide, save, restore, draw} */
    current: "constraints",
};

function by(id) {
    return document.getElementById(id);
}

function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
        if (name === "on")
            for (const [event, handler] of Object.entries(value))
                element.addEventListener(event, handler);
        else if (name === "style")
            for (const [property, text] of Object.entries(value))
                element.style.setProperty(property, text);
        else
            element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
}

/* ---- numbers ---- */

function short(value, digits = 3) {
    if (!Number.isFinite(value))
        return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
    if (value === 0)
        return "0";
    const size = Math.abs(value);
    const text = size >= 1e5 || size < 1e-3 ? value.toExponential(1) : value.toPrecision(digits);
    return text.replace("-", "−").replace("e−", "e−").replace("e+", "e");
}

function microseconds(seconds) {
    const us = seconds * 1e6;
    return us >= 9999 ? `${(us / 1000).toFixed(0)} ms` : us >= 1000 ? `${(us / 1000).toFixed(1)} ms` : `${us.toFixed(us < 10 ? 1 : 0)} µs`;
}

/* ---- colours: those of the style sheet, read again when the theme changes ---- */

const colours = {
    read() {
        const style = getComputedStyle(document.documentElement);
        for (const name of ["paper", "card", "ink", "soft", "faint", "line", "hair", "accent", "fill", "edge", "curve", "raw", "auto", "nearest", "lm",
                            "hardnet", "good", "bad", "bad-fill", "obstacle", "obstacle-edge", "wire"])
            this[name] = style.getPropertyValue(`--${name}`).trim();
        this.methods = {auto: this.auto, nearest: this.nearest, lm: this.lm, hardnet: this.hardnet,
                        paper: style.getPropertyValue("--paper-method").trim()};
        this.sans = style.getPropertyValue("--sans").trim();
    },
};

function set_theme(name) {
    document.documentElement.dataset.theme = name;
    colours.read();
    for (const tab of Object.values(page.tabs))
        tab.draw();
}

/* ---- a canvas whose unit is a CSS pixel, sharp on every screen ---- */

function prepare(canvas) {
    const box = canvas.getBoundingClientRect(), ratio = Math.max(1, window.devicePixelRatio || 1);
    const wide = Math.round(box.width * ratio), high = Math.round(box.height * ratio);
    if (canvas.width !== wide || canvas.height !== high) {
        canvas.width = wide;
        canvas.height = high;
    }
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, box.width, box.height);
    pen.lineJoin = pen.lineCap = "round";
    return {pen, width: box.width, height: box.height};
}

/* A world of x and y in a box of pixels. */
function mapping({left, right, bottom, top}, width, height) {
    const sx = width / (right - left), sy = height / (top - bottom);
    return {
        x: (value) => (value - left) * sx, y: (value) => height - (value - bottom) * sy, scale: sx,
        back: (px, py) => [left + px / sx, bottom + (height - py) / sy],
    };
}

function line(pen, points, colour, width, dash) {
    if (points.length < 2)
        return;
    pen.beginPath();
    points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.setLineDash(dash || []);
    pen.stroke();
    pen.setLineDash([]);
}

function dot(pen, x, y, radius, fill, stroke, width) {
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    if (fill) {
        pen.fillStyle = fill;
        pen.fill();
    }
    if (stroke) {
        pen.strokeStyle = stroke;
        pen.lineWidth = width || 1.5;
        pen.stroke();
    }
}

/* Steps of 1, 2 or 5 times a power of ten. */
function nice_step(range, count) {
    const raw = range / count, power = 10 ** Math.floor(Math.log10(raw)), share = raw / power;
    return power * (share > 5 ? 10 : share > 2 ? 5 : share > 1 ? 2 : 1);
}

/* A number on an axis, with as many digits as its step needs. */
function tick(value, step) {
    return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9))).replace(/^-(0\.?0*)$/, "$1").replace("-", "−");
}

function label(pen, text, x, y, colour, align = "left", size = 11) {
    pen.font = `${size}px ${colours.sans}`;
    pen.textAlign = align;
    pen.textBaseline = "middle";
    pen.fillStyle = colour;
    pen.fillText(text, x, y);
}

/* ---- pieces of the page ---- */

function slider(name, {min, max, value, step}, changed, text = short) {
    const output = make("output", {}, text(value));
    const input = make("input", {type: "range", min, max, step: step || (max - min) / 200, value, "aria-label": name, on: {
        input: () => {
            output.textContent = text(Number(input.value));
            changed(Number(input.value));
        },
    }});
    const element = make("label", {class: "slider"}, make("span", {}, name), input, output);
    element.set = (next) => {
        input.value = next;
        output.textContent = text(Number(next));
    };
    return element;
}

function toast(text) {
    const box = by("toast");
    box.textContent = text;
    box.classList.add("shown");
    clearTimeout(toast.timer);
    toast.timer = setTimeout(() => box.classList.remove("shown"), 1800);
}

async function copy(text, what) {
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        const area = make("textarea", {style: {position: "fixed", left: "-99px"}});
        area.value = text;
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
    }
    page.copied = text;
    toast(`${what} copied`);
}

/* ---- links: the whole state as text after the # ---- */

function encode(state) {
    const bytes = new TextEncoder().encode(JSON.stringify(state));
    return btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function decode(text) {
    try {
        return JSON.parse(new TextDecoder().decode(hardnetBytes(text.replace(/-/g, "+").replace(/_/g, "/"))));
    } catch {
        return null;
    }
}

function round(value) {
    return Number(value.toPrecision(12));
}

/* shipped.js - the model files that ship, as texts without further files, and the native command beside the module. */
"use strict";
const {execFileSync} = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const root = path.join(__dirname, "..", "..");
const command = path.join(root, "build", "hardnet");

function under(folder, ending) {
    return fs.readdirSync(folder, {withFileTypes: true}).sort((a, b) => (a.name < b.name ? -1 : 1)).flatMap((entry) => {
        const at = path.join(folder, entry.name);
        return entry.isDirectory() ? under(at, ending) : at.endsWith(ending) ? [at] : [];
    });
}

/* A page opens no files: a `data FILE;` is replaced by what stands in it. */
function whole(file) {
    return fs.readFileSync(file, "utf8").replace(/^\s*data\s+"?([\w.]+)"?;/gm,
        (_, name) => `data;\n${fs.readFileSync(path.join(path.dirname(file), name), "utf8")}\n`);
}

function write_npy(file, rows, columns, numbers) {
    const text = `{'descr': '<f8', 'fortran_order': False, 'shape': (${rows}, ${columns}), }`;
    const header = text.padEnd(64 * Math.ceil((text.length + 11) / 64) - 11) + "\n";
    const start = Buffer.from(`\x93NUMPY\x01\x00${String.fromCharCode(header.length & 255, header.length >> 8)}${header}`, "latin1");
    const values = Float64Array.from(numbers);
    fs.writeFileSync(file, Buffer.concat([start, Buffer.from(values.buffer)]));
}

function read_npy(file) {
    const bytes = fs.readFileSync(file), start = 10 + bytes.readUInt16LE(8);
    return new Float64Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + bytes.length));
}

/* What the native command makes of the same samples. */
function native(words) {
    return execFileSync(command, words, {cwd: root, stdio: ["ignore", "pipe", "pipe"]}).toString();
}

function scratch() {
    return fs.mkdtempSync(path.join(os.tmpdir(), "hardnet-web-"));
}

/* Numbers in [0, 1), the same in every run. */
function dice(seed) {
    let state = BigInt(seed) * 2862933555777941757n + 3037000493n;
    return () => {
        state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
        return Number(state >> 11n) / 2 ** 53;
    };
}

module.exports = {root, under, whole, write_npy, read_npy, native, scratch, dice};

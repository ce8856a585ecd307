/* 38-code.js - "copy as": a program in C, a script in Python or a model in AMPL that computes what the page shows. */
"use strict";

function c_number(value) {
    const text = String(value);
    return /[.e]/.test(text) ? text : `${text}.0`;
}

function code_c({model, text, x, y, method}) {
    const quoted = text.split("\n").map((part) => `    ${JSON.stringify(`${part}\n`).replace(/\?\?/g, "?\\?")}`).join("\n");
    const array = (name, numbers) => `static const double ${name}[] = {${(numbers.length ? numbers : [0]).map(c_number).join(", ")}};`;
    return `/* Corrects one output onto the constraints of a model. cc demo.c $(pkg-config --cflags --libs hardnet) -o demo */
#include <hardnet/hardnet.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
${quoted};

${array("x", x)}
${array("raw", y)}
enum { OUTPUTS = ${model.outputs.length} };

int main(void) {
    hn_text texts[] = {{"demo.mod", text, strlen(text)}};
    hn_model *model;
    hn_layer *layer;
    hn_error error;
    hn_report report;
    double y[OUTPUTS];
    hn_layer_options options = hn_layer_defaults();
    options.method = HN_METHOD_${method.toUpperCase()};
    if (hn_model_read_memory(&model, 1, texts, NULL, &error) || hn_layer_create(&layer, model, &options, &error)) {
        puts(error.text);
        return 1;
    }
    size_t bytes = hn_layer_workspace_bytes(layer);
    void *workspace = malloc(bytes);
    hn_batch batch = {.size = sizeof batch, .count = 1, .x = x, .y_raw = raw, .y = y, .report_size = sizeof report, .reports = &report};
    if (!workspace || hn_layer_run(layer, &batch, workspace, bytes, &error))
        return 1;
    printf("%s, violation %g, %d steps\\n", hn_outcome_text(report.outcome), report.violation, report.iterations);
    for (size_t i = 0; i < OUTPUTS; i++)
        printf("%s = %.17g\\n", hn_model_output(model, i).name, y[i]);
    free(workspace);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
    return 0;
}
`;
}

function code_python({text, x, y, method}) {
    const literal = text.includes('"""') || text.includes("\\") ? JSON.stringify(text) : `"""\n${text}"""`;
    return `# Corrects one output onto the constraints of a model. Install: pip install . in a clone of hardnet
import hardnet

m = hardnet.Model.from_text(${literal})
layer = m.layer(method="${method}")
result = layer([[${y.join(", ")}]], [[${x.join(", ")}]])
print(result.outcome[0], "violation", result.violation[0], "steps", result.iterations[0])
print(result.y[0].tolist())
`;
}

/* "z[1,2]" becomes {family: "z", index: "1 2"} */
function split_name(name) {
    const found = /^([^[]+)\[(.*)\]$/.exec(name);
    return found ? {family: found[1], index: found[2].split(",").map((part) => part.trim()).join(" ")} : {family: name, index: ""};
}

/* The model with its inputs given; without an objective it asks for the point nearest to the raw output. */
function code_ampl({model, text, x, y}) {
    const families = new Map();
    model.inputs.forEach(({name}, i) => {
        const {family, index} = split_name(name);
        families.set(family, `${families.get(family) || ""}${index ? `  ${index} ${x[i]}` : ` ${x[i]}`}`);
    });
    const aim = model.objective ? "" : `model;\nminimize distance: ${model.outputs.map(({name, fixed}, i) => (fixed ? "" : `(${name} - (${y[i]}))^2`)).filter(Boolean).join(" + ")};\n`;
    const given = [...families].map(([name, values]) => `param ${name} :=${values};\n`).join("");
    return `${text.replace(/\n*$/, "\n")}\n# What the page had. hardnet project demo.mod --method optimal\n${aim}${given ? `data;\n${given}` : ""}`;
}

/* rollout_files.c - the files of `hardnet rollout`: JSON, a line of CSV for every step, and the states. See rollout.h.
 *
 * Non-finite numbers, and what was not requested, are null in JSON and empty in CSV.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "common/csv.h"
#include "common/json_writer.h"
#include "reference/reference.h"
#include "rollout/rollout.h"

#include <math.h>
#include <string.h>

/* ---- JSON ---- */

static const char *worst_row(const struct rollout *r, const struct rollout_step *step) {
    return step->worst < SIZE_MAX ? hn_model_row(r->model, step->worst).name : NULL;
}

static void write_state(struct json *json, const char *key, const struct rollout *r, const double *x) {
    json_list(json, key);
    for (size_t i = 0; i < r->inputs; i++)
        json_number(json, NULL, x[i]);
    json_end_list(json);
}

static void write_step(struct json *json, const struct rollout *r, const struct controller *c, size_t start, size_t k) {
    const struct rollout_step *step = &c->steps[start * r->steps + k];
    json_object(json, NULL);
    json_text(json, "status", step->status);
    write_state(json, "x", r, rollout_state(r, c, start, k));
    json_number(json, "cost", step->cost);
    json_number(json, "margin", step->margin);
    json_number(json, "violation", step->violation);
    json_text(json, "worst", worst_row(r, step));
    json_number(json, "seconds", step->seconds);
    json_end_object(json);
}

static void write_total(struct json *json, const struct rollout *r, const struct rollout_total *total) {
    json_number(json, "cost", total->cost);
    json_number(json, "final_cost", r->formulas.has_final ? total->final_cost : (double)NAN);
    json_number(json, "margin", total->margin);
    json_number(json, "violation", total->violation);
    json_count(json, "ok", total->ok);
    json_object(json, "outside");
    json_count(json, "states", total->outside.beyond);
    json_number(json, "farthest", total->outside.farthest);
    json_number(json, "share", total->outside.share);
    json_text(json, "input", total->outside.beyond > 0 ? hn_model_input(r->model, total->outside.input).name : NULL);
    json_end_object(json);
}

static void write_loop(struct json *json, const struct rollout *r, const struct controller *c, size_t start) {
    json_object(json, NULL);
    write_total(json, r, &c->totals[start]);
    json_list(json, "steps");
    for (size_t k = 0; k < r->steps; k++)
        write_step(json, r, c, start, k);
    json_end_list(json);
    write_state(json, "reached", r, rollout_state(r, c, start, r->steps));
    json_end_object(json);
}

static void write_controller(struct json *json, const struct rollout *r, const struct controller *c) {
    json_object(json, NULL);
    json_text(json, "name", c->name);
    json_text(json, "net", c->file);
    json_text(json, "reference", c->file ? NULL : judging_solver(&r->options->judging));
    write_total(json, r, &c->total);
    json_number(json, "highest_cost", c->total.highest);
    json_count(json, "loops_outside", c->total.loops_outside);
    json_count(json, "steps", c->total.steps);
    json_object(json, "seconds_per_step");
    json_number(json, "median", c->seconds);
    json_number(json, "max", c->slowest);
    json_end_object(json);
    json_list(json, "starts");
    for (size_t start = 0; start < r->starts; start++)
        write_loop(json, r, c, start);
    json_end_list(json);
    json_end_object(json);
}

static void write_list(struct json *json, const char *key, const struct text_list *list) {
    json_list(json, key);
    for (size_t i = 0; i < list->count; i++)
        json_text(json, NULL, list->items[i]);
    json_end_list(json);
}

static void write_question(struct json *json, const struct rollout *r) {
    const struct rollout_options *o = r->options;
    write_list(json, "files", &o->files);
    json_count(json, "steps", r->steps);
    json_text(json, "x0", o->x0);
    write_list(json, "feedback", &o->feedback);
    json_text(json, "plant", o->plant);
    json_text(json, "disturbance", o->disturbance);
    json_count(json, "seed", o->judging.seed);
    json_text(json, "cost", o->cost);
    json_text(json, "final_cost", o->final_cost);
    json_text(json, "margin", o->margin);
    json_list(json, "inputs");
    for (size_t i = 0; i < r->inputs; i++)
        json_text(json, NULL, hn_model_input(r->model, i).name);
    json_end_list(json);
}

static void write_verdict(struct json *json, const struct rollout_verdict *verdict) {
    json_object(json, "closed_loop");
    json_number(json, "excess", verdict->mean);
    json_number(json, "worst_excess", verdict->worst);
    json_count(json, "worst_start", verdict->worst_start);
    json_count(json, "near", verdict->near);
    json_count(json, "diverged", verdict->diverged);
    json_end_object(json);
}

hn_status rollout_write_json(const struct rollout *r, const char *path, hn_error *error) {
    struct json json = {.depth = 0};
    json_object(&json, NULL);
    json_count(&json, "version", 1);
    json_text(&json, "verb", r->verdict ? "eval" : "rollout");
    write_question(&json, r);
    json_list(&json, "controllers");
    for (size_t i = 0; i < r->count; i++)
        write_controller(&json, r, &r->controllers[i]);
    json_end_list(&json);
    if (r->verdict)
        write_verdict(&json, r->verdict);
    json_end_object(&json);
    hn_status status = text_write(&json.text, path, error);
    text_release(&json.text);
    return status;
}

/* ---- CSV ---- */

static void put_optional(struct text *text, double value) {
    if (isfinite(value))
        csv_number(text, value);
    else
        text_print(text, ",");
}

static void put_place(struct text *text, const struct rollout *r, const struct controller *c, size_t start, size_t k) {
    csv_first(text, c->name);
    text_print(text, ",%zu,%zu", start, k);
    for (size_t i = 0; i < r->inputs; i++)
        put_optional(text, rollout_state(r, c, start, k)[i]);
}

/* After its steps a loop has a line with the reached state and the final cost, so that the lines sum to the loop's
 * cost. */
static void put_loop(struct text *text, const struct rollout *r, const struct controller *c, size_t start) {
    for (size_t k = 0; k < r->steps; k++) {
        const struct rollout_step *step = &c->steps[start * r->steps + k];
        put_place(text, r, c, start, k);
        put_optional(text, step->cost);
        put_optional(text, step->margin);
        put_optional(text, step->violation);
        csv_text(text, step->status);
        put_optional(text, step->seconds);
        for (size_t i = 0; i < r->shown.count; i++)
            put_optional(text, c->shown[(start * r->steps + k) * r->shown.count + i]);
        text_print(text, "\n");
    }
    put_place(text, r, c, start, r->steps);
    put_optional(text, r->formulas.has_final ? c->totals[start].final_cost : (double)NAN);
    text_print(text, ",,,,");
    for (size_t i = 0; i < r->shown.count; i++)
        text_print(text, ",");
    text_print(text, "\n");
}

hn_status rollout_write_csv(const struct rollout *r, const char *path, hn_error *error) {
    struct text text = {.bytes = NULL};
    text_print(&text, "controller,start,step");
    for (size_t i = 0; i < r->inputs; i++)
        csv_text(&text, hn_model_input(r->model, i).name);
    text_print(&text, ",cost,margin,violation,status,seconds");
    for (size_t i = 0; i < r->shown.count; i++)
        csv_text(&text, r->shown.names[i]);
    text_print(&text, "\n");
    for (size_t i = 0; i < r->count; i++)
        for (size_t start = 0; start < r->starts; start++)
            put_loop(&text, r, &r->controllers[i], start);
    hn_status status = text_write(&text, path, error);
    text_release(&text);
    return status;
}

/* ---- states ---- */

hn_status rollout_write_states(const struct rollout *r, const char *path, hn_error *error) {
    size_t rows = r->starts * (r->steps + 1), count = rows * r->inputs;
    double *all = eval_take(r->count, count, sizeof *all);
    if (!all)
        return error_no_memory(error, "the states");
    for (size_t i = 0; i < r->count; i++)
        memcpy(all + i * count, r->controllers[i].path, count * sizeof *all);
    hn_status status = hn_array_write(path, r->count * rows, r->inputs, all, error);
    base_release(all);
    return status;
}

/* emission_rounding.c - the rows of a float file as a list of steps with rounding bounds, run by rounding_bound.h.
 *
 * Only instructions that rows and bounds depend on are kept. Sums and fused instructions become steps of one operator,
 * in the same order: the values are those of entry_evaluate. Numbers are renumbered; 0 and 1 are scratch.
 *
 * SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "codegen/emit/emission.h"

enum { STEP_SCALE = CODE_COUNT, SCRATCH = 2 }; /* coefficient times value */

/* ---- steps ---- */

static bool add_step(struct emission_rounding *r, uint32_t code, uint32_t to, uint32_t a, uint32_t b, uint32_t c) {
    struct rounding_step *steps = array_grow(r->steps, &r->capacity, r->count + 1, sizeof *steps);
    if (!steps)
        return false;
    r->steps = steps;
    steps[r->count++] = (struct rounding_step){code, to, a, b, c};
    return true;
}

/* The number of a slot in the list; assigned on first use. */
static uint32_t number_of(struct emission_rounding *r, uint32_t slot) {
    if (!r->number[slot])
        r->number[slot] = SCRATCH + ++r->numbers; /* 1 + the number */
    return r->number[slot] - 1;
}

/* Slots that an instruction reads. */
static size_t count_read(const struct instruction *at) {
    if (at->code == CODE_DOT)
        return 2 * (size_t)at->b;
    return at->code == CODE_LINEAR ? at->b : (size_t)instruction_arguments(at->code);
}

static uint32_t slot_read(const struct plan *p, const struct instruction *at, size_t k) {
    if (at->code == CODE_DOT)
        return plan_words(p, p->program.pairs)[2 * (size_t)at->a + k];
    if (at->code == CODE_LINEAR)
        return plan_words(p, p->program.columns)[at->c + k];
    return k == 0 ? at->a : k == 1 ? at->b : at->c;
}

static bool is_live(const bool *live, const struct instruction *at) {
    return live[at->destination] || (at->code == CODE_SINCOS && live[at->c]);
}

/* Backward pass: marks the instructions and slots that rows and bounds depend on. */
static void find_live(const struct plan *p, bool *live, bool *kept) {
    const struct plan_list rows[] = {p->value, p->lower, p->upper};
    for (int list = 0; list < 3; list++)
        for (uint32_t i = 0; i < rows[list].count; i++)
            live[plan_words(p, rows[list])[i]] = true;
    for (uint32_t i = p->program.first[2]; i-- > 0;) {
        const struct instruction *at = plan_code(p) + i;
        kept[i] = is_live(live, at);
        if (!kept[i])
            continue;
        live[at->destination] = false;
        if (at->code == CODE_SINCOS)
            live[at->c] = false;
        for (size_t k = 0; k < count_read(at); k++)
            live[slot_read(p, at, k)] = true;
    }
}

/* The sum of products, in order: scratch 0 is a product, scratch 1 the partial sum. */
static bool add_sum(struct emission_rounding *r, const struct plan *p, const struct instruction *at) {
    bool done = true, dot = at->code == CODE_DOT;
    for (uint32_t k = 0; k < at->b; k++) {
        uint32_t right = number_of(r, slot_read(p, at, dot ? 2 * (size_t)k + 1 : k));
        uint32_t left = dot ? number_of(r, slot_read(p, at, 2 * (size_t)k)) : at->a + k;
        uint32_t sum = k + 1 == at->b ? number_of(r, at->destination) : 1;
        done = done && add_step(r, dot ? OP_MUL : STEP_SCALE, k == 0 ? sum : 0, left, right, 0);
        done = done && (k == 0 || add_step(r, OP_ADD, sum, 1, 0, 0));
    }
    return done;
}

static bool add_fused(struct emission_rounding *r, uint32_t code, uint32_t to, const uint32_t from[MOST_ARGUMENTS]) {
    uint32_t second = code == CODE_MUL_ADD ? OP_ADD : code == CODE_MUL_MUL ? OP_MUL : OP_SUB;
    bool turned = code == CODE_SUB_MUL;
    return add_step(r, OP_MUL, 0, from[0], from[1], 0) &&
           add_step(r, second, to, turned ? from[2] : 0, turned ? 0 : from[2], 0);
}

/* The result that overwrites the argument comes last. */
static bool add_sincos(struct emission_rounding *r, uint32_t sine, uint32_t cosine, uint32_t from) {
    bool first = sine != from;
    return add_step(r, first ? OP_SIN : OP_COS, first ? sine : cosine, from, 0, 0) &&
           add_step(r, first ? OP_COS : OP_SIN, first ? cosine : sine, from, 0, 0);
}

static bool add_instruction(struct emission_rounding *r, const struct plan *p, const struct instruction *at) {
    uint32_t from[MOST_ARGUMENTS] = {0, 0, 0};
    if (at->code == CODE_DOT || at->code == CODE_LINEAR)
        return add_sum(r, p, at);
    for (size_t k = 0; k < count_read(at); k++)
        from[k] = number_of(r, slot_read(p, at, k));
    uint32_t to = number_of(r, at->destination);
    if (at->code == CODE_SINCOS)
        return add_sincos(r, to, number_of(r, at->c), from[0]);
    if (at->code > CODE_FIRST)
        return add_fused(r, at->code, to, from);
    return add_step(r, at->code, to, from[0], from[1], from[2]);
}

static bool find_steps(struct emission_rounding *r, const struct plan *p) {
    uint32_t count = p->program.first[2];
    bool *kept = buffers_take(&r->lists, count, sizeof *kept);
    r->leaf = buffers_take(&r->lists, p->slots, sizeof *r->leaf);
    r->number = buffers_take(&r->lists, p->slots, sizeof *r->number);
    bool done = !r->lists.failed;
    if (done)
        find_live(p, r->leaf, kept);
    for (uint32_t i = 0; i < count && done; i++)
        done = !kept[i] || add_instruction(r, p, plan_code(p) + i);
    for (uint32_t i = 0; i < p->rows && done; i++) { /* rows that are outputs, constant bounds */
        number_of(r, plan_words(p, p->value)[i]);
        number_of(r, plan_words(p, p->lower)[i]);
        number_of(r, plan_words(p, p->upper)[i]);
    }
    return done;
}

hn_status emission_find_rounding(struct emission *e, hn_error *error) {
    enum { MOST = 65535 };
    if (!e->options.single)
        return HN_OK;
    if (!find_steps(&e->rounding, e->plan))
        return error_no_memory(error, "emitted files");
    if (e->rounding.numbers + SCRATCH > MOST || e->plan->program.coefficients.count > MOST)
        return error_set(error, HN_LIMIT, "the rows depend on %u numbers; at most %d are possible in float",
                         e->rounding.numbers, MOST);
    return HN_OK;
}

void emission_release_rounding(struct emission *e) {
    base_release(e->rounding.steps);
    buffers_release(&e->rounding.lists);
}

size_t emission_rounding_numbers(const struct emission *e) {
    return (size_t)e->rounding.numbers + SCRATCH;
}

size_t emission_rounding_leaves(const struct emission *e) {
    size_t count = 0;
    for (uint32_t slot = 0; e->rounding.number && slot < e->plan->slots; slot++)
        count += e->rounding.number[slot] && e->rounding.leaf[slot];
    return count;
}

size_t emission_rounding_bytes(const struct emission *e) {
    size_t steps = (e->rounding.count + (size_t)1) * 5 * sizeof(uint16_t);
    size_t rows = (e->plan->rows + (size_t)1) * 3 * sizeof(uint16_t);
    size_t leaves = emission_rounding_leaves(e) * (2 * sizeof(uint32_t) + sizeof(float));
    return e->rounding.number ? steps + rows + leaves + 2 * sizeof(float) * (e->plan->program.coefficients.count + 1)
                              : 0;
}

/* ---- text ---- */

static double float_error(double value) {
    double error = isfinite(value) ? fabs(value - (double)(float)value) : 0;
    return error * (1 + 0x1p-20); /* the bound itself is rounded to float */
}

static void print_cases(const struct emission_rounding *r, struct text *out) {
    bool used[STEP_SCALE + 1] = {false};
    for (size_t i = 0; i < r->count; i++)
        used[r->steps[i].code] = true;
    text_add(out, "\nstatic real rounding_value(uint32_t code, real a, real b, real c) {\n    real v = REAL_NAN;\n"
                  "    (void)a;\n    (void)b;\n    (void)c;\n    switch (code) {\n");
    for (uint32_t code = OP_ADD; code < OP_COUNT; code++)
        if (used[code])
            text_add(out, "    case %uu:\n        v = %s;\n        break;\n", code,
                     function_shape((enum function)code).meaning);
    text_add(out, "    default:\n        break;\n    }\n    return v;\n}\n");
    text_add(out,
             "\nstatic real rounding_error(uint32_t code, real v, rounded_number a, rounded_number b, rounded_number "
             "c) {\n    real e = REAL_INFINITY;\n    (void)v;\n    (void)a;\n    (void)b;\n    (void)c;\n"
             "    switch (code) {\n");
    for (uint32_t code = OP_ADD; code < OP_COUNT; code++)
        if (used[code])
            text_add(out, "    case %uu: /* %s */\n        e = rounding_%s(%s);\n        break;\n", code,
                     operator_text((enum op)code), operator_traits_of((enum op)code)->rounding,
                     operator_arguments((enum op)code) == 3 ? "a, b, c" : "v, a, b");
    text_add(out, "    default:\n        break;\n    }\n    return e;\n}\n");
}

static void print_steps(const struct emission *e, struct text *out) {
    const struct emission_rounding *r = &e->rounding;
    text_add(out, "\n/* Of each: the operator, where its value goes, its arguments. */\n"
                  "static const uint16_t rounding_steps[][5] = {\n");
    for (size_t i = 0; i < r->count; i++)
        text_add(out, "    {%u, %u, %u, %u, %u},\n", r->steps[i].code, r->steps[i].to, r->steps[i].a, r->steps[i].b,
                 r->steps[i].c);
    text_add(out,
             "    {0, 0, 0, 0, 0},\n};\n\n/* Slots that these begin with, where their numbers go, and how far they "
             "are from what the model says. */\nstatic const struct rounding_leaf rounding_leaves[] = {\n");
    const struct plan *p = e->plan;
    const double *numbers = plan_numbers(p, p->program.constants);
    for (uint32_t slot = 0; slot < p->slots; slot++)
        if (r->number[slot] && r->leaf[slot]) {
            double error = slot < p->program.constants.count ? float_error(numbers[slot]) : 0;
            text_add(out, "    {%u, %u, %af},\n", slot, r->number[slot] - 1, (double)(float)error);
        }
    text_add(out, "};\n\n/* Coefficients, and how far they are from what the model says. */\n"
                  "static const real rounding_numbers[][2] = {\n");
    const double *coefficients = plan_numbers(p, p->program.coefficients);
    for (uint32_t i = 0; i < p->program.coefficients.count; i++) {
        text_add(out, "    {");
        emission_number(e, out, coefficients[i]);
        text_add(out, ", %af},\n", (double)(float)float_error(coefficients[i]));
    }
    text_add(out, "    {0, 0},\n};\n\n/* Of each row: c, its lower and its upper bound. */\n"
                  "static const uint16_t rounding_rows[][3] = {\n");
    for (uint32_t i = 0; i < p->rows; i++)
        text_add(out, "    {%u, %u, %u},\n", r->number[plan_words(p, p->value)[i]] - 1,
                 r->number[plan_words(p, p->lower)[i]] - 1, r->number[plan_words(p, p->upper)[i]] - 1);
    text_add(out, "    {0, 0, 0},\n};\nenum { ROUNDING_STEPS = %zu, ROUNDING_ROWS = %u, ROUNDING_SCALE = %d };\n",
             r->count, p->rows, STEP_SCALE);
}

void emission_print_rounding(const struct emission *e, struct text *out) {
    text_add(out, "#include \"core/rounding_bound.h\"\n");
    print_cases(&e->rounding, out);
    print_steps(e, out);
    text_add(out, "#include \"core/rounding_bound_run.h\"\n");
}

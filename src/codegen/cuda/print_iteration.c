/* print_iteration.c - fused iterations: see print_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/cuda/print_kernel.h"

#include "base/memory.h"
#include "codegen/print/print.h"

#include <string.h>

/* Values that the generator spills (codegen/print/spill.h). */
#define SPILL_ARRAY                                                                                                    \
    "    real kept[SPILL_OWN + 1];\n    real *const spill_near = NEAR_KEPT;\n    (void)kept;\n    "                    \
    "(void)spill_near;\n"

/* Shared memory of a warp: the tasks of its threads, consecutively, then the first spill slots of all threads,
 * interleaved. */
static const char places_text[] =
    "\nenum { SPILL_PLACES = %u, SPILL_NEAR = %u, NEAR_TASK = %u, NEAR_WARP = %d * (NEAR_TASK + SPILL_NEAR) };\n"
    "#ifdef DEVICE_HOST\nenum { SPILL_OWN = 0, NEAR_APART = 1 };\n"
    "static thread_local real device_near[SPILL_PLACES + 1];\n"
    "#define NEAR_KEPT device_near\n#define SPILL_AT(place) (*(volatile real *)&spill_near[place])\n#else\n"
    "enum { SPILL_OWN = SPILL_PLACES - SPILL_NEAR, NEAR_APART = %d };\n"
    "extern __shared__ real device_near[];\n"
    "#define NEAR_OF_WARP (device_near + threadIdx.x / NEAR_APART * NEAR_WARP)\n"
    "#define NEAR_KEPT (NEAR_OF_WARP + NEAR_APART * NEAR_TASK + threadIdx.x %% NEAR_APART)\n"
    "#define SPILL_AT(place) \\\n"
    "    (*(volatile real *)((place) < SPILL_NEAR ? &spill_near[(place) * NEAR_APART] : &kept[(place)-SPILL_NEAR]))\n"
    "#endif\n";

/* Copies y to the %u spill slots that iterations read, after it changed elsewhere. */
static const char pins_text[] =
    "\nSIMD_INLINE void thread_pin(struct thread_state *l, const real *slots, real *spill_near) {\n"
    "    if (l->pinned)\n        return;\n    l->pinned = true;\n    DEVICE_UNROLL_MANY\n"
    "    for (uint32_t j = 0; j < %u; j++)\n"
    "        *(volatile real *)&spill_near[j * NEAR_APART] = slots[LAYER_Y + j];\n}\n";

#define ROUND_BEGINS                                                                                                   \
    "\nSIMD_INLINE bool thread_round(struct thread_state *l, real *slots) {\n" SPILL_ARRAY                             \
    "    struct sample *s = &l->solver.state;\n    const struct sample_options o = layer_options;\n"                   \
    "    quick_doubt doubt = 0;\n"
#define DECIDES                                                                                                        \
    "    enum thread_next next = thread_decide(l, slots, &o);\n    if (next == THREAD_ENDS)\n        return false;\n"  \
    "    if (next == THREAD_MOVED)\n        return true;\n"

static const char counted_begins[] = ROUND_BEGINS "    do {\n";
static const char counted_decides[] = DECIDES;
static const char counted_steps[] = "    s->used = s->eps;\n";
static const char counted_ends[] = "    } while (false);\n    thread_stepped(l, slots, &o);\n    return true;\n}\n";

/* The second pass repeats a step from the base. */
static const char judged_begins[] = ROUND_BEGINS
    "    if (sample_is_fresh(s))\n        thread_rescale(l);\n    SHARED_LOOP\n    for (int pass = 0;; pass++) {\n"
    "    thread_pin(l, slots, spill_near);\n";
#define DECIDES_ONCE "    if (pass == 0) {\n" DECIDES "    if (next == THREAD_AGAIN)\n        continue;\n    }\n"
static const char judged_decides[] = DECIDES_ONCE;
static const char assumed_decides[] = "    if (!l->assumed)\n        thread_evaluate(l);\n" DECIDES_ONCE;
static const char judged_steps[] = "    s->used = s->eps;\n    slots[LAYER_EPS] = s->eps;\n";
static const char judged_ends[] = "    break;\n    }\n    thread_stepped(l, slots, &o);\n    return true;\n}\n";

/* A fast reciprocal was inexact: the step has not written any slot yet. */
static const char round_unsafe[] =
    "    if (quick_fails(doubt)) {\n        thread_step_apart(l);\n        break;\n    }\n";
static const char back_unsafe[] =
    "    if (quick_fails(doubt)) {\n        thread_adjoint_apart(b);\n        return;\n    }\n";

static const char back_begins[] =
    "\nSIMD_INLINE void thread_adjoint_round(struct thread_adjoint *b, real *slots) {\n" SPILL_ARRAY
    "    const bool bounds = b->back.grad_lower || b->back.grad_upper || b->back.grad_x;\n"
    "    const struct sample_options o = layer_options;\n    quick_doubt doubt = 0;\n"
    "    if (!thread_adjoint_begin(b, slots, &o))\n        return;\n";
static const char back_weighs[] = "    thread_adjoint_weigh(b, slots, &o);\n";
static const char back_damps[] = "    thread_adjoint_damp(b, slots, &o);\n";
static const char back_ends[] = "}\n";

/* Gradients with respect to bounds, from which those with respect to x are computed; rarely requested. */
static const char back_bounds[] = "    if (bounds) {\n";

static const char once_listed[] = "\nstatic GENERATED void thread_weights(real *slots) {\n    (void)slots;\n}\n"
                                  "\nstatic GENERATED void thread_residuals(real *slots) {\n"
                                  "    entry_evaluate(slots);\n    entry_residual(slots);\n}\n";

/* Most live values in registers: a thread has 255 registers of 4 bytes, and needs some for temporaries. */
enum { MOST_DOUBLES = 100, MOST_FLOATS = 205 };

struct round_kind {
    struct round_room *room;
    bool back;
    const struct statements *prepare; /* statements that depend on x only */
};

static void keep_slots(bool *kept, uint32_t slot, uint32_t count) {
    memset(kept + slot, true, count * sizeof *kept);
}

/* Slots that decisions and the next iteration read. */
static void keep_forward(bool *kept, const struct plan *p) {
    const uint32_t *joint = plan_words(p, p->joint);
    keep_slots(kept, p->y, p->outputs);
    keep_slots(kept, p->summary + SUMMARY_WORST, 1);
    keep_slots(kept, p->summary + SUMMARY_FINITE, 1);
    keep_slots(kept, p->summary + SUMMARY_USABLE, 1);
    if (sample_asks_pivots(&p->options))
        keep_slots(kept, p->system.pivot_range, 2);
    if (!p->options.weighted)
        return;
    keep_slots(kept, p->summary, SUMMARY_COUNT);
    keep_slots(kept, p->scale, p->rows);
    keep_slots(kept, p->largest, 1);
    if (p->options.method != HN_METHOD_AUTO) { /* auto's near stage accepts steps without them */
        keep_slots(kept, p->step_squares, 1);
        keep_slots(kept, p->step_gain, 1);
    }
    keep_slots(kept, p->base, p->outputs);
    for (uint32_t k = 0; k < p->joint.count; k++)
        keep_slots(kept, p->residual + joint[k], 1);
}

/* Slots that the previous step and the end of the pass read. */
static void keep_back(bool *kept, const struct plan *p) {
    keep_slots(kept, p->gradient, p->outputs);
    keep_slots(kept, p->grad_x, p->inputs);
    keep_slots(kept, p->grad_lower, p->rows);
    keep_slots(kept, p->grad_upper, p->rows);
    if (!p->options.weighted)
        return;
    keep_slots(kept, p->summary + SUMMARY_SQUARES, 1);
    keep_slots(kept, p->damped, 1);
}

/* The forward iteration of paper nearly fits into registers. */
static size_t most_values(const struct ir_module *ir, bool single, bool back) {
    return !back && !ir->plan->options.weighted ? 0 : single ? MOST_FLOATS : MOST_DOUBLES;
}

/* As many as leave shared memory for four warps, one per scheduler of a multiprocessor. Floats fit into registers;
 * gradients of methods with weights spill many more values, and run faster with 8 warps. */
static uint32_t places_near(const struct plan *p, const struct round_kind *kind, uint32_t places) {
    enum { MOST_BACK = 190, MOST_FORWARD = 220 };
    bool back = kind->back && !p->options.weighted, forward = !kind->back && p->options.weighted;
    uint32_t most = kind->room->single ? 0 : back ? MOST_BACK : forward ? MOST_FORWARD - kind->room->task : 0;
    return places < most ? places : most;
}

/* Outputs that are copied there, because an iteration reads each of them several times: at most half of the spill
 * slots. */
static uint32_t outputs_near(const struct plan *p, const struct round_kind *kind) {
    uint32_t most = kind->back ? 0 : places_near(p, kind, UINT32_MAX) / 2;
    return p->outputs < most ? p->outputs : most;
}

static void print_places(struct text *out, struct round_room *room, uint32_t places, uint32_t near) {
    room->near = room->task + near;
    text_add(out, places_text, places, near, room->task, DEVICE_THREADS, DEVICE_THREADS);
}

/* Slots that do not change between their first read and the step: y, x and values that depend on x only, and weights. */
static void find_steady(bool *steady, const struct ir_module *ir, const struct statements *prepare) {
    const struct plan *p = ir->plan;
    keep_slots(steady, p->y, p->outputs);
    keep_slots(steady, p->x, p->inputs);
    if (p->options.weighted) {
        keep_slots(steady, p->scale, p->rows);
        keep_slots(steady, p->eps, 1);
        keep_slots(steady, p->slots + LANES_HOLD, 1);
        keep_slots(steady, p->slots + LANES_LEADS, 1);
    }
    for (size_t i = 0; i < prepare->count; i++)
        for (uint32_t d = 0; d < statement_destinations(&prepare->list[i]); d++)
            keep_slots(steady, prepare->operands[prepare->list[i].first + d], 1);
}

static bool print_links(struct text *out, const struct ir_module *ir, const struct print_link *links, size_t count,
                        const struct round_kind *kind) {
    const struct plan *p = ir->plan;
    bool *kept = base_allocate(2 * (size_t)ir->slots * sizeof *kept);
    struct text own = {.bytes = NULL};
    uint32_t places = 0;
    if (!kept)
        return false;
    memset(kept, 0, 2 * (size_t)ir->slots * sizeof *kept);
    bool *steady = kept + ir->slots;
    find_steady(steady, ir, kind->prepare);
    if (kind->back)
        keep_back(kept, p);
    else
        keep_forward(kept, p);
    const struct print_chain wanted = {.links = links,
                                       .count = count,
                                       .kept = kept,
                                       .unsafe = kind->back ? back_unsafe : round_unsafe,
                                       .seldom = {p->grad_lower, kind->back ? 2 * p->rows : 0, back_bounds},
                                       .steady = steady,
                                       .most = most_values(ir, kind->room->single, kind->back),
                                       .places = &places,
                                       .pinned = p->y,
                                       .pinned_count = outputs_near(p, kind)};
    bool done = print_chain(&own, ir, &wanted) && !own.failed;
    if (done) {
        print_places(out, kind->room, places, places_near(p, kind, places));
        if (!kind->back)
            text_add(out, pins_text, wanted.pinned_count);
        text_add_bytes(out, own.bytes, own.length);
    }
    text_drop(&own);
    base_release(kept);
    return done;
}

/* Evaluation and one entry as a function that stores only the results of that entry and the values of rows. */
static bool print_once(struct text *out, const struct ir_module *ir, const char *name, enum kernel_entry entry) {
    const struct statements *s = &ir->entry[entry];
    const struct print_link links[] = {{&ir->entry[KERNEL_EVALUATE], "", "", 0, PRINT_LATE},
                                       {s, "", back_ends, 0, PRINT_LATE}};
    const uint32_t *value = plan_words(ir->plan, ir->plan->value);
    bool *kept = base_allocate((size_t)ir->slots * sizeof *kept);
    uint32_t places = 0;
    if (!kept)
        return false;
    memset(kept, 0, (size_t)ir->slots * sizeof *kept);
    for (uint32_t i = 0; i < ir->plan->value.count; i++)
        keep_slots(kept, value[i], 1);
    for (size_t i = 0; i < s->count; i++)
        for (uint32_t d = 0; d < statement_destinations(&s->list[i]); d++)
            keep_slots(kept, s->operands[s->list[i].first + d], 1);
    const struct print_chain wanted = {.links = links, .count = 2, .kept = kept, .unsafe = "", .places = &places};
    text_add(out, "\nstatic GENERATED void %s(real *slots) {\n    DEVICE_LOCAL(slots);\n", name);
    bool done = print_chain(out, ir, &wanted);
    base_release(kept);
    return done;
}

/* Methods without weights take hundreds of steps per sample: fewer registers, and so more resident warps, matter more. */
bool round_print_once(struct text *out, const struct ir_module *ir) {
    if (!ir->plan->options.weighted) {
        text_add(out, "%s", once_listed);
        return true;
    }
    return print_once(out, ir, "thread_weights", KERNEL_RESCALE) &&
           print_once(out, ir, "thread_residuals", KERNEL_RESIDUAL);
}

/* The same statements; y is copied to the base before it changes. */
static void add_base(struct statements *out, const struct statements *from, const struct plan *p) {
    for (size_t i = 0; i < from->count; i++) {
        uint32_t y = from->operands[from->list[i].first], j = y - p->y;
        if (j < p->outputs)
            statements_add(out, SUM_PLUS, p->base + j, &y, 1);
        statements_repeat(out, from, i);
    }
}

#define LINKS(list) list, sizeof(list) / sizeof((list)[0])

bool round_print(struct text *out, const struct ir_module *ir, const struct ir_module *near, struct round_room *room) {
    const struct statements *s = ir->entry;
    struct statements at_once = {.list = NULL};
    const struct round_kind kind = {.room = room, .prepare = &ir->entry[KERNEL_PREPARE]};
    const struct print_link counted[] = {{&s[KERNEL_EVALUATE], counted_begins, "", 0, PRINT_IN_ORDER},
                                         {&s[KERNEL_RESIDUAL], "", counted_decides, 0, PRINT_IN_ORDER},
                                         {&s[KERNEL_STEP_BEGIN], counted_steps, "", 0, PRINT_IN_ORDER},
                                         {&s[KERNEL_STEP_END], "", counted_ends, 0, PRINT_IN_ORDER}};
    const struct print_link judged[] = {{&s[KERNEL_EVALUATE], judged_begins, "", 0, PRINT_LATE},
                                        {&s[KERNEL_RESIDUAL], "", judged_decides, 0, PRINT_LATE},
                                        {&s[KERNEL_WEIGH_ALL], judged_steps, "", 0, PRINT_LATE},
                                        {&s[KERNEL_STEP_BEGIN], "", "", 0, PRINT_IN_ORDER},
                                        {&s[KERNEL_STEP_END], "", judged_ends, 0, PRINT_LATE}};
    const struct print_link nearby[] = {{&s[KERNEL_EVALUATE], judged_begins, "", 0, PRINT_LATE},
                                        {&near->entry[KERNEL_RESIDUAL], "", assumed_decides, 0, PRINT_LATE},
                                        {&at_once, judged_steps, judged_ends, 0, PRINT_LATE_BEFORE_SUM}};
    if (!ir->plan->options.weighted)
        return print_links(out, ir, LINKS(counted), &kind);
    if (near->entry[KERNEL_NEAR].count == 0)
        return print_links(out, ir, LINKS(judged), &kind);
    add_base(&at_once, &near->entry[KERNEL_NEAR], ir->plan);
    bool done = !at_once.failed && print_links(out, near, LINKS(nearby), &kind);
    statements_release(&at_once);
    return done;
}

bool round_print_back(struct text *out, const struct ir_module *ir, const struct ir_module *near,
                      struct round_room *room) {
    const struct plan *p = ir->plan;
    const struct ir_module *own = near->entry[KERNEL_NEAR].count > 0 ? near : ir;
    const struct statements *s = own->entry;
    const struct round_kind kind = {.room = room, .back = true, .prepare = &ir->entry[KERNEL_PREPARE]};
    const struct print_link counted[] = {{&ir->entry[KERNEL_EVALUATE], back_begins, "", 0, PRINT_LATE},
                                         {&s[KERNEL_RESIDUAL_BRIEF], "", "", 0, PRINT_LATE},
                                         {&s[KERNEL_BACK_BEGIN], "", "", 0, PRINT_IN_ORDER},
                                         {&s[KERNEL_BACK_ROWS_BOUNDS], "", "", 0, PRINT_LATE},
                                         {&s[KERNEL_BACK_PROGRAM], "", "", 0, PRINT_LATE},
                                         {&s[KERNEL_BACK_END], "", back_ends, 0, PRINT_LATE}};
    const struct print_link judged[] = {{&ir->entry[KERNEL_EVALUATE], back_begins, "", 0, PRINT_LATE},
                                        {&s[KERNEL_RESIDUAL], "", back_weighs, 0, PRINT_LATE},
                                        {&s[KERNEL_WEIGH_ALL], "", "", 0, PRINT_LATE},
                                        {&s[KERNEL_BACK_BEGIN], "", back_damps, p->damped, PRINT_IN_ORDER},
                                        {&s[KERNEL_BACK_ROWS_BOUNDS], "", "", 0, PRINT_LATE},
                                        {&s[KERNEL_BACK_PROGRAM], "", "", 0, PRINT_LATE},
                                        {&s[KERNEL_BACK_END], "", back_ends, 0, PRINT_LATE}};
    return p->options.weighted ? print_links(out, own, LINKS(judged), &kind)
                               : print_links(out, own, LINKS(counted), &kind);
}

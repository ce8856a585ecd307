/* program_levels.c - see program_levels.h.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/program_levels.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* The name of a value is its slot, or a number beyond all slots. */
struct leveler {
    const struct program *program;
    struct program_levels *out;
    size_t spare;
    uint32_t *last;    /* by slot: the instruction of this phase that writes it last */
    uint32_t *current; /* by slot: the name of its current value */
    uint32_t *level;   /* by name: the first level that can read it */
    uint32_t *own;     /* by instruction: its level */
    uint32_t *begin;   /* by level, and one more */
    size_t names, levels;
};

static uint32_t offset_of(const struct leveler *l, uint32_t name) {
    size_t slots = l->program->slots;
    return (uint32_t)(name < slots ? name : l->spare + (name - slots));
}

/* The offset of the value in a slot; raises *level to the first one that can read it. */
static uint32_t read_slot(const struct leveler *l, uint32_t slot, uint32_t *level) {
    uint32_t name = l->current[slot];
    *level = l->level[name] > *level ? l->level[name] : *level;
    return offset_of(l, name);
}

/* A value that a later instruction of the phase overwrites is a temporary: it gets a new name. */
static uint32_t write_slot(struct leveler *l, uint32_t slot, size_t at, uint32_t level) {
    uint32_t name = l->last[slot] == at ? slot : (uint32_t)(l->program->slots + l->names++);
    l->current[slot] = name;
    l->level[name] = level + 1;
    return offset_of(l, name);
}

/* Instructions that share a list read the same values. */
static void read_arguments(const struct leveler *l, struct instruction *at, uint32_t *level) {
    const struct program *p = l->program;
    uint32_t *const arguments[MOST_ARGUMENTS] = {&at->a, &at->b, &at->c};
    if (at->code == CODE_DOT)
        for (size_t k = 2 * (size_t)at->a; k < 2 * ((size_t)at->a + at->b); k++)
            l->out->program.pairs[k] = read_slot(l, p->pairs[k], level);
    else if (at->code == CODE_LINEAR)
        for (size_t k = at->c; k < (size_t)at->c + at->b; k++)
            l->out->program.columns[k] = read_slot(l, p->columns[k], level);
    else
        for (int k = 0; k < instruction_arguments(at->code); k++)
            *arguments[k] = read_slot(l, *arguments[k], level);
}

static void find_last(const struct leveler *l, size_t first, size_t end) {
    for (size_t i = first; i < end; i++) {
        l->last[l->program->code[i].destination] = (uint32_t)i;
        if (l->program->code[i].code == CODE_SINCOS)
            l->last[l->program->code[i].c] = (uint32_t)i;
    }
}

static struct instruction rename_instruction(struct leveler *l, size_t i) {
    struct instruction at = l->program->code[i];
    uint32_t level = 0, cosine = at.c;
    read_arguments(l, &at, &level);
    at.destination = write_slot(l, at.destination, i, level);
    if (at.code == CODE_SINCOS)
        at.c = write_slot(l, cosine, i, level);
    l->own[i] = level;
    l->levels = level + 1 > l->levels ? level + 1 : l->levels;
    return at;
}

/* A stable counting sort by level. */
static void sort_phase(struct leveler *l, struct instruction *code, size_t first, size_t end) {
    memset(l->begin, 0, (l->levels + 1) * sizeof *l->begin);
    for (size_t i = first; i < end; i++)
        l->begin[l->own[i] + 1]++;
    l->begin[0] = (uint32_t)first;
    for (size_t k = 0; k < l->levels; k++)
        l->begin[k + 1] += l->begin[k];
    memcpy(l->out->level + l->out->level_first[0], l->begin, (l->levels + 1) * sizeof *l->begin);
    for (size_t i = first; i < end; i++)
        l->out->program.code[l->begin[l->own[i]]++] = code[i];
}

static void level_phase(struct leveler *l, struct instruction *code, int phase) {
    size_t first = l->program->first[phase], end = l->program->first[phase + 1];
    l->names = l->levels = 0;
    for (uint32_t slot = 0; slot < l->program->slots; slot++)
        l->current[slot] = slot;
    memset(l->level, 0, l->program->slots * sizeof *l->level);
    find_last(l, first, end);
    for (size_t i = first; i < end; i++)
        code[i] = rename_instruction(l, i);
    sort_phase(l, code, first, end);
    l->out->spare = l->names > l->out->spare ? l->names : l->out->spare;
}

/* level_first[0] counts levels while phases are added. */
static void level_all(struct leveler *l, struct instruction *code) {
    size_t end[PHASES];
    for (int phase = 0; phase < PHASES; phase++) {
        level_phase(l, code, phase);
        end[phase] = l->out->level_first[0] += l->levels;
    }
    l->out->level_first[0] = 0;
    memcpy(l->out->level_first + 1, end, sizeof end);
}

static bool take_level_lists(struct program_levels *out, const struct program *p, struct arena *arena) {
    struct program *own = &out->program;
    own->code = arena_take(arena, p->first[PHASES] + 1, sizeof *own->code);
    own->pairs = arena_take(arena, 2 * p->pair_count + 1, sizeof *own->pairs);
    own->columns = arena_take(arena, p->column_count + 1, sizeof *own->columns);
    out->level = arena_take(arena, p->first[PHASES] + 1, sizeof *out->level);
    return own->code && own->pairs && own->columns && out->level;
}

hn_status program_levels_create(struct program_levels *out, const struct program *p, size_t spare, struct arena *arena,
                                hn_error *error) {
    size_t count = p->first[PHASES], capacity = 0, other = 0;
    *out = (struct program_levels){.program = *p};
    struct instruction *code = array_grow(NULL, &other, count + 1, sizeof *code);
    uint32_t *numbers = array_grow(NULL, &capacity, 3 * p->slots + 4 * count + 2, sizeof *numbers);
    bool ready = code && numbers && take_level_lists(out, p, arena);
    if (ready) {
        struct leveler l = {.program = p, .out = out, .spare = spare, .last = numbers};
        l.current = l.last + p->slots;
        l.level = l.current + p->slots; /* an instruction writes two values at most */
        l.own = l.level + p->slots + 2 * count;
        l.begin = l.own + count;
        memset(numbers, 0, (3 * p->slots + 4 * count + 2) * sizeof *numbers);
        level_all(&l, code);
    }
    base_release(numbers);
    base_release(code);
    return ready ? HN_OK : error_no_memory(error, "program");
}

/* program.h - compiles a graph to straight-line code: evaluates any set of nodes for one sample or for several lanes.
 *
 * Input: nodes of a graph; output: a list of instructions over slots. A slot has one double per lane. Constants come
 * first, then the leaves of each space, then temporaries, whose slots are reused after their last use. Results are not
 * copied: output_slot is the slot of each result. Each space belongs to a phase; an instruction runs in the latest
 * phase of its operands, so values that depend only on x are computed once per sample instead of once per step; or
 * later, if only a later phase uses them. Running never allocates; a backend (cpu/backend.h) runs it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AUTODIFF_PROGRAM_H
#define HN_AUTODIFF_PROGRAM_H

#include "base/arena.h"
#include "model/graph.h"

enum { PHASES = 3 };

/* Instructions in addition to the operators: X(name, text, meaning) over SIMD vectors a, b, c. Products are rounded
 * before they are added, as by the separate operators, so fusing changes no bit. */
#define FUSED_LIST(X)                                                                                                  \
    X(MUL_ADD, "mul_add", a *b + c)                                                                                    \
    X(MUL_SUB, "mul_sub", a *b - c)                                                                                    \
    X(SUB_MUL, "sub_mul", c - a * b)                                                                                   \
    X(MUL_MUL, "mul_mul", (a * b) * c)

#define FUSED_ENUMERATE(name, text, meaning) CODE_##name,
enum code {
    CODE_FIRST = OP_COUNT - 1,
    FUSED_LIST(FUSED_ENUMERATE) CODE_SINCOS, /* destination = sin a, c = cos a */
    CODE_DOT,                                /* destination = sum of products: b pairs of slots from pairs[a] on */
    CODE_LINEAR, /* destination = sum of numbers times slots: b of them from coefficients[a] and columns[c] on */
    CODE_COUNT
};
#undef FUSED_ENUMERATE

/* Offsets in doubles from the first slot: slot number times the program's stride. */
struct instruction {
    uint32_t code; /* enum op or enum code */
    uint32_t destination, a, b, c;
};

struct program {
    uint32_t stride; /* doubles between slots: the number of lanes */
    size_t slots;
    size_t constant_count;
    double *constants;             /* slot i has the value constants[i] */
    size_t leaf_slot[SPACE_COUNT]; /* the first leaf of each space; one slot per leaf */
    size_t leaf_count[SPACE_COUNT];
    size_t output_count;
    uint32_t *output_slot;
    struct instruction *code;
    size_t first[PHASES + 1]; /* phase p is code[first[p]] up to code[first[p + 1]] */
    uint32_t *pairs;          /* of DOT instructions: two offsets each */
    size_t pair_count;
    double *coefficients; /* of LINEAR instructions, the same for all samples */
    uint32_t *columns;    /* offsets of the operands; instructions with equal lists share one */
    size_t coefficient_count, column_count;
    size_t operators[PHASES]; /* graph operators represented by the code of each phase; a sum of k terms counts k - 1 */
    void *block;              /* the allocation that contains all lists */
};

struct program_request {
    uint32_t stride; /* doubles per slot, at least 1 */
    const struct graph *graph;
    const uint32_t *outputs; /* entries: nodes and numbers */
    size_t output_count;
    size_t leaf_count[SPACE_COUNT];
    uint8_t phase[SPACE_COUNT]; /* below PHASES */
};

/* The program is one block; release it with program_destroy. */
hn_status program_create(struct program **out, const struct program_request *request, hn_error *error);
void program_destroy(struct program *program);

/* The same program for slots `factor` times as wide, in a separate block. */
hn_status program_widen(struct program **out, const struct program *program, uint32_t factor, hn_error *error);

/* An instruction for such slots; arguments of a sum are not slots. */
static inline struct instruction instruction_widen(struct instruction at, uint32_t factor) {
    bool sum = at.code == CODE_DOT || at.code == CODE_LINEAR;
    at.destination *= factor;
    at.a *= sum ? 1 : factor;
    at.b *= sum ? 1 : factor;
    at.c *= at.code == CODE_LINEAR ? 1 : factor;
    return at;
}

/* The number of slots that an instruction other than a sum reads: the first of a, b and c. */
static inline int instruction_arguments(uint32_t code) {
    return code == CODE_SINCOS ? 1 : code > CODE_FIRST ? MOST_ARGUMENTS : operator_arguments((enum op)code);
}

/* Initialises a new set of slots (slots times stride doubles, 64-byte aligned): constants, and zeros elsewhere. */
void program_prepare(const struct program *program, double *slots);

/* Writes a human-readable listing, like snprintf: at most size bytes with the terminating 0; returns the full
 * length. */
size_t program_listing(const struct program *program, char *buffer, size_t size);

#endif

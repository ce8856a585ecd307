/* ir.h - the intermediate representation (IR): ordered lists of statements over slots, one list per entry; lowered from
 * a plan, printed as C.
 *
 * An operand is a slot (plan.h) or, from STATEMENT_CONSTANT on, the number of a constant. The operands of a statement
 * are its destinations (one; two of FUNCTION_SINCOS: sine and cosine) and then its arguments. Its function is an
 * operator, a fused instruction of a program, a function of OWN_FUNCTION_LIST or a sum.
 *
 * X(name, result, masks, arguments, cost, meaning): meaning is an expression over SIMD vectors a, b, c, ... as in
 * model/operators.h, printed with the names replaced. A result is a number (0) or a mask (1); bit i of masks is set if
 * argument i is a mask. The cost is a bound on the x86-64 instructions per value (gcc -O2). Names outside base/ are
 * defined in codegen/kernel/generated_kernel.h, linalg/pivot_kernel.h and cpu/row_values_kernel.h, which are included
 * in the generated text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_IR_H
#define HN_CODEGEN_IR_H

#include "autodiff/program.h"

/* ---- functions ---- */

#define OWN_FUNCTION_LIST(X)                                                                                           \
    X(ZERO, 0, 0, 0, 1, simd_all(0))                                                                                   \
    X(UNLIMITED, 0, 0, 0, 1, simd_all(REAL_INFINITY))                                                                  \
    X(NONE_SET, 1, 0, 0, 1, simd_bits_all(0))                                                                          \
    /* rows: c, bl, bu; specialised for constant bounds */                                                             \
    X(RESIDUAL, 0, 0, 3, 8, row_residual(a, b, c))                                                                     \
    X(RESIDUAL_EQUAL, 0, 0, 2, 1, (a - b) + simd_all(0))                                                               \
    X(RESIDUAL_UPPER, 0, 0, 2, 4, simd_keep(~simd_less_equal(a, b), a - b))                                            \
    X(RESIDUAL_LOWER, 0, 0, 2, 4, simd_keep(~simd_less_equal(b, a), a - b))                                            \
    X(RELATIVE, 0, 0, 3, 25, row_relative(a, b, c))                                                                    \
    X(MOST, 0, 0, 2, 6, simd_greater(b, a))                                                                            \
    X(LEAST, 0, 0, 2, 4, simd_lesser(b, a))                                                                            \
    X(MOST_SIZE, 0, 0, 2, 6, row_most(a, b))                                                                           \
    X(LOSE_FINITE, 1, 1, 2, 1, row_lose(a, b))                                                                         \
    X(ALL_FINITE, 1, 1, 1, 8, row_all_finite(a))                                                                       \
    X(ADD_SQUARE, 0, 0, 3, 8.5, row_add_square(a, b, c))                                                               \
    /* weights: mask, most, old */                                                                                     \
    X(RESCALE, 0, 1, 3, 12, simd_select(a, kernel_scale_for(b), c))                                                    \
    /* active rows: c, bl, bu, scale, hold, and the mask of excluded rows */                                           \
    X(ACTIVE, 1, 0, 5, 27, kernel_active(a, b, c, d, e, simd_bits_all(0)))                                             \
    X(ACTIVE_LEADS, 1, 32, 6, 27, kernel_active(a, b, c, d, e, f))                                                     \
    X(ACTIVE_UPPER_LEADS, 1, 16, 5, 15, row_active_upper(a, b, c, d) & ~e)                                             \
    X(ACTIVE_LOWER_LEADS, 1, 16, 5, 15, row_active_lower(a, b, c, d) & ~e)                                             \
    X(TAKE_MASK, 1, 7, 3, 6, (a & b) | (~a & c))                                                                       \
    X(TAKE_ALL, 1, 3, 2, 6, a | b)                                                                                     \
    X(TAKE, 0, 3, 5, 12, row_take(a, b, c, d, e))                                                                      \
    X(TAKE_EQUAL, 0, 1, 4, 8, simd_select(a, b *c, d))                                                                 \
    X(MASK, 1, 1, 1, 8, a)                                                                                             \
    X(ALL_SET, 1, 0, 0, 8, ~simd_bits_all(0))                                                                          \
    X(SHIFT, 0, 1, 2, 8, simd_select(a, b, simd_all(1)))                                                               \
    /* the factor and the step */                                                                                      \
    X(INVERSE, 0, 0, 2, 6, kernel_pivot_inverse(a, b))                                                                 \
    X(INVERSE_ADDED, 0, 0, 2, 8, kernel_pivot_added_inverse(a, b))                                                     \
    X(MOVES, 1, 1, 3, 1, a | simd_not_equal(b, c))                                                                     \
    /* the adjoint */                                                                                                  \
    X(COUNTS, 1, 1, 2, 8, a | simd_not_equal(b, simd_all(0)))                                                          \
    X(EQUALITY, 1, 0, 2, 8, simd_equal(a, b))                                                                          \
    X(BELOW, 1, 1, 2, 8, ~a &simd_less(b, simd_all(0)))                                                                \
    X(KEEP, 0, 1, 2, 8, simd_keep(a, b))                                                                               \
    X(KEEP_PRODUCT, 0, 1, 3, 8, simd_keep(a, b *c))                                                                    \
    X(ADD_KEPT, 0, 2, 3, 8, a + simd_keep(b, c))                                                                       \
    X(ADD_KEPT_NOT, 0, 6, 4, 8, a + simd_keep(b & ~c, d))                                                              \
    /* actions of a round (codegen/kernel/fused_fixed_kernel.h): C statements without a result */                      \
    X(LEAVE, 0, 1, 1, 8, if (round_leaves(round, ~a)) return 1)                                                        \
    X(LEAVE_SINGULAR, 0, 0, 2, 8, if (round_leaves(round, round_singular(a, b))) return 1)                             \
    X(JUDGE, 0, 0, 1, 8, round_judge(slots, round, a))

#define FUNCTION_OPERATOR(name, text, arguments, meaning)           FUNCTION_##name = OP_##name,
#define FUNCTION_FUSED(name, text, meaning)                         FUNCTION_##name = CODE_##name,
#define FUNCTION_OWN(name, result, masks, arguments, cost, meaning) ROW_##name,
enum function {
    OPERATOR_LIST(FUNCTION_OPERATOR) FUSED_LIST(FUNCTION_FUSED) FUNCTION_SINCOS = CODE_SINCOS,
    ROW_FIRST = CODE_COUNT - 1,
    OWN_FUNCTION_LIST(FUNCTION_OWN)
    /* Sums of products, each rounded before it is added, left to right; pairs follow the start. */
    SUM_PLUS,  /* start + */
    SUM_MINUS, /* start - */
    SUM_BACK,  /* product of the first pair - the other products */
    SUM_ZERO,  /* 0 + */
    SUM_FIRST, /* first product + */
    FUNCTIONS
};
#undef FUNCTION_OPERATOR
#undef FUNCTION_FUSED
#undef FUNCTION_OWN

enum { FUNCTION_MOST_ARGUMENTS = 6 };

struct function_shape {
    const char *meaning;
    uint8_t arguments;
    uint8_t masks;
    bool mask;   /* the result is a mask */
    bool call;   /* a long function: an elementary function */
    double cost; /* for a row function */
};

/* Sums, FUNCTION_SINCOS and invalid numbers have no meaning. */
struct function_shape function_shape(enum function function);

static inline bool function_is_sum(enum function function) {
    return function >= SUM_PLUS;
}

/* Whether the first argument of a sum is its start. */
static inline bool function_sum_starts(uint32_t function) {
    return function == SUM_PLUS || function == SUM_MINUS;
}

/* Whether the result of a function is a mask, and whether its argument a (1, 2, ...) is one. */
static inline bool function_is_mask(uint32_t function) {
    return function_shape((enum function)function).mask;
}

static inline bool function_argument_is_mask(uint32_t function, uint32_t a) {
    return !function_is_sum((enum function)function) && function_shape((enum function)function).masks >> (a - 1) & 1;
}

/* The reciprocal of a pivot. */
static inline bool function_is_inverse(enum function function) {
    return function == ROW_INVERSE || function == ROW_INVERSE_ADDED;
}

static inline bool function_is_act(enum function function) {
    return function == ROW_LEAVE || function == ROW_LEAVE_SINGULAR || function == ROW_JUDGE;
}

/* ---- statements ---- */

#define STATEMENT_CONSTANT UINT32_C(0x80000000)

struct statement {
    uint32_t function; /* enum function */
    uint32_t first;    /* index of its first operand */
    uint32_t count;
};

struct statements {
    struct statement *list;
    size_t count, capacity;
    uint32_t *operands;
    size_t operand_count, operand_capacity;
    uint32_t window;       /* the first slot of a vector that is read in one buffer and written in another; */
    uint32_t window_slots; /* its size; the two buffers swap after each round */
    size_t late;           /* number of leading statements that may be sunk to the first use of their values */
    bool round;            /* the functions take the round as an argument */
    bool failed;           /* out of memory: additions are ignored */
};

void statements_release(struct statements *s);

/* An empty list with the properties of another one. */
struct statements statements_like(const struct statements *s);

/* A statement without operands; statements_operand adds them to the last statement. */
void statements_begin(struct statements *s, enum function function);
void statements_operand(struct statements *s, uint32_t operand);
void statements_product(struct statements *s, uint32_t a, uint32_t b); /* two operands of a sum */

/* A whole statement. */
void statements_add(struct statements *s, enum function function, uint32_t destination, const uint32_t *arguments,
                    size_t count);

/* Appends a copy of statement i of another list. */
void statements_repeat(struct statements *s, const struct statements *from, size_t i);
void statements_append(struct statements *s, const struct statements *from); /* all of them */

static inline bool statements_in_window(const struct statements *s, uint32_t slot) {
    return slot - s->window < s->window_slots;
}

/* The statements after the residual of a row: its size, and whether it is finite. */
static inline bool statement_follows_row(const struct statement *at) {
    return at->function == ROW_MOST_SIZE || at->function == ROW_RELATIVE || at->function == ROW_MOST ||
           at->function == ROW_LOSE_FINITE;
}

static inline bool operand_is_constant(uint32_t operand) {
    return operand >= STATEMENT_CONSTANT;
}

static inline uint32_t statement_destinations(const struct statement *at) {
    return at->function == FUNCTION_SINCOS ? 2 : 1;
}

/* ---- memory of a pass: zeroed lists that are released together ---- */

enum { BUFFERS_MOST = 16 };
struct buffers {
    void *list[BUFFERS_MOST];
    size_t count;
    bool failed; /* out of memory */
};

/* Zeroed memory for count + 1 elements; NULL when out of memory. */
void *buffers_take(struct buffers *buffers, size_t count, size_t size);
void buffers_release(struct buffers *buffers);

#endif

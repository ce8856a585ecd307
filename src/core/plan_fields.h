/* plan_fields.h - the fields of struct plan, once: core/plan.h and core/emitted_plan.h declare them, codegen/emit/emission_plan.c prints
 * their values for emitted files and kernels.
 *
 *     NUMBER(name)         a number or a slot
 *     LIST(name)           a list of words
 *     ENTRIES(name)        values and the entries that they belong to: two lists
 *     MATRIX(name)         a sparse matrix of values: three lists
 *     ADJOINT(name)        the same; emitted files and kernels have it with gradients only
 *     INNER(type, name)    a field that emitted files and kernels do not have, except parts of program and system
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_PLAN_FIELDS_H
#define HN_CORE_PLAN_FIELDS_H

/* clang-format off */
#define PLAN_FIELD_LIST(NUMBER, LIST, ENTRIES, MATRIX, ADJOINT, INNER)                                                 \
    NUMBER(inputs)                                                                                                     \
    NUMBER(outputs)                                                                                                    \
    NUMBER(rows)                                                                                                       \
    NUMBER(entries) /* of J */                                                                                         \
    NUMBER(slots) /* of one sample */                                                                                  \
    INNER(uint32_t, tape_steps) /* capacity of a tape in steps */                                                      \
    INNER(uint32_t, tape_numbers) /* further numbers of a tape, for the method nearest */                              \
    INNER(struct plan_program, program)                                                                                \
    LIST(value) /* rows: slots of c, bl, bu */                                                                         \
    LIST(lower)                                                                                                        \
    LIST(upper)                                                                                                        \
    MATRIX(jacobian) /* dc/dy */                                                                                       \
    ADJOINT(lower_x) /* derivatives of bounds with respect to x */                                                     \
    ADJOINT(upper_x)                                                                                                   \
    LIST(start) /* outputs: slots of start values */                                                                   \
    ADJOINT(start_x) /* their derivatives */                                                                           \
    ENTRIES(fixed) /* values of fixed outputs */                                                                       \
    ADJOINT(fixed_x) /* their derivatives */                                                                           \
    ENTRIES(bounds) /* rows that bound a single output: the row (not its slot), the output */                          \
    ENTRIES(clip) /* one of these per bounded output, by output */                                                     \
    LIST(joint) /* rows in several outputs that are not structural equalities */                                       \
    LIST(bounded) /* rows with a bound that depends on x */                                                            \
    INNER(struct plan_list, blocks) /* struct set_block */                                                             \
    INNER(struct plan_entries, bracket_y) /* of the adjoint: d/dy and d/dx of v' J t - q' J s, */                      \
    INNER(struct plan_entries, bracket_x)                                                                              \
    INNER(struct plan_entries, pull_x) /* and d/dx of lambda' c */                                                     \
    INNER(struct plan_system, system)                                                                                  \
    /* ---- slots of vectors: over outputs ---- */                                                                     \
    NUMBER(y)                                                                                                          \
    NUMBER(base) /* base of the step; y itself if every step is accepted */                                            \
    NUMBER(best) /* the best iterate */                                                                                \
    NUMBER(raw) /* the raw output; auto only, else same as best */                                                     \
    NUMBER(step) /* s */                                                                                               \
    NUMBER(gradient) /* A' W r on the outputs' side; p of the adjoint */                                               \
    INNER(uint32_t, leaf_t)                                                                                            \
    INNER(uint32_t, leaf_s)                                                                                            \
    /* ---- over rows ---- */                                                                                          \
    NUMBER(residual) /* r */                                                                                           \
    NUMBER(matrix) /* A, one slot per entry; methods with weights only, as those below. Rows that plan_knows are not */\
    /* stored: their A is W J unless SUMMARY_STRETCHED is set */                                                       \
    NUMBER(scale) /* powers of two: the weights of active rows */                                                      \
    NUMBER(active) /* masks: active rows */                                                                            \
    NUMBER(right) /* W r; without weights r */                                                                         \
    INNER(uint32_t, shift) /* E */                                                                                     \
    INNER(uint32_t, q) /* of the adjoint */                                                                            \
    INNER(uint32_t, v)                                                                                                 \
    INNER(uint32_t, kept) /* D q */                                                                                    \
    INNER(uint32_t, pulled) /* D W q, that is -g */                                                                    \
    INNER(uint32_t, leaf_q) /* W q, W v for the second derivatives */                                                  \
    INNER(uint32_t, leaf_v)                                                                                            \
    NUMBER(grad_lower) /* sums of the adjoint */                                                                       \
    NUMBER(grad_upper)                                                                                                 \
    /* ---- over inputs, over the longer of rows and outputs, single numbers ---- */                                   \
    NUMBER(x)                                                                                                          \
    NUMBER(grad_x)                                                                                                     \
    NUMBER(unknown)                                                                                                    \
    INNER(uint32_t, work)                                                                                              \
    NUMBER(summary) /* SUMMARY_COUNT */                                                                                \
    NUMBER(eps)                                                                                                        \
    NUMBER(largest) /* the largest squared row of A */                                                                 \
    NUMBER(step_squares) /* |s|^2; see sample_numbers */                                                               \
    NUMBER(step_gain)                                                                                                  \
    NUMBER(damped) /* of the adjoint: (q' v) d(eps)/d|W r| / |W r| */                                                  \
    /* ---- elastic programs (point_elastic.h), which share slots with the adjoint; auto only ---- */                  \
    NUMBER(slack_lower) /* over rows, as those below */                                                                \
    NUMBER(slack_upper)                                                                                                \
    NUMBER(force_lower)                                                                                                \
    NUMBER(force_upper)                                                                                                \
    NUMBER(reached) /* v */                                                                                            \
    NUMBER(change) /* change of v */                                                                                   \
    NUMBER(column_scale) /* over outputs: S, x */                                                                      \
    NUMBER(along)
/* clang-format on */

/* Declarations of these fields, for both representations of lists. */
#define PLAN_FIELD_NUMBER(name)  uint32_t name;
#define PLAN_FIELD_LIST_OF(name) struct plan_list name;
#define PLAN_FIELD_ENTRIES(name) struct plan_entries name;
#define PLAN_FIELD_MATRIX(name)  struct plan_matrix name;

#endif

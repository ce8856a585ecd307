/* ptx_meaning.c - see ptx_meaning.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/ptx_meaning.h"

#include "cuda/ptx_operations.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- expressions ---- */

struct reader {
    struct ptx *x;
    const char *at;
    const struct ptx_operand *arguments;
};

static struct ptx_operand read_masks(struct reader *r);

static void skip_space(struct reader *r) {
    while (*r->at == ' ')
        r->at++;
}

static bool ptx_meaning_take(struct reader *r, char wanted) {
    skip_space(r);
    if (*r->at != wanted)
        return false;
    r->at++;
    return true;
}

/* What functions of other texts mean in terms of those below. */
static const char expansions[][2][200] = {
    {"row_residual", "simd_select(simd_not_less_equal(a, c), a - c, simd_keep(simd_not_less_equal(b, a), a - b))"},
    {"row_relative",
     "simd_keep(simd_not_less_equal(a, c) | simd_not_less_equal(b, a), simd_abs(row_residual(a, b, c)) / "
     "row_unit(simd_abs(simd_select(simd_not_less_equal(a, c), c, b))))"},
    {"row_unit", "simd_select(simd_less(simd_all(1), a), a, simd_all(1))"},
    {"kernel_active", "((row_active_lower(a, b, d, e) | row_active_upper(a, c, d, e)) & ~f) | simd_equal(b, c)"},
    {"row_active_upper", "simd_not_less_equal(a, b) | simd_less(c * (b - a), d)"},
    {"row_active_lower", "simd_not_less_equal(b, a) | simd_less(c * (a - b), d)"},
    {"row_take", "simd_select(a, simd_keep(b, c * d), e)"},
    {"kernel_pivot_inverse", "simd_keep(simd_less(a * simd_all(PIVOT_LOST), b), simd_all(1) / b)"},
    {"kernel_pivot_added_inverse", "simd_keep(simd_less(b, a * simd_all(0x1p-50)), simd_all(1) / b)"}};
enum { EXPANSIONS = sizeof expansions / sizeof expansions[0] };

#define WORD_LIST(X)                                                                                                   \
    X(simd_select, ptx_choose(x, &a[0], &a[1], &a[2]))                                                                 \
    X(simd_keep, ptx_choose(x, &a[0], &a[1], &zero))                                                                   \
    X(simd_less, ptx_compare(x, PTX_LESS, &a[0], &a[1]))                                                               \
    X(simd_less_equal, ptx_compare(x, PTX_LESS_EQUAL, &a[0], &a[1]))                                                   \
    X(simd_not_less_equal, ptx_compare(x, PTX_NOT_LESS_EQUAL, &a[0], &a[1]))                                           \
    X(simd_equal, ptx_compare(x, PTX_EQUAL, &a[0], &a[1]))                                                             \
    X(simd_not_equal, ptx_compare(x, PTX_NOT_EQUAL, &a[0], &a[1]))                                                     \
    X(simd_abs, ptx_of_one(x, "abs", &a[0]))                                                                           \
    X(simd_sqrt, ptx_of_one(x, "sqrt.rn", &a[0]))                                                                      \
    X(simd_greater, ptx_extreme(x, true, &a[0], &a[1]))                                                                \
    X(simd_lesser, ptx_extreme(x, false, &a[0], &a[1]))                                                                \
    X(row_most, ptx_most_size(x, &a[0], &a[1]))                                                                        \
    X(row_lose, ptx_lose(x, &a[0], &a[1]))                                                                             \
    X(row_all_finite, ptx_nothing_lost(x, &a[0]))                                                                      \
    X(row_add_square, ptx_add_square(x, &a[0], &a[1], &a[2]))                                                          \
    X(kernel_scale_for, ptx_scale_for(x, &a[0]))

static bool is_word(const char *word, size_t length, const char *wanted) {
    return length == strlen(wanted) && memcmp(word, wanted, length) == 0;
}

static struct ptx_operand ptx_meaning_apply(struct ptx *x, const char *word, size_t length,
                                            const struct ptx_operand *a) {
    const struct ptx_operand zero = ptx_number(0);
    for (size_t i = 0; i < EXPANSIONS; i++)
        if (is_word(word, length, expansions[i][0]))
            return ptx_meaning(x, expansions[i][1], a);
#define WORD(name, what)                                                                                               \
    if (is_word(word, length, #name))                                                                                  \
        return what;
    WORD_LIST(WORD)
#undef WORD
    return (struct ptx_operand){.kind = PTX_NONE};
}

/* simd_all(number): also one that has a name. */
static struct ptx_operand read_all(struct reader *r) {
    static const char huge[] = "REAL_INFINITY", lost[] = "PIVOT_LOST";
    char *end;
    double number = 0;
    skip_space(r);
    if (strncmp(r->at, huge, strlen(huge)) == 0) {
        number = HUGE_VAL;
        r->at += strlen(huge);
    } else if (strncmp(r->at, lost, strlen(lost)) == 0) {
        number = r->x->single ? 0x1p-21 : 0x1p-50;
        r->at += strlen(lost);
    } else {
        number = strtod(r->at, &end);
        r->at = end;
    }
    return ptx_meaning_take(r, ')') ? ptx_number(number) : (struct ptx_operand){.kind = PTX_NONE};
}

static struct ptx_operand read_call(struct reader *r, const char *word, size_t length) {
    struct ptx_operand a[FUNCTION_MOST_ARGUMENTS] = {{.kind = PTX_NONE}};
    if (is_word(word, length, "simd_all"))
        return read_all(r);
    if (is_word(word, length, "simd_bits_all")) {
        const struct ptx_operand bits = read_all(r);
        return bits.kind == PTX_NONE ? bits : ptx_mask(bits.number != 0);
    }
    for (int i = 0; i < FUNCTION_MOST_ARGUMENTS; i++) {
        a[i] = read_masks(r);
        if (ptx_meaning_take(r, ')'))
            return ptx_meaning_apply(r->x, word, length, a);
        if (a[i].kind == PTX_NONE || !ptx_meaning_take(r, ','))
            break;
    }
    return (struct ptx_operand){.kind = PTX_NONE};
}

static struct ptx_operand read_primary(struct reader *r) {
    if (ptx_meaning_take(r, '(')) {
        const struct ptx_operand inner = read_masks(r);
        return ptx_meaning_take(r, ')') ? inner : (struct ptx_operand){.kind = PTX_NONE};
    }
    const char *word = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    size_t length = (size_t)(r->at - word);
    if (length == 1 && *word >= 'a' && *word < 'a' + FUNCTION_MOST_ARGUMENTS)
        return r->arguments[*word - 'a'];
    return length > 1 && ptx_meaning_take(r, '(') ? read_call(r, word, length) : (struct ptx_operand){.kind = PTX_NONE};
}

static struct ptx_operand read_sign(struct reader *r) {
    if (ptx_meaning_take(r, '-')) {
        const struct ptx_operand a = read_sign(r);
        return ptx_of_one(r->x, "neg", &a);
    }
    if (ptx_meaning_take(r, '~')) {
        const struct ptx_operand a = read_sign(r);
        return ptx_not(r->x, &a);
    }
    return read_primary(r);
}

static struct ptx_operand read_product(struct reader *r) {
    struct ptx_operand a = read_sign(r);
    for (;;) {
        skip_space(r);
        char sign = *r->at;
        if (sign != '*' && sign != '/')
            return a;
        r->at++;
        const struct ptx_operand b = read_sign(r);
        a = ptx_arithmetic(r->x, sign, &a, &b);
    }
}

static struct ptx_operand read_sum(struct reader *r) {
    struct ptx_operand a = read_product(r);
    for (;;) {
        skip_space(r);
        char sign = *r->at;
        if (sign != '+' && sign != '-')
            return a;
        r->at++;
        const struct ptx_operand b = read_product(r);
        a = ptx_arithmetic(r->x, sign, &a, &b);
    }
}

static struct ptx_operand read_both(struct reader *r) {
    struct ptx_operand a = read_sum(r);
    while (ptx_meaning_take(r, '&')) {
        const struct ptx_operand b = read_sum(r);
        a = ptx_join(r->x, true, &a, &b);
    }
    return a;
}

static struct ptx_operand read_masks(struct reader *r) {
    struct ptx_operand a = read_both(r);
    while (ptx_meaning_take(r, '|')) {
        const struct ptx_operand b = read_both(r);
        a = ptx_join(r->x, false, &a, &b);
    }
    return a;
}

struct ptx_operand ptx_meaning(struct ptx *x, const char *meaning, const struct ptx_operand *arguments) {
    struct reader r = {x, meaning, arguments};
    const struct ptx_operand all = read_masks(&r);
    return *r.at == '\0' ? all : (struct ptx_operand){.kind = PTX_NONE};
}

/* ---- words ---- */

static bool knows_word(const char *word, size_t length) {
    if (length == 1)
        return true;
    for (size_t i = 0; i < EXPANSIONS; i++)
        if (is_word(word, length, expansions[i][0]))
            return true;
#define WORD(name, what)                                                                                               \
    if (is_word(word, length, #name))                                                                                  \
        return true;
    WORD_LIST(WORD)
#undef WORD
    static const char others[][16] = {"simd_all", "simd_bits_all", "REAL_INFINITY"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (is_word(word, length, others[i]))
            return true;
    return false;
}

bool ptx_knows_meaning(const char *meaning) {
    for (const char *at = meaning; *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || at[length] == '_')
            length++;
        if (isalpha((unsigned char)*at) && !knows_word(at, length))
            return false;
        at += length > 0 ? length : 1;
    }
    return true;
}

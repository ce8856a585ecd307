/* ptx_meaning.c - see ptx_meaning.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device/ptx_meaning.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static struct ptx_operand known_number(double number) {
    return (struct ptx_operand){
        .kind = PTX_KNOWN_NUMBER, .number = number, .positive = number != 0 || !signbit(number)};
}

static struct ptx_operand known_mask(bool truth) {
    return (struct ptx_operand){.kind = PTX_KNOWN_MASK, .truth = truth};
}

static bool is_number(const struct ptx_operand *a) {
    return a->kind == PTX_NUMBER || a->kind == PTX_KNOWN_NUMBER;
}

static bool is_mask(const struct ptx_operand *a) {
    return a->kind == PTX_PREDICATE || a->kind == PTX_KNOWN_MASK;
}

static int bits_of(const struct ptx *x) {
    return x->single ? 32 : 64;
}

/* ---- numbers ---- */

static double compute(const struct ptx *x, char operator, double a, double b) {
    double wide = operator== '+' ? a + b : operator== '-' ? a - b : operator== '*' ? a * b : a / b;
    float p = (float)a, q = (float)b;
    float narrow = operator== '+' ? p + q : operator== '-' ? p - q : operator== '*' ? p * q : p / q;
    return x->single ? (double)narrow : wide;
}

/* Division and reciprocals are rounded correctly in floats, too; the rest may be fused there. */
static const char *instruction(const struct ptx *x, char operator, bool reciprocal) {
    if (operator== '/')
        return reciprocal ? "rcp.rn" : "div.rn";
    if (operator== '+')
        return x->single ? "add" : "add.rn";
    if (operator== '-')
        return x->single ? "sub" : "sub.rn";
    return x->single ? "mul" : "mul.rn";
}

static bool is_known(const struct ptx_operand *a, double number) {
    return a->kind == PTX_KNOWN_NUMBER && a->number == number;
}

/* What changes no bit: a factor of 1, a divisor of 1, +0 that is subtracted, -0 that is added, +0 where -0 is not. Whose bits it has, or
 * NULL. */
static const struct ptx_operand *unchanged(char operator, const struct ptx_operand * a, const struct ptx_operand *b) {
    if ((operator== '*' || operator== '/') && is_known(b, 1))
        return a;
    if (operator== '*' && is_known(a, 1))
        return b;
    if (operator== '-' && is_known(b, 0) && !signbit(b->number))
        return a;
    if (operator== '+' && is_known(b, 0) && (signbit(b->number) || a->positive))
        return a;
    return operator== '+' && is_known(a, 0) && (signbit(a->number) || b->positive) ? b : NULL;
}

/* Sums are -0 where both terms are, differences where -0 loses 0, squares never. */
static bool is_positive(char operator, const struct ptx_operand * a, const struct ptx_operand *b) {
    bool square = operator== '*' && a->kind == PTX_NUMBER && strcmp(a->name, b->name) == 0;
    return square || (operator== '+' &&(a->positive || b->positive)) || (operator== '-' && a->positive);
}

struct ptx_operand ptx_arithmetic(struct ptx *x, char operator, const struct ptx_operand * a,
                                  const struct ptx_operand *b) {
    if (!is_number(a) || !is_number(b))
        return (struct ptx_operand){.kind = PTX_NONE};
    if (a->kind == PTX_KNOWN_NUMBER && b->kind == PTX_KNOWN_NUMBER)
        return known_number(compute(x, operator, a->number, b->number));
    if (unchanged(operator, a, b))
        return *unchanged(operator, a, b);
    struct ptx_operand to = ptx_temporary(x, PTX_NUMBER);
    to.positive = is_positive(operator, a, b);
    bool reciprocal = operator== '/' && a->kind == PTX_KNOWN_NUMBER && a->number == 1;
    ptx_say(x, "%s.f%d %s,%s%s%s;", instruction(x, operator, reciprocal), bits_of(x), to.name,
            reciprocal ? "" : ptx_spell(x, a).text, reciprocal ? "" : ",", ptx_spell(x, b).text);
    return to;
}

/* neg, abs, sqrt.rn */
static struct ptx_operand of_one(struct ptx *x, const char *name, const struct ptx_operand *a) {
    if (!is_number(a))
        return (struct ptx_operand){.kind = PTX_NONE};
    if (a->kind == PTX_KNOWN_NUMBER && name[0] != 's')
        return known_number(name[0] == 'n' ? -a->number : fabs(a->number));
    struct ptx_operand to = ptx_temporary(x, PTX_NUMBER);
    to.positive = name[0] == 'a';
    ptx_say(x, "%s.f%d %s,%s;", name, bits_of(x), to.name, ptx_spell(x, a).text);
    return to;
}

/* ---- masks ---- */

enum comparison { LESS, LESS_EQUAL, NOT_LESS_EQUAL, EQUAL, NOT_EQUAL };

static bool holds(enum comparison comparison, double a, double b) {
    switch (comparison) {
    case LESS:
        return a < b;
    case LESS_EQUAL:
        return a <= b;
    case NOT_LESS_EQUAL:
        return !(a <= b);
    case EQUAL:
        return a == b;
    default:
        return a != b;
    }
}

static struct ptx_operand compare(struct ptx *x, enum comparison comparison, const struct ptx_operand *a,
                                  const struct ptx_operand *b) {
    static const char names[][4] = {"lt", "le", "gtu", "eq", "neu"}; /* those with u say yes to NaN */
    if (!is_number(a) || !is_number(b))
        return (struct ptx_operand){.kind = PTX_NONE};
    if (a->kind == PTX_KNOWN_NUMBER && b->kind == PTX_KNOWN_NUMBER)
        return known_mask(holds(comparison, a->number, b->number));
    struct ptx_operand to = ptx_temporary(x, PTX_PREDICATE);
    ptx_say(x, "setp.%s.f%d %s,%s,%s;", names[comparison], bits_of(x), to.name, ptx_spell(x, a).text,
            ptx_spell(x, b).text);
    return to;
}

static struct ptx_operand not_of(struct ptx *x, const struct ptx_operand *a) {
    if (a->kind == PTX_KNOWN_MASK)
        return known_mask(!a->truth);
    if (a->kind != PTX_PREDICATE)
        return (struct ptx_operand){.kind = PTX_NONE};
    struct ptx_operand to = ptx_temporary(x, PTX_PREDICATE);
    ptx_say(x, "not.pred %s,%s;", to.name, a->name);
    return to;
}

static struct ptx_operand join(struct ptx *x, bool all, const struct ptx_operand *a, const struct ptx_operand *b) {
    if (!is_mask(a) || !is_mask(b))
        return (struct ptx_operand){.kind = PTX_NONE};
    if (a->kind == PTX_KNOWN_MASK)
        return a->truth == all ? *b : *a;
    if (b->kind == PTX_KNOWN_MASK)
        return b->truth == all ? *a : *b;
    struct ptx_operand to = ptx_temporary(x, PTX_PREDICATE);
    ptx_say(x, "%s.pred %s,%s,%s;", all ? "and" : "or", to.name, a->name, b->name);
    return to;
}

static struct ptx_operand choose(struct ptx *x, const struct ptx_operand *mask, const struct ptx_operand *a,
                                 const struct ptx_operand *b) {
    if (!is_mask(mask) || !is_number(a) || !is_number(b))
        return (struct ptx_operand){.kind = PTX_NONE};
    if (mask->kind == PTX_KNOWN_MASK)
        return mask->truth ? *a : *b;
    struct ptx_operand to = ptx_temporary(x, PTX_NUMBER);
    to.positive = a->positive && b->positive;
    ptx_say(x, "selp.f%d %s,%s,%s,%s;", bits_of(x), to.name, ptx_spell(x, a).text, ptx_spell(x, b).text, mask->name);
    return to;
}

/* a < b ? ... as in wide_lesser and wide_greater: b where one of them is NaN. */
static struct ptx_operand extreme(struct ptx *x, bool greater, const struct ptx_operand *a,
                                  const struct ptx_operand *b) {
    const struct ptx_operand takes_a = compare(x, LESS, greater ? b : a, greater ? a : b);
    return choose(x, &takes_a, a, b);
}

/* ---- longer ones ---- */

/* row_lose: 0 a + lost, in one rounding. */
static struct ptx_operand lose(struct ptx *x, const struct ptx_operand *lost, const struct ptx_operand *a) {
    struct ptx_operand from = *lost;
    const struct ptx_operand zero = known_number(0);
    if (lost->kind == PTX_KNOWN_MASK)
        from = known_number(lost->truth ? NAN : 0);
    if (lost->kind == PTX_PREDICATE) {
        const struct ptx_operand nan = known_number(NAN);
        from = choose(x, lost, &nan, &zero);
    }
    if (!is_number(a) || !is_number(&from))
        return (struct ptx_operand){.kind = PTX_NONE};
    if (a->kind == PTX_KNOWN_NUMBER && isfinite(a->number))
        return from;
    struct ptx_operand to = ptx_temporary(x, PTX_NUMBER);
    ptx_say(x, "fma.rn.f%d %s,%s,%s,%s;", bits_of(x), to.name, ptx_spell(x, &zero).text, ptx_spell(x, a).text,
            ptx_spell(x, &from).text);
    return to;
}

/* row_all_finite of it. */
static struct ptx_operand nothing_lost(struct ptx *x, const struct ptx_operand *lost) {
    if (is_mask(lost))
        return not_of(x, lost);
    return compare(x, EQUAL, lost, lost);
}

/* row_most: of floats one instruction; most is never NaN. */
static struct ptx_operand most_size(struct ptx *x, const struct ptx_operand *most, const struct ptx_operand *a) {
    const struct ptx_operand size = of_one(x, "abs", a);
    if (!x->single)
        return extreme(x, true, &size, most);
    if (!is_number(most) || !is_number(&size))
        return (struct ptx_operand){.kind = PTX_NONE};
    struct ptx_operand to = ptx_temporary(x, PTX_NUMBER);
    ptx_say(x, "max.f32 %s,%s,%s;", to.name, ptx_spell(x, most).text, ptx_spell(x, &size).text);
    return to;
}

static struct ptx_operand add_square(struct ptx *x, const struct ptx_operand *sum, const struct ptx_operand *scale,
                                     const struct ptx_operand *r) {
    const struct ptx_operand own = ptx_arithmetic(x, '*', scale, r), square = ptx_arithmetic(x, '*', &own, &own);
    return ptx_arithmetic(x, '+', sum, &square);
}

/* kernel_scale_for: 2^-e for a = 1.f 2^e >= 1, and 1 below. */
static struct ptx_operand scale_for(struct ptx *x, const struct ptx_operand *a) {
    int bits = bits_of(x), fraction = x->single ? 23 : 52, twice = x->single ? 254 : 2046;
    const struct ptx_operand one = known_number(1), most = known_number(x->single ? 0x1p125 : 0x1p1021),
                             least = known_number(x->single ? 0x1p-125 : 0x1p-1021);
    if (!is_number(a))
        return (struct ptx_operand){.kind = PTX_NONE};
    struct ptx_operand scale = ptx_temporary(x, PTX_NUMBER);
    ptx_say(x, "mov.f%d %s,%s;mov.b%d nb0,%s;shr.u%d nb0,nb0,%d;sub.s%d nb0,%d,nb0;shl.b%d nb0,nb0,%d;mov.b%d %s,nb0;",
            bits, scale.name, ptx_spell(x, a).text, bits, scale.name, bits, fraction, bits, twice, bits, fraction, bits,
            scale.name);
    const struct ptx_operand huge = compare(x, LESS, &most, a), chosen = choose(x, &huge, &least, &scale);
    const struct ptx_operand small = compare(x, LESS, a, &one);
    return choose(x, &small, &one, &chosen);
}

/* ---- reciprocals ---- */

/* The fast part of the device's own division, and whether that is right: quick_reciprocal of quick_text.h. */
static void say_reciprocal(struct ptx *x, const char *to, const char *d, const char *counts) {
    ptx_say(
        x,
        "rcp.approx.ftz.f64 %s,%s;mov.b64 {ne0,ne1},%s;add.s32 ne0,ne1,0x300402;mov.b64 {ne2,ne1},%s;mov.b64 "
        "%s,{ne0,ne1};"
        "neg.f64 nu0,%s;fma.rn.f64 nu1,nu0,%s,0d3FF0000000000000;fma.rn.f64 nu1,nu1,nu1,nu1;fma.rn.f64 %s,%s,nu1,%s;"
        "fma.rn.f64 nu1,nu0,%s,0d3FF0000000000000;fma.rn.f64 %s,%s,nu1,%s;",
        to, d, d, to, to, d, to, to, to, to, to, to, to, to);
    ptx_say(x,
            "mov.b32 nf0,ne0;abs.f32 nf0,nf0;setp.lt.f32 wrong,nf0,0f00400402;and.pred wrong,wrong,%s;or.pred "
            "doubt,doubt,wrong;",
            counts);
}

struct ptx_operand ptx_quick_inverse(struct ptx *x, bool added, const struct ptx_operand *whole,
                                     const struct ptx_operand *d) {
    const double lost = added ? 0x1p-50 : x->single ? 0x1p-21 : 0x1p-50;
    const struct ptx_operand part = known_number(lost), zero = known_number(0);
    struct ptx_operand limit = ptx_arithmetic(x, '*', whole, &part),
                       counts = compare(x, LESS, added ? d : &limit, added ? &limit : d);
    if (counts.kind == PTX_KNOWN_MASK && !counts.truth)
        return zero;
    if (d->kind == PTX_KNOWN_NUMBER)
        return known_number(compute(x, '/', 1, d->number));
    if (counts.kind == PTX_KNOWN_MASK) {
        counts = ptx_temporary(x, PTX_PREDICATE);
        ptx_say(x, "setp.eq.s32 %s,0,0;", counts.name);
    }
    struct ptx_operand inverse = ptx_temporary(x, PTX_NUMBER);
    if (!x->single) {
        say_reciprocal(x, inverse.name, d->name, counts.name);
        return choose(x, &counts, &inverse, &zero);
    }
    ptx_say(x, "rcp.approx.ftz.f32 %s,%s;", inverse.name, d->name);
    inverse = choose(x, &counts, &inverse, &zero);
    ptx_say(x, "abs.f32 nf0,%s;max.f32 doubt,doubt,nf0;", inverse.name);
    return inverse;
}

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

static bool take(struct reader *r, char wanted) {
    skip_space(r);
    if (*r->at != wanted)
        return false;
    r->at++;
    return true;
}

/* What functions of other texts mean in terms of those below. */
static const char expansions[][2][200] = {
    {"row_residual", "wide_select(wide_not_less_equal(a, c), a - c, wide_keep(wide_not_less_equal(b, a), a - b))"},
    {"row_relative",
     "wide_keep(wide_not_less_equal(a, c) | wide_not_less_equal(b, a), wide_abs(row_residual(a, b, c)) / "
     "row_unit(wide_abs(wide_select(wide_not_less_equal(a, c), c, b))))"},
    {"row_unit", "wide_select(wide_less(wide_all(1), a), a, wide_all(1))"},
    {"kernel_active", "((row_active_lower(a, b, d, e) | row_active_upper(a, c, d, e)) & ~f) | wide_equal(b, c)"},
    {"row_active_upper", "wide_not_less_equal(a, b) | wide_less(c * (b - a), d)"},
    {"row_active_lower", "wide_not_less_equal(b, a) | wide_less(c * (a - b), d)"},
    {"row_take", "wide_select(a, wide_keep(b, c * d), e)"},
    {"kernel_pivot_inverse", "wide_keep(wide_less(a * wide_all(PIVOT_LOST), b), wide_all(1) / b)"},
    {"kernel_pivot_added_inverse", "wide_keep(wide_less(b, a * wide_all(0x1p-50)), wide_all(1) / b)"}};
enum { EXPANSIONS = sizeof expansions / sizeof expansions[0] };

#define WORD_LIST(X)                                                                                                   \
    X(wide_select, choose(x, &a[0], &a[1], &a[2]))                                                                     \
    X(wide_keep, choose(x, &a[0], &a[1], &zero))                                                                       \
    X(wide_less, compare(x, LESS, &a[0], &a[1]))                                                                       \
    X(wide_less_equal, compare(x, LESS_EQUAL, &a[0], &a[1]))                                                           \
    X(wide_not_less_equal, compare(x, NOT_LESS_EQUAL, &a[0], &a[1]))                                                   \
    X(wide_equal, compare(x, EQUAL, &a[0], &a[1]))                                                                     \
    X(wide_not_equal, compare(x, NOT_EQUAL, &a[0], &a[1]))                                                             \
    X(wide_abs, of_one(x, "abs", &a[0]))                                                                               \
    X(wide_sqrt, of_one(x, "sqrt.rn", &a[0]))                                                                          \
    X(wide_greater, extreme(x, true, &a[0], &a[1]))                                                                    \
    X(wide_lesser, extreme(x, false, &a[0], &a[1]))                                                                    \
    X(row_most, most_size(x, &a[0], &a[1]))                                                                            \
    X(row_lose, lose(x, &a[0], &a[1]))                                                                                 \
    X(row_all_finite, nothing_lost(x, &a[0]))                                                                          \
    X(row_add_square, add_square(x, &a[0], &a[1], &a[2]))                                                              \
    X(kernel_scale_for, scale_for(x, &a[0]))

static bool is_word(const char *word, size_t length, const char *wanted) {
    return length == strlen(wanted) && memcmp(word, wanted, length) == 0;
}

static struct ptx_operand apply(struct ptx *x, const char *word, size_t length, const struct ptx_operand *a) {
    const struct ptx_operand zero = known_number(0);
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

/* wide_all(number): also one that has a name. */
static struct ptx_operand read_all(struct reader *r) {
    static const char huge[] = "HUGE_VAL", lost[] = "PIVOT_LOST";
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
    return take(r, ')') ? known_number(number) : (struct ptx_operand){.kind = PTX_NONE};
}

static struct ptx_operand read_call(struct reader *r, const char *word, size_t length) {
    struct ptx_operand a[FUNCTION_MOST_ARGUMENTS] = {{.kind = PTX_NONE}};
    if (is_word(word, length, "wide_all"))
        return read_all(r);
    if (is_word(word, length, "wide_bits_all")) {
        const struct ptx_operand bits = read_all(r);
        return bits.kind == PTX_NONE ? bits : known_mask(bits.number != 0);
    }
    for (int i = 0; i < FUNCTION_MOST_ARGUMENTS; i++) {
        a[i] = read_masks(r);
        if (take(r, ')'))
            return apply(r->x, word, length, a);
        if (a[i].kind == PTX_NONE || !take(r, ','))
            break;
    }
    return (struct ptx_operand){.kind = PTX_NONE};
}

static struct ptx_operand read_primary(struct reader *r) {
    if (take(r, '(')) {
        const struct ptx_operand inner = read_masks(r);
        return take(r, ')') ? inner : (struct ptx_operand){.kind = PTX_NONE};
    }
    const char *word = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_')
        r->at++;
    size_t length = (size_t)(r->at - word);
    if (length == 1 && *word >= 'a' && *word < 'a' + FUNCTION_MOST_ARGUMENTS)
        return r->arguments[*word - 'a'];
    return length > 1 && take(r, '(') ? read_call(r, word, length) : (struct ptx_operand){.kind = PTX_NONE};
}

static struct ptx_operand read_sign(struct reader *r) {
    if (take(r, '-')) {
        const struct ptx_operand a = read_sign(r);
        return of_one(r->x, "neg", &a);
    }
    if (take(r, '~')) {
        const struct ptx_operand a = read_sign(r);
        return not_of(r->x, &a);
    }
    return read_primary(r);
}

static struct ptx_operand read_product(struct reader *r) {
    struct ptx_operand a = read_sign(r);
    for (;;) {
        skip_space(r);
        char operator= * r->at;
        if (operator!= '*' && operator!= '/')
            return a;
        r->at++;
        const struct ptx_operand b = read_sign(r);
        a = ptx_arithmetic(r->x, operator, & a, &b);
    }
}

static struct ptx_operand read_sum(struct reader *r) {
    struct ptx_operand a = read_product(r);
    for (;;) {
        skip_space(r);
        char operator= * r->at;
        if (operator!= '+' && operator!= '-')
            return a;
        r->at++;
        const struct ptx_operand b = read_product(r);
        a = ptx_arithmetic(r->x, operator, & a, &b);
    }
}

static struct ptx_operand read_both(struct reader *r) {
    struct ptx_operand a = read_sum(r);
    while (take(r, '&')) {
        const struct ptx_operand b = read_sum(r);
        a = join(r->x, true, &a, &b);
    }
    return a;
}

static struct ptx_operand read_masks(struct reader *r) {
    struct ptx_operand a = read_both(r);
    while (take(r, '|')) {
        const struct ptx_operand b = read_both(r);
        a = join(r->x, false, &a, &b);
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
    static const char others[][16] = {"wide_all", "wide_bits_all", "HUGE_VAL"};
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

/* ptx_operations.c - see ptx_operations.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/ptx_operations.h"

#include <math.h>
#include <string.h>

/* ---- values ---- */

struct ptx_operand ptx_number(double number) {
    return (struct ptx_operand){
        .kind = PTX_KNOWN_NUMBER, .number = number, .positive = number != 0 || !signbit(number)};
}

struct ptx_operand ptx_mask(bool truth) {
    return (struct ptx_operand){.kind = PTX_KNOWN_MASK, .truth = truth};
}

static bool ptx_operations_is_number(const struct ptx_operand *a) {
    return a->kind == PTX_NUMBER || a->kind == PTX_KNOWN_NUMBER;
}

static bool is_mask(const struct ptx_operand *a) {
    return a->kind == PTX_PREDICATE || a->kind == PTX_KNOWN_MASK;
}

static int bits_of(const struct ptx *x) {
    return x->single ? 32 : 64;
}

/* ---- numbers ---- */

static double ptx_operations_compute(const struct ptx *x, char sign, double a, double b) {
    double simd = sign == '+' ? a + b : sign == '-' ? a - b : sign == '*' ? a * b : a / b;
    float p = (float)a, q = (float)b;
    float narrow = sign == '+' ? p + q : sign == '-' ? p - q : sign == '*' ? p * q : p / q;
    return x->single ? (double)narrow : simd;
}

/* Division is rounded correctly in floats, too; the rest may be fused there. */
static const char *instruction(const struct ptx *x, char sign) {
    switch (sign) {
    case '+':
        return x->single ? "add.f32" : "add.rn.f64";
    case '-':
        return x->single ? "sub.f32" : "sub.rn.f64";
    case '*':
        return x->single ? "mul.f32" : "mul.rn.f64";
    default:
        return x->single ? "div.rn.f32" : "div.rn.f64";
    }
}

static bool ptx_operations_is_known(const struct ptx_operand *a, double number) {
    return a->kind == PTX_KNOWN_NUMBER && a->number == number;
}

/* What changes no bit: a factor of 1, a divisor of 1, +0 that is subtracted, -0 that is added, +0 where -0 is not. Whose bits it has, or
 * NULL. */
static const struct ptx_operand *unchanged(char sign, const struct ptx_operand *a, const struct ptx_operand *b) {
    if ((sign == '*' || sign == '/') && ptx_operations_is_known(b, 1))
        return a;
    if (sign == '*' && ptx_operations_is_known(a, 1))
        return b;
    if (sign == '-' && ptx_operations_is_known(b, 0) && !signbit(b->number))
        return a;
    if (sign == '+' && ptx_operations_is_known(b, 0) && (signbit(b->number) || a->positive))
        return a;
    return sign == '+' && ptx_operations_is_known(a, 0) && (signbit(a->number) || b->positive) ? b : NULL;
}

/* Sums are -0 where both terms are, differences where -0 loses 0, squares never. */
static bool is_positive(char sign, const struct ptx_operand *a, const struct ptx_operand *b) {
    bool square = sign == '*' && a->kind == PTX_NUMBER && strcmp(a->name, b->name) == 0;
    return square || (sign == '+' && (a->positive || b->positive)) || (sign == '-' && a->positive);
}

struct ptx_operand ptx_arithmetic(struct ptx *x, char sign, const struct ptx_operand *a, const struct ptx_operand *b) {
    if (!ptx_operations_is_number(a) || !ptx_operations_is_number(b))
        return (struct ptx_operand){.kind = PTX_NONE};
    if (a->kind == PTX_KNOWN_NUMBER && b->kind == PTX_KNOWN_NUMBER)
        return ptx_number(ptx_operations_compute(x, sign, a->number, b->number));
    if (unchanged(sign, a, b))
        return *unchanged(sign, a, b);
    struct ptx_operand to = ptx_temporary(x, PTX_NUMBER);
    to.positive = is_positive(sign, a, b);
    if (sign == '/' && ptx_operations_is_known(a, 1))
        ptx_say_short(x, x->single ? "rcp.rn.f32" : "rcp.rn.f64", &to, &b, 1);
    else
        ptx_say_short(x, instruction(x, sign), &to, (const struct ptx_operand *const[]){a, b}, 2);
    return to;
}

/* neg, abs, sqrt.rn */
struct ptx_operand ptx_of_one(struct ptx *x, const char *name, const struct ptx_operand *a) {
    if (!ptx_operations_is_number(a))
        return (struct ptx_operand){.kind = PTX_NONE};
    if (a->kind == PTX_KNOWN_NUMBER && name[0] != 's')
        return ptx_number(name[0] == 'n' ? -a->number : fabs(a->number));
    struct ptx_operand to = ptx_temporary(x, PTX_NUMBER);
    to.positive = name[0] == 'a';
    ptx_say(x, "%s.f%d %s,%s;", name, bits_of(x), to.name, ptx_spell(x, a).text);
    return to;
}

/* ---- masks ---- */

static bool holds(enum ptx_comparison comparison, double a, double b) {
    switch (comparison) {
    case PTX_LESS:
        return a < b;
    case PTX_LESS_EQUAL:
        return a <= b;
    case PTX_NOT_LESS_EQUAL:
        return !(a <= b);
    case PTX_EQUAL:
        return a == b;
    default:
        return a != b;
    }
}

struct ptx_operand ptx_compare(struct ptx *x, enum ptx_comparison comparison, const struct ptx_operand *a,
                               const struct ptx_operand *b) {
    static const char names[][4] = {"lt", "le", "gtu", "eq", "neu"}; /* those with u say yes to NaN */
    if (!ptx_operations_is_number(a) || !ptx_operations_is_number(b))
        return (struct ptx_operand){.kind = PTX_NONE};
    if (a->kind == PTX_KNOWN_NUMBER && b->kind == PTX_KNOWN_NUMBER)
        return ptx_mask(holds(comparison, a->number, b->number));
    struct ptx_operand to = ptx_temporary(x, PTX_PREDICATE);
    ptx_say(x, "setp.%s.f%d %s,%s,%s;", names[comparison], bits_of(x), to.name, ptx_spell(x, a).text,
            ptx_spell(x, b).text);
    return to;
}

struct ptx_operand ptx_not(struct ptx *x, const struct ptx_operand *a) {
    if (a->kind == PTX_KNOWN_MASK)
        return ptx_mask(!a->truth);
    if (a->kind != PTX_PREDICATE)
        return (struct ptx_operand){.kind = PTX_NONE};
    struct ptx_operand to = ptx_temporary(x, PTX_PREDICATE);
    ptx_say(x, "not.pred %s,%s;", to.name, a->name);
    return to;
}

struct ptx_operand ptx_join(struct ptx *x, bool all, const struct ptx_operand *a, const struct ptx_operand *b) {
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

struct ptx_operand ptx_choose(struct ptx *x, const struct ptx_operand *mask, const struct ptx_operand *a,
                              const struct ptx_operand *b) {
    if (!is_mask(mask) || !ptx_operations_is_number(a) || !ptx_operations_is_number(b))
        return (struct ptx_operand){.kind = PTX_NONE};
    if (mask->kind == PTX_KNOWN_MASK)
        return mask->truth ? *a : *b;
    struct ptx_operand to = ptx_temporary(x, PTX_NUMBER);
    to.positive = a->positive && b->positive;
    ptx_say(x, "selp.f%d %s,%s,%s,%s;", bits_of(x), to.name, ptx_spell(x, a).text, ptx_spell(x, b).text, mask->name);
    return to;
}

/* a < b ? ... as in simd_lesser and simd_greater: b where one of them is NaN. */
struct ptx_operand ptx_extreme(struct ptx *x, bool greater, const struct ptx_operand *a, const struct ptx_operand *b) {
    const struct ptx_operand takes_a = ptx_compare(x, PTX_LESS, greater ? b : a, greater ? a : b);
    return ptx_choose(x, &takes_a, a, b);
}

/* ---- longer ones ---- */

/* row_lose: 0 a + lost, in one rounding. */
struct ptx_operand ptx_lose(struct ptx *x, const struct ptx_operand *lost, const struct ptx_operand *a) {
    struct ptx_operand from = *lost;
    const struct ptx_operand zero = ptx_number(0);
    if (lost->kind == PTX_KNOWN_MASK)
        from = ptx_number(lost->truth ? NAN : 0);
    if (lost->kind == PTX_PREDICATE) {
        const struct ptx_operand nan = ptx_number(NAN);
        from = ptx_choose(x, lost, &nan, &zero);
    }
    if (!ptx_operations_is_number(a) || !ptx_operations_is_number(&from))
        return (struct ptx_operand){.kind = PTX_NONE};
    if (a->kind == PTX_KNOWN_NUMBER && isfinite(a->number))
        return from;
    struct ptx_operand to = ptx_temporary(x, PTX_NUMBER);
    ptx_say(x, "fma.rn.f%d %s,%s,%s,%s;", bits_of(x), to.name, ptx_spell(x, &zero).text, ptx_spell(x, a).text,
            ptx_spell(x, &from).text);
    return to;
}

/* row_all_finite of it. */
struct ptx_operand ptx_nothing_lost(struct ptx *x, const struct ptx_operand *lost) {
    if (is_mask(lost))
        return ptx_not(x, lost);
    return ptx_compare(x, PTX_EQUAL, lost, lost);
}

/* row_most: of floats one instruction; most is never NaN. */
struct ptx_operand ptx_most_size(struct ptx *x, const struct ptx_operand *most, const struct ptx_operand *a) {
    const struct ptx_operand size = ptx_of_one(x, "abs", a);
    if (!x->single)
        return ptx_extreme(x, true, &size, most);
    if (!ptx_operations_is_number(most) || !ptx_operations_is_number(&size))
        return (struct ptx_operand){.kind = PTX_NONE};
    struct ptx_operand to = ptx_temporary(x, PTX_NUMBER);
    ptx_say(x, "max.f32 %s,%s,%s;", to.name, ptx_spell(x, most).text, ptx_spell(x, &size).text);
    return to;
}

struct ptx_operand ptx_add_square(struct ptx *x, const struct ptx_operand *sum, const struct ptx_operand *scale,
                                  const struct ptx_operand *r) {
    const struct ptx_operand own = ptx_arithmetic(x, '*', scale, r), square = ptx_arithmetic(x, '*', &own, &own);
    return ptx_arithmetic(x, '+', sum, &square);
}

/* kernel_scale_for: 2^-e for a = 1.f 2^e >= 1, and 1 below. */
struct ptx_operand ptx_scale_for(struct ptx *x, const struct ptx_operand *a) {
    int bits = bits_of(x), fraction = x->single ? 23 : 52, twice = x->single ? 254 : 2046;
    const struct ptx_operand one = ptx_number(1), most = ptx_number(x->single ? 0x1p125 : 0x1p1021),
                             least = ptx_number(x->single ? 0x1p-125 : 0x1p-1021);
    if (!ptx_operations_is_number(a))
        return (struct ptx_operand){.kind = PTX_NONE};
    struct ptx_operand scale = ptx_temporary(x, PTX_NUMBER);
    ptx_say(x, "mov.f%d %s,%s;mov.b%d nb0,%s;shr.u%d nb0,nb0,%d;sub.s%d nb0,%d,nb0;shl.b%d nb0,nb0,%d;mov.b%d %s,nb0;",
            bits, scale.name, ptx_spell(x, a).text, bits, scale.name, bits, fraction, bits, twice, bits, fraction, bits,
            scale.name);
    const struct ptx_operand huge = ptx_compare(x, PTX_LESS, &most, a), chosen = ptx_choose(x, &huge, &least, &scale);
    const struct ptx_operand small = ptx_compare(x, PTX_LESS, a, &one);
    return ptx_choose(x, &small, &one, &chosen);
}

/* ---- reciprocals ---- */

/* The fast part of the device's own division, and whether that is right: quick_reciprocal of branchless_math.h. */
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
    const struct ptx_operand part = ptx_number(lost), zero = ptx_number(0);
    struct ptx_operand limit = ptx_arithmetic(x, '*', whole, &part),
                       counts = ptx_compare(x, PTX_LESS, added ? d : &limit, added ? &limit : d);
    if (counts.kind == PTX_KNOWN_MASK && !counts.truth)
        return zero;
    if (d->kind == PTX_KNOWN_NUMBER)
        return ptx_number(ptx_operations_compute(x, '/', 1, d->number));
    if (counts.kind == PTX_KNOWN_MASK) {
        counts = ptx_temporary(x, PTX_PREDICATE);
        ptx_say(x, "setp.eq.s32 %s,0,0;", counts.name);
    }
    struct ptx_operand inverse = ptx_temporary(x, PTX_NUMBER);
    if (!x->single) {
        say_reciprocal(x, inverse.name, d->name, counts.name);
        return ptx_choose(x, &counts, &inverse, &zero);
    }
    ptx_say(x, "rcp.approx.ftz.f32 %s,%s;", inverse.name, d->name);
    inverse = ptx_choose(x, &counts, &inverse, &zero);
    ptx_say(x, "abs.f32 nf0,%s;max.f32 doubt,doubt,nf0;", inverse.name);
    return inverse;
}

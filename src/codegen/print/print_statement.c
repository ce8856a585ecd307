/* print_statement.c - one statement as C text.
 *
 * Every value of a pair is a SIMD vector of two, named p and q instead of v and w; its functions are named simd2_
 * instead of wide_, and simd2_row_... instead of row_...
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/print/print_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- operands ---- */

/* A number with all its bits. Non-finite numbers are printed as macros, because printf's spelling varies. */
static void print_constant(const struct printer *p, double value) {
    if (isnan(value))
        text_add(p->text, "simd_all(REAL_NAN)");
    else if (isinf(value))
        text_add(p->text, "simd_all(%sREAL_INFINITY)", value < 0 ? "-" : "");
    else
        text_add(p->text, "simd_all(REAL(%a))", value);
}

int64_t stride_of(const struct printer *p, size_t i, uint32_t k) {
    const struct region *region = p->region;
    if (region->repeats == 1)
        return 0;
    uint32_t here = p->s->operands[p->s->list[i].first + k];
    return (int64_t)p->s->operands[p->s->list[i + region->period].first + k] - here;
}

void print_slot(const struct printer *p, size_t i, uint32_t k, bool mask) {
    uint32_t slot = p->s->operands[p->s->list[i].first + k];
    int64_t stride = stride_of(p, i, k);
    char kind = mask ? 'M' : 'S';
    if (statements_in_window(p->s, slot))
        kind = k < statement_destinations(&p->s->list[i]) ? 'T' : 'F';
    if (stride == 0)
        text_add(p->text, "%c(%u)", kind, slot);
    else
        text_add(p->text, "%c_AT(%s%lld, %u)", kind, stride < 0 ? "back" : "by",
                 (long long)(stride < 0 ? -stride : stride), slot);
}

/* ---- pairs: statements are numbered within the region ---- */

static bool is_paired(const struct printer *p, size_t i) {
    return p->pairs && slp_has(p->pairs, (uint32_t)(i - p->region->first));
}

static size_t mate_of(const struct printer *p, size_t i) {
    return p->region->first + p->pairs->mate[i - p->region->first];
}

/* The local variable of a value: source - 1 is 2 (statement) + destination. */
static void print_variable(const struct printer *p, uint32_t source, bool mask) {
    uint32_t i = (source - 1) / 2;
    bool second = (source - 1) % 2;
    if (!p->pairs || !slp_has(p->pairs, i)) {
        text_add(p->text, "%c%u", second ? 'w' : 'v', i);
        return;
    }
    bool high = p->pairs->high[i];
    text_add(p->text, "simd2_%s%s(%c%u)", mask ? "bits_" : "", high ? "high" : "low", second ? 'q' : 'p',
             high ? p->pairs->mate[i] : i);
}

void print_load_value(const struct printer *p, uint32_t n) {
    text_add(p->text, "%c%u", p->hoisted->list[n].kind == HOIST_AHEAD ? 'c' : 'a', n);
}

/* The value of a single operand. */
static void print_value(const struct printer *p, size_t i, uint32_t k, bool mask) {
    const struct statement *at = &p->s->list[i];
    uint32_t operand = p->s->operands[at->first + k], source = p->liveness->source[at->first + k];
    if (operand_is_constant(operand))
        print_constant(p, p->ir->constants[operand - STATEMENT_CONSTANT]);
    else if (source)
        print_variable(p, source, mask);
    else if (p->hoisted && p->hoisted->load[at->first + k - p->hoisted->first]) {
        text_add(p->text, mask ? "simd_to_bits(" : "");
        print_load_value(p, p->hoisted->load[at->first + k - p->hoisted->first] - 1);
        text_add(p->text, mask ? ")" : "");
    } else if (p->keeps)
        text_add(p->text, "%c%u", mask ? 'm' : 's', operand);
    else
        print_slot(p, i, k, mask);
}

/* Two operands that are already a pair, in this order or swapped. */
static bool print_pair(const struct printer *p, uint32_t x, uint32_t y, bool mask) {
    uint32_t i = (x - 1) / 2, j = (y - 1) / 2;
    bool are_pair = x && y && i != j && p->pairs->mate[i] == j && (x - 1) % 2 == (y - 1) % 2, turned;
    if (!are_pair)
        return false;
    turned = p->pairs->high[i];
    const char *turn = mask ? "simd2_bits_turn(" : "simd2_turn(";
    text_add(p->text, "%s%c%u%s", turned ? turn : "", (x - 1) % 2 ? 'q' : 'p', turned ? j : i, turned ? ")" : "");
    return true;
}

static bool are_neighbours(const struct printer *p, size_t i, size_t j, uint32_t k) {
    return p->s->operands[p->s->list[j].first + k] == p->s->operands[p->s->list[i].first + k] + 1;
}

/* An operand of statement i and the same operand of its mate, as one vector. */
static void print_two(const struct printer *p, size_t i, uint32_t k, bool mask) {
    size_t j = mate_of(p, i);
    uint32_t first = p->s->list[i].first + k, second = p->s->list[j].first + k;
    uint32_t x = p->liveness->source[first], y = p->liveness->source[second];
    bool constant = operand_is_constant(p->s->operands[first]);
    if (print_pair(p, x, y, mask))
        return;
    if (!constant && !x && !y && are_neighbours(p, i, j, k)) {
        text_add(p->text, mask ? "simd2_to_bits(simd2_load(&S(%u)))" : "simd2_load(&S(%u))", p->s->operands[first]);
        return;
    }
    text_add(p->text, mask ? "simd2_bits_of(" : "simd2_of(");
    print_value(p, i, k, mask);
    text_add(p->text, ", ");
    print_value(p, j, k, mask);
    text_add(p->text, ")");
}

static void print_argument(const struct printer *p, size_t i, uint32_t k, bool mask) {
    if (is_paired(p, i))
        print_two(p, i, k, mask);
    else
        print_value(p, i, k, mask);
}

/* The value of an argument that is constant in both statements of a pair, else NaN. */
static double constant_of(const struct printer *p, size_t i, uint32_t k) {
    uint32_t operand = p->s->operands[p->s->list[i].first + k];
    double value = operand_is_constant(operand) ? p->ir->constants[operand - STATEMENT_CONSTANT] : NAN;
    if (!is_paired(p, i) || isnan(value))
        return value;
    uint32_t other = p->s->operands[p->s->list[mate_of(p, i)].first + k];
    return p->ir->constants[other - STATEMENT_CONSTANT] == value ? value : NAN;
}

/* ---- statements ---- */

/* Prints a name of a meaning; returns the length of the replaced part. */
static size_t print_name(const struct printer *p, const char *name, bool two) {
    static const char elementary[] = "elementary_", simd[] = "simd_";
    if (strncmp(name, elementary, strlen(elementary)) == 0) {
        text_add(p->text, two ? "simd2_call_" : "call_");
        return strlen(elementary);
    }
    text_add(p->text, two && islower((unsigned char)*name) ? "simd2_" : "");
    if (two && strncmp(name, simd, strlen(simd)) == 0)
        return strlen(simd);
    text_add_bytes(p->text, name, 1);
    return 1;
}

static bool is_part_of_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Prints the meaning with its arguments substituted for a, b, c, ... */
void print_meaning(const struct printer *p, size_t i) {
    struct function_shape shape = function_shape((enum function)p->s->list[i].function);
    bool inside = false; /* of a longer identifier */
    for (const char *c = shape.meaning; *c;) {
        bool alone = !inside && isalpha((unsigned char)*c) && !is_part_of_name(c[1]);
        if (alone && *c - 'a' < shape.arguments)
            print_argument(p, i, 1 + (uint32_t)(*c - 'a'), shape.masks >> (*c - 'a') & 1);
        if (!alone && !inside && isalpha((unsigned char)*c)) {
            c += print_name(p, c, is_paired(p, i));
            inside = true;
            continue;
        }
        if (!alone || *c - 'a' >= shape.arguments)
            text_add_bytes(p->text, c, 1);
        inside = is_part_of_name(*c);
        c++;
    }
}

/* A product; factors of 1 are omitted, which preserves all bits. */
static void print_product(const struct printer *p, size_t i, uint32_t k) {
    double a = fabs(constant_of(p, i, k)), b = fabs(constant_of(p, i, k + 1));
    if (a != 1)
        print_argument(p, i, k, false);
    if (a != 1 && b != 1)
        text_add(p->text, " * ");
    if (b != 1)
        print_argument(p, i, k + 1, false);
    if (a == 1 && b == 1)
        text_add(p->text, is_paired(p, i) ? "simd2_all(1)" : "simd_all(1)");
}

static bool product_turns(const struct printer *p, size_t i, uint32_t k) {
    return (constant_of(p, i, k) == -1) != (constant_of(p, i, k + 1) == -1);
}

/* One rounding per C statement: each product separately. Adding -1 times a number is a subtraction. */
static void print_sum(const struct printer *p, size_t i, const char *name) {
    const struct statement *at = &p->s->list[i];
    bool minus = at->function == SUM_MINUS || at->function == SUM_BACK;
    uint32_t k = 1;
    bool two = is_paired(p, i);
    text_add(p->text, "    %s %s = ", two ? "simd2" : "simd", name);
    if (function_sum_starts(at->function))
        print_argument(p, i, k++, false);
    else if (at->function == SUM_ZERO)
        text_add(p->text, two ? "simd2_all(0)" : "simd_all(0)");
    else {
        text_add(p->text, product_turns(p, i, k) ? "-(" : "(");
        print_product(p, i, k);
        text_add(p->text, ")");
        k += 2;
    }
    text_add(p->text, ";\n");
    for (; k < at->count; k += 2) {
        text_add(p->text, "    %s %c= ", name, minus != product_turns(p, i, k) ? '-' : '+');
        print_product(p, i, k);
        text_add(p->text, ";\n");
    }
}

static bool is_stored(const struct printer *p, size_t i, uint32_t d) {
    return p->liveness->stored[i] >> d & 1;
}

/* part: low or high half of a pair. Masks are stored as numbers, because slots may be C scalars. */
static void print_store(const struct printer *p, size_t i, uint32_t d, bool mask, const char *part, const char *name) {
    text_add(p->text, "    ");
    print_slot(p, i, d, false);
    text_add(p->text, mask ? " = simd_of_bits(" : " = ");
    if (part)
        text_add(p->text, "simd2_%s%s(%s)", mask ? "bits_" : "", part, name);
    else
        text_add(p->text, "%s", name);
    text_add(p->text, mask ? ");\n" : ";\n");
}

static void print_stores(const struct printer *p, size_t i, bool mask) {
    bool two = is_paired(p, i);
    size_t j = two ? mate_of(p, i) : i;
    char name[24];
    for (uint32_t d = 0; d < statement_destinations(&p->s->list[i]); d++) {
        bool low = is_stored(p, i, d), high = two && is_stored(p, j, d), both = low && high;
        snprintf(name, sizeof name, "%c%zu", (two ? "pq" : "vw")[d], i - p->region->first);
        if (both && are_neighbours(p, i, j, d)) {
            text_add(p->text, mask ? "    simd2_store(&S(%u), simd2_of_bits(%s));\n" : "    simd2_store(&S(%u), %s);\n",
                     p->s->operands[p->s->list[i].first + d], name);
            continue;
        }
        if (low)
            print_store(p, i, d, mask, two ? "low" : NULL, name);
        if (high)
            print_store(p, j, d, mask, "high", name);
    }
}

static void print_call_sincos(const struct printer *p, size_t i) {
    size_t number = i - p->region->first;
    bool two = is_paired(p, i);
    char sine = two ? 'p' : 'v', cosine = two ? 'q' : 'w';
    text_add(p->text, "    %s %c%zu, %c%zu;\n    %scall_sincos(", two ? "simd2" : "simd", sine, number, cosine, number,
             two ? "simd2_" : "");
    print_argument(p, i, 2, false);
    text_add(p->text, ", &%c%zu, &%c%zu);\n", sine, number, cosine, number);
}

/* Without the branch of a division, which would split the basic block. */
static void print_quick_inverse(const struct printer *p, size_t i) {
    bool added = p->s->list[i].function == ROW_INVERSE_ADDED;
    text_add(p->text, "    %ssimd v%zu = pivot_quick%s(", p->keeps ? "" : "const ", i - p->region->first,
             added ? "_added" : "");
    print_argument(p, i, 1, false);
    text_add(p->text, ", ");
    print_argument(p, i, 2, false);
    text_add(p->text, ", &doubt);\n");
}

/* The result of a call that a loop has computed earlier (call_batching.h). */
static void print_called(const struct printer *p, size_t i) {
    size_t results = call_loop_results(p->calls), first = (p->calls->place[i] - 1) * results;
    size_t number = i - p->region->first;
    text_add(p->text, "    const simd v%zu = called[%zu];\n", number, first);
    if (results > 1)
        text_add(p->text, "    const simd w%zu = called[%zu];\n", number, first + 1);
}

void print_statement(const struct printer *p, size_t i) {
    enum function function = (enum function)p->s->list[i].function;
    size_t number = i - p->region->first;
    bool two = is_paired(p, i), mask = false;
    char name[24];
    if (function_is_act(function)) {
        text_add(p->text, "    ");
        print_meaning(p, i);
        text_add(p->text, ";\n");
        return;
    }
    if (!p->liveness->used[i] && !p->liveness->stored[i])
        return; /* dead value */
    snprintf(name, sizeof name, "%c%zu", two ? 'p' : 'v', number);
    if (p->calls && p->calls->place && p->calls->place[i])
        print_called(p, i);
    else if (function == FUNCTION_SINCOS)
        print_call_sincos(p, i);
    else if (function_is_sum(function))
        print_sum(p, i, name);
    else if (p->quick && function_is_inverse(function))
        print_quick_inverse(p, i);
    else {
        mask = function_shape(function).mask;
        text_add(p->text, "    %s%s%s %s = ", p->keeps ? "" : "const ", two ? "simd2" : "simd", mask ? "_bits" : "",
                 name);
        print_meaning(p, i);
        text_add(p->text, ";\n");
    }
    print_stores(p, i, mask);
}

/* ---- elementary functions ---- */

/* A function with more call sites is not inlined. */
enum { INLINE_SITES = 36 };

/* Number of call sites per function; the body of a loop counts once. False when out of memory. */
static bool count_sites(const struct ir_module *ir, size_t *sites) {
    bool done = true;
    for (int e = 0; e < KERNEL_ENTRIES && done; e++) {
        const struct statements *s = &ir->entry[e];
        struct regions regions;
        regions_find(&regions, s, ir, REGION_OPERANDS);
        for (size_t r = 0; r < regions.count; r++)
            for (size_t i = 0; i < regions.list[r].period; i++)
                sites[s->list[regions.list[r].first + i].function]++;
        done = !regions.failed;
        regions_release(&regions);
    }
    return done;
}

static const char *call_kind(size_t sites) {
    return sites > INLINE_SITES ? "static GENERATED" : "SIMD_INLINE";
}

static void print_call(struct text *text, const char *name, bool binary, size_t sites, enum print_calls calls) {
    const char *type = calls == CALLS_ONE ? "simd" : "simd2", *prefix = calls == CALLS_ONE ? "" : "simd2_";
    text_add(text, "\n%s %s %scall_%s(%s a%s%s%s) {\n", call_kind(sites), type, prefix, name, type, binary ? ", " : "",
             binary ? type : "", binary ? " b" : "");
    if (calls == CALLS_HALVES)
        text_add(text, "    return simd2_of(call_%s(a[0]%s), call_%s(a[1]%s));\n}\n", name, binary ? ", b[0]" : "",
                 name, binary ? ", b[1]" : "");
    else
        text_add(text, "    return %selementary_%s(a%s);\n}\n", prefix, name, binary ? ", b" : "");
}

static void print_sincos(struct text *text, size_t sites, enum print_calls calls) {
    const char *type = calls == CALLS_ONE ? "simd" : "simd2", *prefix = calls == CALLS_ONE ? "" : "simd2_";
    text_add(text, "\n%s void %scall_sincos(%s a, %s *sine, %s *cosine) {\n", call_kind(sites), prefix, type, type,
             type);
    if (calls == CALLS_HALVES)
        text_add(text, "    simd s[2], c[2];\n    call_sincos(a[0], s, c);\n    call_sincos(a[1], s + 1, c + 1);\n"
                       "    *sine = simd2_of(s[0], s[1]);\n    *cosine = simd2_of(c[0], c[1]);\n}\n");
    else
        text_add(text, "    %selementary_sincos(a, sine, cosine);\n}\n", prefix);
}

void print_calls(struct text *text, const struct ir_module *ir, enum print_calls kind) {
    size_t sites[FUNCTIONS] = {0};
    text->failed = !count_sites(ir, sites) || text->failed;
    for (uint32_t op = 0; op < OP_COUNT; op++) {
        struct function_shape shape = function_shape((enum function)op);
        if (sites[op] > 0 && shape.call)
            print_call(text, operator_text((enum op)op), shape.arguments == 2, sites[op], kind);
    }
    if (sites[FUNCTION_SINCOS] > 0)
        print_sincos(text, sites[FUNCTION_SINCOS], kind);
}

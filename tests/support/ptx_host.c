/* ptx_host.c - see ptx_host.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/ptx_host.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind the head of the text; what instructions need beside operators. */
static const char helpers[] =
    "static inline double host_number(uint64_t bits) {\n    double a;\n    __builtin_memcpy(&a, &bits, 8);\n    return "
    "a;\n}\n"
    "static inline float host_float(uint32_t bits) {\n    float a;\n    __builtin_memcpy(&a, &bits, 4);\n    return "
    "a;\n}\n"
    "static inline uint64_t host_bits(double a) {\n    uint64_t b;\n    __builtin_memcpy(&b, &a, 8);\n    return "
    "b;\n}\n"
    "static inline uint32_t host_float_bits(float a) {\n    uint32_t b;\n    __builtin_memcpy(&b, &a, 4);\n    return "
    "b;\n}\n"
    "static inline double host_estimate(double d) {\n"
    "    return host_number(host_bits(1 / d) & UINT64_C(0xffffffff00000000));\n}\n"
    "static inline float host_estimate_float(float d) {\n"
    "    return __builtin_fabsf(d) > 0x1p-3f && __builtin_fabsf(d) < 0x1p3f ? 1 / d : 0x1p101f;\n}\n"
    /* the high word of a double, and 0x300402 */
    "static inline bool host_doubts(float high) {\n"
    "    int exponent = (int)((host_float_bits(high) - 0x300402U) >> 20 & 0x7ff) - 1023;\n"
    "    return exponent < -3 || exponent > 2;\n}\n";

struct translation {
    char *text;
    size_t length, capacity;
    bool failed;
};

static void add_bytes(struct translation *t, const char *bytes, size_t count) {
    if (t->length + count + 1 > t->capacity) {
        size_t capacity = 2 * (t->length + count + 1);
        char *text = realloc(t->text, capacity);
        t->failed = t->failed || !text;
        if (!text)
            return;
        t->text = text;
        t->capacity = capacity;
    }
    memcpy(t->text + t->length, bytes, count);
    t->length += count;
    t->text[t->length] = '\0';
}

__attribute__((format(printf, 2, 3))) static void add(struct translation *t, const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    add_bytes(t, line, (size_t)length);
}

/* ---- operands ---- */

enum { MOST_OPERANDS = 5, OPERAND = 64 };

struct instruction {
    char name[32];
    char operand[MOST_OPERANDS][OPERAND]; /* as C++ */
    int count;
    int bits; /* of its type, or 0 */
};

/* Registers with numbers are arrays: nv12 is nv[12]. */
static void take_register(char *to, const char *from, size_t length) {
    size_t letters = 0;
    while (letters < length && isalpha((unsigned char)from[letters]))
        letters++;
    if (letters == length)
        snprintf(to, OPERAND, "%.*s", (int)length, from);
    else
        snprintf(to, OPERAND, "%.*s[%.*s]", (int)letters, from, (int)(length - letters), from + letters);
}

/* Places of the array of spill.h lie one behind the other on a host. */
static void take_address(char *to, const char *from, int bits) {
    unsigned long offset = strtoul(strchr(from, '+') + 1, NULL, 10) / (bits == 32 ? 4UL : 8UL);
    enum { WARP = 32 };
    if (strncmp(from, "[slots", 6) == 0)
        snprintf(to, OPERAND, "slots[%lu]", offset);
    else if (strncmp(from, "[own", 4) == 0)
        snprintf(to, OPERAND, "SPILL_AT(SPILL_NEAR + %lu)", offset);
    else
        snprintf(to, OPERAND, "SPILL_AT(%lu)", offset / WARP);
}

static void take_operand(char *to, const char *from, size_t length, int bits) {
    if (from[0] == '[')
        take_address(to, from, bits);
    else if (from[0] == '{')
        snprintf(to, OPERAND, "%.*s", (int)length, from);
    else if (from[0] == '0' && from[1] == 'd')
        snprintf(to, OPERAND, "host_number(UINT64_C(0x%.*s))", (int)(length - 2), from + 2);
    else if (from[0] == '0' && from[1] == 'f')
        snprintf(to, OPERAND, "host_float(UINT32_C(0x%.*s))", (int)(length - 2), from + 2);
    else if (isdigit((unsigned char)from[0]) || from[0] == '-')
        snprintf(to, OPERAND, "%.*s", (int)length, from);
    else
        take_register(to, from, length);
}

/* ---- instructions ---- */

static bool is(const struct instruction *i, const char *begins) {
    return strncmp(i->name, begins, strlen(begins)) == 0;
}

static bool add_binary(struct translation *t, const struct instruction *i) {
    static const char *const operators[][2] = {{"add.rn.f", "+"}, {"add.f", "+"}, {"sub.rn.f", "-"}, {"sub.f", "-"},
                                               {"mul.rn.f", "*"}, {"mul.f", "*"}, {"div.rn.f", "/"}};
    for (size_t k = 0; k < sizeof operators / sizeof operators[0]; k++)
        if (is(i, operators[k][0])) {
            add(t, "%s = %s %s %s;\n", i->operand[0], i->operand[1], operators[k][1], i->operand[2]);
            return true;
        }
    return false;
}

static bool add_comparison(struct translation *t, const struct instruction *i) {
    static const char *const comparisons[][2] = {
        {"setp.lt.f", "%s = %s < %s;\n"},   {"setp.le.f", "%s = %s <= %s;\n"}, {"setp.eq.", "%s = %s == %s;\n"},
        {"setp.neu.f", "%s = %s != %s;\n"}, {"setp.ne.s", "%s = %s != %s;\n"}, {"setp.gtu.f", "%s = !(%s <= %s);\n"}};
    if (strcmp(i->operand[0], "wrong") == 0 && is(i, "setp")) {
        add(t, "wrong = host_doubts(%s);\n", i->operand[1]);
        return true;
    }
    for (size_t k = 0; k < sizeof comparisons / sizeof comparisons[0]; k++)
        if (is(i, comparisons[k][0])) {
            char line[3 * OPERAND + 32];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(line, sizeof line, comparisons[k][1], i->operand[0], i->operand[1], i->operand[2]);
#pragma GCC diagnostic pop
            add(t, "%s", line);
            return true;
        }
    return false;
}

static bool add_function(struct translation *t, const struct instruction *i) {
    const char *to = i->operand[0], *a = i->operand[1], *b = i->operand[2], *c = i->operand[3];
    const char *small = i->bits == 32 ? "f" : "";
    if (is(i, "rcp.rn"))
        add(t, "%s = 1 / %s;\n", to, a);
    else if (is(i, "rcp.approx"))
        add(t, "%s = host_estimate%s(%s);\n", to, i->bits == 32 ? "_float" : "", a);
    else if (is(i, "sqrt"))
        add(t, "%s = __builtin_sqrt%s(%s);\n", to, small, a);
    else if (is(i, "neg"))
        add(t, "%s = -%s;\n", to, a);
    else if (is(i, "abs"))
        add(t, "%s = __builtin_fabs%s(%s);\n", to, small, a);
    else if (is(i, "max"))
        add(t, "%s = __builtin_fmaxf(%s, %s);\n", to, a, b);
    else if (is(i, "fma") && i->bits == 32) /* fused where the compiler is told so */
        add(t, "%s = %s * %s + %s;\n", to, a, b, c);
    else if (is(i, "fma"))
        add(t, "%s = __builtin_fma(%s, %s, %s);\n", to, a, b, c);
    else if (is(i, "selp"))
        add(t, "%s = %s ? %s : %s;\n", to, c, a, b);
    else
        return false;
    return true;
}

static bool add_logic(struct translation *t, const struct instruction *i) {
    const char *to = i->operand[0], *a = i->operand[1], *b = i->operand[2];
    if (is(i, "not.pred"))
        add(t, "%s = !%s;\n", to, a);
    else if (is(i, "and.pred"))
        add(t, "%s = %s & %s;\n", to, a, b);
    else if (is(i, "or.pred"))
        add(t, "%s = %s | %s;\n", to, a, b);
    else if (is(i, "shr"))
        add(t, "%s = simd_bits_right(%s, %s);\n", to, a, b);
    else if (is(i, "shl"))
        add(t, "%s = simd_bits_left(%s, %s);\n", to, a, b);
    else if (is(i, "sub.s"))
        add(t, "%s = simd_bits_subtract(simd_bits_all(%s), %s);\n", to, a, b);
    else if (is(i, "add.s"))
        add(t, "%s = %s + %s;\n", to, a, b);
    else
        return false;
    return true;
}

/* Of bits: between a number and its two halves, or nb[0]. */
static bool add_move(struct translation *t, const struct instruction *i) {
    const char *to = i->operand[0], *a = i->operand[1];
    if (to[0] == '{')
        add(t, "ne[%c] = (uint32_t)host_bits(%s);\nne[%c] = (uint32_t)(host_bits(%s) >> 32);\n", to[3], a, to[7], a);
    else if (a[0] == '{')
        add(t, "%s = host_number((uint64_t)ne[%c] << 32 | ne[%c]);\n", to, a[7], a[3]);
    else if (strncmp(to, "nf", 2) == 0)
        add(t, "%s = host_float(%s);\n", to, a);
    else if (strncmp(to, "nb", 2) == 0 && isalpha((unsigned char)a[0]))
        add(t, "%s = simd_to_bits(%s);\n", to, a);
    else if (strncmp(a, "nb", 2) == 0)
        add(t, "%s = simd_of_bits(%s);\n", to, a);
    else
        add(t, "%s = %s;\n", to, a);
    return true;
}

static bool add_memory(struct translation *t, const struct instruction *i) {
    bool bits = strstr(i->name, ".b") != NULL;
    if (is(i, "ld."))
        add(t, bits ? "%s = simd_to_bits(%s);\n" : "%s = %s;\n", i->operand[0], i->operand[1]);
    else if (is(i, "st."))
        add(t, bits ? "%s = simd_of_bits(%s);\n" : "%s = %s;\n", i->operand[0], i->operand[1]);
    else
        return false;
    return true;
}

static bool add_instruction(struct translation *t, const struct instruction *i) {
    if (is(i, "mov."))
        return add_move(t, i);
    return add_binary(t, i) || add_comparison(t, i) || add_function(t, i) || add_logic(t, i) || add_memory(t, i);
}

/* "name a,b,c" */
static void translate(struct translation *t, const char *from, size_t length) {
    struct instruction i = {.count = 0};
    const char *at = memchr(from, ' ', length), *end = from + length;
    if (!at || (size_t)(at - from) >= sizeof i.name) {
        t->failed = true;
        return;
    }
    memcpy(i.name, from, (size_t)(at - from));
    const char *dot = strrchr(i.name, '.');
    i.bits = dot && isdigit((unsigned char)dot[2]) ? atoi(dot + 2) : 0; // NOLINT(cert-err34-c)
    while (at < end && i.count < MOST_OPERANDS) {
        const char *first = ++at;
        for (bool inside = false; at < end && (inside || *at != ','); at++)
            inside = (inside || *at == '{') && *at != '}';
        take_operand(i.operand[i.count++], first, (size_t)(at - first), i.bits);
    }
    if (add_instruction(t, &i))
        return;
    fprintf(stderr, "ptx_host: what is %.*s?\n", (int)length, from);
    t->failed = true;
}

/* The literals of PTX("..." "..."); returns what is behind them. */
static const char *translate_line(struct translation *t, const char *at) {
    char line[4096];
    size_t length = 0;
    bool inside = true; /* of a literal */
    for (; *at && (inside || *at != ')'); at++) {
        if (*at == '"')
            inside = !inside;
        else if (inside && *at == ';') {
            line[length] = '\0';
            translate(t, line, length);
            length = 0;
        } else if (inside && length + 1 < sizeof line)
            line[length++] = *at;
    }
    return *at ? at + 1 : at;
}

char *ptx_host(const char *text) {
    static const char line[] = "PTX(\"", place[] = "typedef double full;\n";
    struct translation t = {.text = NULL};
    const char *head = strstr(text, place), *at = text;
    if (head) {
        head += strlen(place);
        add_bytes(&t, text, (size_t)(head - text));
        add_bytes(&t, helpers, strlen(helpers));
        at = head;
    }
    for (const char *next; (next = strstr(at, line)) != NULL;) {
        add_bytes(&t, at, (size_t)(next - at));
        add(&t, "{\n");
        at = translate_line(&t, next + strlen(line));
        add(&t, "}");
    }
    add_bytes(&t, at, strlen(at));
    if (!t.failed)
        return t.text;
    free(t.text);
    return NULL;
}

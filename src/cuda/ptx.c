/* ptx.c - see ptx.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/ptx.h"

#include "base/memory.h"
#include "cuda/ptx_meaning.h"
#include "cuda/ptx_operations.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- instructions ---- */

static void open_text(struct ptx *x) {
    if (!x->open)
        text_add(x->text, "    PTX(\"");
    x->open = true;
}

static void close_text(struct ptx *x) {
    if (x->open)
        text_add(x->text, "\");\n");
    x->open = false;
}

void ptx_say(struct ptx *x, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    x->failed = x->failed || length < 0 || (size_t)length >= sizeof line;
    if (x->failed)
        return;
    open_text(x);
    text_add_bytes(x->text, line, (size_t)length);
}

void ptx_say_short(struct ptx *x, const char *name, const struct ptx_operand *to, const struct ptx_operand *const *from,
                   size_t count) {
    open_text(x);
    text_add_bytes(x->text, name, strlen(name));
    text_add_bytes(x->text, " ", 1);
    text_add_bytes(x->text, to->name, strlen(to->name));
    for (size_t i = 0; i < count; i++) {
        const struct ptx_spelling own =
            from[i]->kind == PTX_KNOWN_NUMBER ? ptx_spell(x, from[i]) : (struct ptx_spelling){""};
        const char *text = from[i]->kind == PTX_KNOWN_NUMBER ? own.text : from[i]->name;
        text_add_bytes(x->text, ",", 1);
        text_add_bytes(x->text, text, strlen(text));
    }
    text_add_bytes(x->text, ";", 1);
}

void ptx_name(char name[12], const char *kind, uint32_t number) {
    char digits[10];
    size_t count = 0, at = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0 && count < sizeof digits);
    while (*kind)
        name[at++] = *kind++;
    while (count > 0 && at < 11)
        name[at++] = digits[--count];
    name[at] = '\0';
}

/* A literal of C for each statement. */
static void end_statement(struct ptx *x) {
    if (x->open)
        text_add(x->text, "\"\n        \"");
    x->temporaries_most = x->temporaries > x->temporaries_most ? x->temporaries : x->temporaries_most;
    x->temporaries = 0;
}

struct ptx_operand ptx_temporary(struct ptx *x, enum ptx_kind kind) {
    struct ptx_operand own = {.kind = kind};
    if (kind == PTX_NUMBER && x->target[0] != '\0') {
        memcpy(own.name, x->target, sizeof own.name);
        x->target[0] = '\0';
        return own;
    }
    ptx_name(own.name, kind == PTX_PREDICATE ? "pt" : "nt", x->temporaries++);
    return own;
}

static int bits_of(const struct ptx *x) {
    return x->single ? 32 : 64;
}

static size_t bytes_of(const struct ptx *x) {
    return x->single ? sizeof(float) : sizeof(double);
}

struct ptx_spelling ptx_spell(const struct ptx *x, const struct ptx_operand *operand) {
    struct ptx_spelling spelling = {""};
    float narrow = (float)operand->number;
    uint32_t few;
    uint64_t many;
    memcpy(&few, &narrow, sizeof few);
    memcpy(&many, &operand->number, sizeof many);
    if (operand->kind != PTX_KNOWN_NUMBER)
        snprintf(spelling.text, sizeof spelling.text, "%s", operand->name);
    else if (x->single)
        snprintf(spelling.text, sizeof spelling.text, "0f%08" PRIX32, few);
    else
        snprintf(spelling.text, sizeof spelling.text, "0d%016" PRIX64, many);
    return spelling;
}

/* ---- values ---- */

static struct ptx *of(const struct printer *p) {
    return p->dialect->own;
}

static struct ptx_operand number_of(const struct ptx *x, double number) {
    double own = x->single ? (double)(float)number : number;
    return (struct ptx_operand){.kind = PTX_KNOWN_NUMBER, .number = own, .positive = own != 0 || !signbit(own)};
}

/* What lose() hands on is a number, though a mask in C. */
static bool gives_predicate(const struct printer *p, size_t statement) {
    enum function function = (enum function)p->s->list[p->region->first + statement].function;
    return !function_is_sum(function) && function != FUNCTION_SINCOS && function != ROW_LOSE_FINITE &&
           function_shape(function).mask;
}

static struct ptx_operand register_of_value(const struct printer *p, struct dialect_value value) {
    struct ptx_operand own = {.kind = PTX_NUMBER};
    if (value.kind == DIALECT_VALUE && gives_predicate(p, value.number))
        own.kind = PTX_PREDICATE;
    ptx_name(own.name, own.kind == PTX_PREDICATE ? "pv" : value.kind == DIALECT_SECOND ? "nw" : "nv", value.number);
    return own;
}

static struct ptx_operand register_of_slot(struct ptx *x, uint32_t slot, bool mask) {
    struct ptx_operand own = {.kind = mask ? PTX_PREDICATE : PTX_NUMBER};
    if (!x->register_of[slot])
        x->register_of[slot] = ++x->slots_named;
    ptx_name(own.name, mask ? "pm" : "ns", x->register_of[slot] - 1);
    return own;
}

static struct ptx_operand *known_of(const struct ptx *x, struct dialect_value value) {
    return &x->known[2 * (size_t)value.number + (value.kind == DIALECT_SECOND)];
}

/* A mask in memory is all ones or all zeros. */
static void say_read(struct ptx *x, const struct ptx_operand *to, const char *from, size_t offset) {
    if (to->kind == PTX_PREDICATE)
        ptx_say(x, "%s.b%d nb0,[%s+%zu];setp.ne.s%d %s,nb0,0;", from[0] == 'n' ? "ld.volatile.shared" : "ld.local",
                bits_of(x), from, offset, bits_of(x), to->name);
    else
        ptx_say(x, "%s.f%d %s,[%s+%zu];", from[0] == 'n' ? "ld.volatile.shared" : "ld.local", bits_of(x), to->name,
                from, offset);
}

static void say_write(struct ptx *x, const struct ptx_operand *value, const char *to, size_t offset) {
    const char *store = to[0] == 'n' ? "st.volatile.shared" : "st.local";
    int bits = bits_of(x);
    if (value->kind == PTX_PREDICATE)
        ptx_say(x, "selp.b%d nb0,-1,0,%s;%s.b%d [%s+%zu],nb0;", bits, value->name, store, bits, to, offset);
    else if (value->kind == PTX_KNOWN_MASK)
        ptx_say(x, "mov.b%d nb0,%d;%s.b%d [%s+%zu],nb0;", bits, value->truth ? -1 : 0, store, bits, to, offset);
    else if (value->kind == PTX_KNOWN_NUMBER) {
        const struct ptx_operand own = ptx_temporary(x, PTX_NUMBER);
        ptx_say(x, "mov.f%d %s,%s;%s.f%d [%s+%zu],%s;", bits, own.name, ptx_spell(x, value).text, store, bits, to,
                offset, own.name);
    } else
        ptx_say(x, "%s.f%d [%s+%zu],%s;", store, bits, to, offset, value->name);
}

/* Within a stretch a slot is read once. */
static struct ptx_operand read_slot(const struct printer *p, uint32_t slot, bool mask) {
    struct ptx *x = of(p);
    if (mask && slot == x->takes)
        return (struct ptx_operand){.kind = PTX_KNOWN_MASK, .truth = true};
    const struct ptx_operand own = register_of_slot(x, slot, mask);
    uint32_t *read_at = &x->read_at[2 * (size_t)slot + mask];
    if (!p->keeps && *read_at != x->stretch)
        say_read(x, &own, "slots", slot * bytes_of(x));
    *read_at = x->stretch;
    return own;
}

/* Argument k of statement i, which a predicate may be wanted of. */
static struct ptx_operand argument(const struct printer *p, size_t i, uint32_t k, bool mask) {
    struct ptx *x = of(p);
    const struct statement *at = &p->s->list[i];
    uint32_t operand = p->s->operands[at->first + k], source = p->liveness->source[at->first + k];
    if (operand_is_constant(operand))
        return number_of(x, p->ir->constants[operand - STATEMENT_CONSTANT]);
    if (!source)
        return read_slot(p, operand, mask);
    const struct dialect_value value = {(source - 1) % 2 ? DIALECT_SECOND : DIALECT_VALUE, (source - 1) / 2};
    const struct ptx_operand *known = known_of(x, value);
    struct ptx_operand own = known->kind != PTX_NONE ? *known : register_of_value(p, value);
    own.positive = known->positive;
    return own;
}

/* The value of a statement. What is known of it is not written down anywhere. */
static void ptx_give(const struct printer *p, struct dialect_value value, const struct ptx_operand *result) {
    struct ptx *x = of(p);
    const struct ptx_operand to = register_of_value(p, value);
    if (result->kind == PTX_KNOWN_NUMBER || result->kind == PTX_KNOWN_MASK) {
        *known_of(x, value) = *result;
        return;
    }
    *known_of(x, value) = (struct ptx_operand){.kind = PTX_NONE, .positive = result->positive};
    if (to.kind == PTX_PREDICATE)
        ptx_say(x, "mov.pred %s,%s;", to.name, result->name);
    else if (strcmp(to.name, result->name) != 0)
        ptx_say_short(x, x->single ? "mov.f32" : "mov.f64", &to, &result, 1);
}

/* ---- sums ---- */

/* A product without factors of 1 and -1; *turns: its sign is the other one. */
static struct ptx_operand ptx_product(const struct printer *p, size_t i, uint32_t k, bool *turns) {
    const struct ptx_operand a = argument(p, i, k, false), b = argument(p, i, k + 1, false);
    bool a_known = a.kind == PTX_KNOWN_NUMBER && fabs(a.number) == 1;
    bool b_known = b.kind == PTX_KNOWN_NUMBER && fabs(b.number) == 1;
    *turns = (a_known && a.number < 0) != (b_known && b.number < 0);
    if (a_known && b_known)
        return number_of(of(p), 1);
    return a_known ? b : b_known ? a : ptx_arithmetic(of(p), '*', &a, &b);
}

static struct ptx_operand first_term(const struct printer *p, size_t i, uint32_t *k) {
    enum function function = (enum function)p->s->list[i].function;
    bool turns;
    if (function == SUM_PLUS || function == SUM_MINUS)
        return argument(p, i, (*k)++, false);
    if (function == SUM_ZERO)
        return number_of(of(p), 0);
    const struct ptx_operand term = ptx_product(p, i, *k, &turns);
    *k += 2;
    return turns ? ptx_meaning(of(p), "-a", &term) : term;
}

/* The next number is the statement's value. */
static void aim(const struct printer *p, size_t i) {
    const struct dialect_value value = {DIALECT_VALUE, (uint32_t)(i - p->region->first)};
    memcpy(of(p)->target, register_of_value(p, value).name, sizeof of(p)->target);
}

static struct ptx_operand sum(const struct printer *p, size_t i) {
    const struct statement *at = &p->s->list[i];
    bool minus = at->function == SUM_MINUS || at->function == SUM_BACK, turns;
    uint32_t k = 1;
    struct ptx_operand total = first_term(p, i, &k);
    for (; k < at->count; k += 2) {
        const struct ptx_operand term = ptx_product(p, i, k, &turns);
        if (k + 2 >= at->count)
            aim(p, i);
        total = ptx_arithmetic(of(p), minus != turns ? '-' : '+', &total, &term);
    }
    return total;
}

/* ---- functions ---- */

static void take_arguments(const struct printer *p, size_t i, struct ptx_operand *arguments) {
    enum function function = (enum function)p->s->list[i].function;
    const struct function_shape shape = function_shape(function);
    bool lost = function == ROW_LOSE_FINITE || function == ROW_ALL_FINITE; /* which slots hold as numbers */
    for (uint32_t k = 0; k < shape.arguments; k++)
        arguments[k] = argument(p, i, 1 + k, (shape.masks >> k & 1) && !lost);
}

/* By a function of C: what it needs comes in variables a, b, c. */
static void by_call(const struct printer *p, size_t i) {
    const bool pair = p->s->list[i].function == FUNCTION_SINCOS;
    const struct function_shape shape = function_shape((enum function)p->s->list[i].function);
    const uint32_t count = pair ? 1 : shape.arguments, number = (uint32_t)(i - p->region->first);
    struct ptx *x = of(p);
    struct ptx_operand arguments[FUNCTION_MOST_ARGUMENTS];
    for (uint32_t k = 0; k < count; k++)
        arguments[k] = argument(p, i, statement_destinations(&p->s->list[i]) + k, false);
    close_text(x);
    text_add(x->text, "    {\n");
    for (uint32_t k = 0; k < count; k++)
        if (arguments[k].kind == PTX_KNOWN_NUMBER)
            text_add(x->text, "        const simd %c = simd_all(%a);\n", 'a' + (int)k, arguments[k].number);
        else
            text_add(x->text, "        simd %c;\n        PTX_TAKE(%c, %.2s, %s);\n", 'a' + (int)k, 'a' + (int)k,
                     arguments[k].name, arguments[k].name + 2);
    if (pair)
        text_add(x->text,
                 "        simd b, c;\n        call_sincos(a, &b, &c);\n        PTX_GIVE(nv, %u, b);\n"
                 "        PTX_GIVE(nw, %u, c);\n",
                 number, number);
    else
        text_add(x->text, "        PTX_GIVE(nv, %u, call_%s);\n", number, shape.meaning + strlen("elementary_"));
    text_add(x->text, "    }\n");
}

static bool is_call(enum function function) {
    return function == FUNCTION_SINCOS || (!function_is_sum(function) && function_shape(function).call);
}

/* One operator. */
static bool is_short(enum function function) {
    return function == FUNCTION_ADD || function == FUNCTION_SUB || function == FUNCTION_MUL ||
           function == FUNCTION_DIV || function == FUNCTION_NEG;
}

static void ptx_compute(const struct printer *p, size_t i) {
    enum function function = (enum function)p->s->list[i].function;
    struct ptx_operand arguments[FUNCTION_MOST_ARGUMENTS] = {{.kind = PTX_NONE}}, result;
    const struct dialect_value value = {DIALECT_VALUE, (uint32_t)(i - p->region->first)};
    if (is_call(function)) {
        by_call(p, i);
        return;
    }
    if (function_is_sum(function))
        result = sum(p, i);
    else {
        take_arguments(p, i, arguments);
        if (is_short(function))
            aim(p, i);
        result = p->quick && function_is_inverse(function)
                     ? ptx_quick_inverse(of(p), function == ROW_INVERSE_ADDED, &arguments[0], &arguments[1])
                     : ptx_meaning(of(p), function_shape(function).meaning, arguments);
    }
    of(p)->target[0] = '\0'; /* nothing was left to compute */
    of(p)->failed = of(p)->failed || result.kind == PTX_NONE;
    if (result.kind != PTX_NONE)
        ptx_give(p, value, &result);
}

/* ---- the dialect ---- */

static void say_statement(const struct printer *p, size_t i) {
    struct ptx *x = of(p);
    const struct statement *at = &p->s->list[i];
    ptx_compute(p, i);
    for (uint32_t d = 0; d < statement_destinations(at); d++) {
        uint32_t slot = p->s->operands[at->first + d];
        const struct dialect_value value = {d ? DIALECT_SECOND : DIALECT_VALUE, (uint32_t)(i - p->region->first)};
        const struct ptx_operand own = register_of_value(p, value), *known = known_of(x, value);
        if (!(p->liveness->stored[i] >> d & 1))
            continue;
        say_write(x, known->kind != PTX_NONE ? known : &own, "slots", slot * bytes_of(x));
        x->read_at[2 * (size_t)slot] = x->read_at[2 * (size_t)slot + 1] = 0;
    }
    end_statement(x);
}

static void say_again(const struct printer *p, size_t i) {
    ptx_compute(p, i);
    end_statement(of(p));
}

static void say_given(const struct printer *p, size_t i) {
    close_text(of(p));
    text_add(p->text, "    PTX_GIVE(nv, %zu, v%zu);\n    PTX_GIVE(nw, %zu, w%zu);\n", i, i, i, i);
}

static const char *ptx_place_of(const struct ptx *x, uint32_t place, size_t *offset) {
    enum { WARP = 32 };
    bool near = place < x->near;
    *offset = (near ? (size_t)place * WARP : place - x->near) * bytes_of(x);
    return near ? "near" : "own";
}

static struct ptx_operand register_of(const struct printer *p, struct dialect_value value) {
    if (value.kind == DIALECT_VALUE || value.kind == DIALECT_SECOND)
        return register_of_value(p, value);
    return register_of_slot(of(p), value.number, value.kind == DIALECT_MASK);
}

static bool ptx_is_known(const struct printer *p, struct dialect_value value) {
    bool made = value.kind == DIALECT_VALUE || value.kind == DIALECT_SECOND;
    return made && known_of(of(p), value)->kind != PTX_NONE;
}

/* What is known stays known; but a pinned slot's place is read by its slot. */
static void say_keep(const struct printer *p, struct dialect_value value, uint32_t place) {
    size_t offset;
    const char *at = ptx_place_of(of(p), place, &offset);
    const struct ptx_operand own = ptx_is_known(p, value) ? *known_of(of(p), value) : register_of(p, value);
    say_write(of(p), &own, at, offset);
    end_statement(of(p));
}

static void say_take(const struct printer *p, struct dialect_value value, uint32_t place) {
    size_t offset;
    const char *at = ptx_place_of(of(p), place, &offset);
    const struct ptx_operand own = register_of(p, value);
    if (ptx_is_known(p, value))
        return;
    say_read(of(p), &own, at, offset);
    end_statement(of(p));
}

static void say_slot(const struct printer *p, struct dialect_value value) {
    const struct ptx_operand own = register_of(p, value);
    if (value.kind == DIALECT_MASK && value.number == of(p)->takes)
        return;
    say_read(of(p), &own, "slots", value.number * bytes_of(of(p)));
    end_statement(of(p));
}

static void say_text(const struct printer *p, const char *text) {
    close_text(of(p));
    text_add(p->text, "%s", text);
    of(p)->stretch++;
}

static bool knows_region(const struct printer *p) {
    for (size_t i = p->region->first; i < p->region->first + p->region->period; i++) {
        enum function function = (enum function)p->s->list[i].function;
        bool known = function_is_sum(function) || (!function_is_act(function) && !is_call(function) &&
                                                   ptx_knows_meaning(function_shape(function).meaning));
        if (!known)
            return false;
    }
    return true;
}

static bool ptx_begin(const struct printer *p) {
    struct ptx *x = of(p);
    size_t slots = p->ir->slots, values = 2 * p->region->period;
    ptx_release(x);
    x->known = base_allocate((values + 1) * sizeof *x->known);
    x->register_of = base_allocate((slots + 1) * sizeof *x->register_of);
    x->read_at = base_allocate((2 * slots + 1) * sizeof *x->read_at);
    if (!x->known || !x->register_of || !x->read_at)
        return false;
    memset(x->known, 0, values * sizeof *x->known);
    memset(x->register_of, 0, slots * sizeof *x->register_of);
    memset(x->read_at, 0, 2 * slots * sizeof *x->read_at);
    x->text = p->text;
    x->statements = p->region->period;
    x->stretch = 1;
    x->open = false;
    x->slots_named = x->temporaries = x->temporaries_most = 0;
    return true;
}

static void declare(const struct printer *p, struct text *out) {
    ptx_print_declarations(of(p), out);
}

static void end(const struct printer *p) {
    close_text(of(p));
    p->text->failed = p->text->failed || of(p)->failed;
}

void ptx_create(struct ptx *x, bool single, uint32_t takes) {
    *x = (struct ptx){.single = single, .takes = takes};
    x->dialect = (struct dialect){.own = x,
                                  .begin = ptx_begin,
                                  .end = end,
                                  .declare = declare,
                                  .knows = knows_region,
                                  .statement = say_statement,
                                  .again = say_again,
                                  .given = say_given,
                                  .keep = say_keep,
                                  .take = say_take,
                                  .read = say_slot,
                                  .text = say_text};
}

void ptx_release(struct ptx *x) {
    base_release(x->known);
    base_release(x->register_of);
    base_release(x->read_at);
    x->known = NULL;
    x->register_of = x->read_at = NULL;
}

void ptx_print_declarations(const struct ptx *x, struct text *out) {
    text_add(out, "    ");
    ptx_print_registers(x, out);
    text_add(out, "\n    PTX_SLOTS(slots)\n");
}

void ptx_print_registers(const struct ptx *x, struct text *out) {
    text_add(out, "PTX_REGISTERS(%zu, %u, %u)", x->statements + 1, x->slots_named + 1, x->temporaries_most + 1);
}

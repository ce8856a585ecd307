/* listing.c - human-readable listing of a program: one line per instruction, slots as s12, constants by value.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/program.h"
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

struct listing {
    const struct program *program;
    char *buffer;
    size_t size, length; /* buffer size; length of the whole text, including truncated parts */
};

__attribute__((format(printf, 2, 3))) static void print(struct listing *listing, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    bool room = listing->length < listing->size;
    int added = vsnprintf(room ? listing->buffer + listing->length : NULL, room ? listing->size - listing->length : 0,
                          format, arguments);
    va_end(arguments);
    listing->length += added > 0 ? (size_t)added : 0;
}

static void print_offset(struct listing *listing, const char *before, uint32_t offset) {
    static const char names[SPACE_COUNT][8] = {"x", "y", "v", "t", "q", "s", "sigma", "lambda"};
    const struct program *program = listing->program;
    size_t slot = offset / program->stride;
    if (slot < program->constant_count) {
        print(listing, "%s%s", before, error_number(program->constants[slot]).text);
        return;
    }
    for (int space = 0; space < SPACE_COUNT; space++)
        if (slot >= program->leaf_slot[space] && slot - program->leaf_slot[space] < program->leaf_count[space]) {
            print(listing, "%s%s[%zu]", before, names[space], slot - program->leaf_slot[space]);
            return;
        }
    print(listing, "%s#%zu", before, slot);
}

static const char *code_text(uint32_t code) {
#define TEXT(name, text, meaning) text,
    static const char texts[][8] = {FUSED_LIST(TEXT) "sincos", "dot", "linear"};
#undef TEXT
    return code > CODE_FIRST ? texts[code - CODE_FIRST - 1] : operator_text((enum op)code);
}

static void print_sum(struct listing *listing, const struct instruction *at) {
    const uint32_t *pair = listing->program->pairs + 2 * (size_t)at->a;
    for (uint32_t k = 0; k < at->b; k++, pair += 2) {
        print_offset(listing, k == 0 ? " " : " + ", pair[0]);
        print_offset(listing, "*", pair[1]);
    }
}

static void print_linear(struct listing *listing, const struct instruction *at) {
    const struct program *program = listing->program;
    for (uint32_t k = 0; k < at->b; k++) {
        print(listing, "%s%s", k == 0 ? " " : " + ", error_number(program->coefficients[at->a + k]).text);
        print_offset(listing, "*", program->columns[at->c + k]);
    }
}

static void print_instruction(struct listing *listing, const struct instruction *at) {
    const uint32_t arguments[MOST_ARGUMENTS] = {at->a, at->b, at->c};
    print_offset(listing, "    ", at->destination);
    if (at->code == CODE_SINCOS)
        print_offset(listing, ", ", at->c);
    print(listing, " = %s", code_text(at->code));
    if (at->code == CODE_DOT)
        print_sum(listing, at);
    else if (at->code == CODE_LINEAR)
        print_linear(listing, at);
    else
        for (int i = 0; i < instruction_arguments(at->code) && i < MOST_ARGUMENTS; i++)
            print_offset(listing, i == 0 ? " " : ", ", arguments[i]);
    print(listing, "\n");
}

size_t program_listing(const struct program *program, char *buffer, size_t size) {
    struct listing listing = {program, buffer, size, 0};
    if (size > 0)
        buffer[0] = '\0';
    print(&listing, "%zu slots, %zu constants, %zu instructions\n", program->slots, program->constant_count,
          program->first[PHASES]);
    for (int phase = 0; phase < PHASES; phase++) {
        print(&listing, "phase %d: %zu operators\n", phase, program->operators[phase]);
        for (size_t i = program->first[phase]; i < program->first[phase + 1]; i++)
            print_instruction(&listing, &program->code[i]);
    }
    for (size_t i = 0; i < program->output_count; i++) {
        print(&listing, "output %zu", i);
        print_offset(&listing, ": ", program->output_slot[i] * program->stride);
        print(&listing, "\n");
    }
    return listing.length;
}

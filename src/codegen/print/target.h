/* target.h - statements in another language than C: who prints straight lines of them (print.h) asks here where there is a dialect.
 *
 * A value is a variable of the dialect's own from where a statement, a place or a slot gives it until it is given anew; variables of C are
 * others. Text of C may stand between any two statements.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_TARGET_H
#define HN_CODEGEN_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct printer;
struct text;

enum dialect_kind { DIALECT_VALUE, DIALECT_SECOND, DIALECT_SLOT, DIALECT_MASK };

/* The first or second destination of a statement, by its number in the region; a slot read as a number or as a mask. */
struct dialect_value {
    enum dialect_kind kind;
    uint32_t number;
};

struct dialect {
    void *own;
    /* Around the statements of a region. False: memory is out. */
    bool (*begin)(const struct printer *p);
    void (*end)(const struct printer *p);
    /* After that: what stands at the beginning of a function of these statements, which has the thread's slots as `slots`. */
    void (*declare)(const struct printer *p, struct text *out);
    /* Whether all statements of a region can be printed without text of C between them. */
    bool (*knows)(const struct printer *p);
    /* A statement, with what it stores; the same once more, for its value alone. */
    void (*statement)(const struct printer *p, size_t i);
    void (*again)(const struct printer *p, size_t i);
    /* Both values of a sine and cosine that text of C has left in its variables v and w. */
    void (*given)(const struct printer *p, size_t i);
    /* To and from a place of the array of spill.h, and from a slot. */
    void (*keep)(const struct printer *p, struct dialect_value value, uint32_t place);
    void (*take)(const struct printer *p, struct dialect_value value, uint32_t place);
    void (*read)(const struct printer *p, struct dialect_value value);
    /* Text of C, which may change slots. */
    void (*text)(const struct printer *p, const char *text);
};

#endif

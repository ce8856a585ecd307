/* ptx.h - statements as PTX, the language of a device's assembler, inside CUDA C++.
 *
 * CUDA's compiler optimises C++ first, on one core, and assembles then, on many. Straight lines of generated statements leave the first
 * half nothing to find, but take it most of its time; as text that it does not look into they take none. The registers of such lines are
 * their own:
 *
 *     nv3 nw3 pv3   the values of statement 3: numbers, the second one of a sine and cosine, masks as predicates
 *     ns3 pm3       the slot that has number 3 here, read as a number or as a mask
 *     nt3 pt3       numbers and predicates within a statement; nb, ne, nf, nu, wrong: others that it needs
 *     slots own near   addresses: of the thread's slots, of its places for what does not fit (codegen/print/spill.h), of those in shared memory
 *
 * What functions mean is compiled from the same texts that C is printed from (codegen/ir/functions.h): ptx_meaning.h. Sums, differences,
 * products are rounded one by one (.rn); of floats the assembler may fuse them. tests/device/ptx_host.h runs the same text on a host.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_PTX_H
#define HN_CUDA_PTX_H

#include "codegen/print/print_parts.h"

/* A number, a mask, or what is known of it. */
enum ptx_kind { PTX_NONE, PTX_NUMBER, PTX_PREDICATE, PTX_KNOWN_NUMBER, PTX_KNOWN_MASK };

struct ptx_operand {
    enum ptx_kind kind;
    char name[12]; /* of its register */
    double number;
    bool truth;
    bool positive; /* a number that is never -0, so that adding 0 changes no bit of it */
};

struct ptx {
    struct dialect dialect;
    bool single;    /* floats */
    uint32_t near;  /* places of spill.h in shared memory: the first ones */
    uint32_t takes; /* the slot of a mask that is always set */
    /* of the line that is printed: */
    struct text *text;
    bool open;                 /* a text of instructions is begun */
    char target[12];           /* the register that the next number goes to; "": one within the statement */
    uint32_t temporaries;      /* of the present statement, and at most */
    uint32_t temporaries_most; /* of each kind */
    size_t statements;         /* in the line */
    struct ptx_operand
        *known; /* per value, 2 (statement) + destination: what is known of it; PTX_NONE: nothing but its sign */
    uint32_t *register_of; /* per slot: 1 + its number here, or 0 */
    uint32_t slots_named;
    uint32_t *read_at; /* per slot and per slot read as a mask: the stretch in which it was read; 0: it was not */
    uint32_t stretch;  /* between texts that may change slots, from 1 on */
    bool failed;       /* memory is out */
};

void ptx_create(struct ptx *x, bool single, uint32_t takes);
void ptx_release(struct ptx *x);

/* Declarations of all registers of the line that was printed last. */
void ptx_print_registers(const struct ptx *x, struct text *out);

/* The same, and where slots are: at the beginning of a function of (real *slots). */
void ptx_print_declarations(const struct ptx *x, struct text *out);

/* ---- for ptx_operations.c ---- */

/* One instruction, or several: "add.rn.f64 nv3,nv1,nv2;" */
__attribute__((format(printf, 2, 3))) void ptx_say(struct ptx *x, const char *format, ...);

/* One instruction of a result and so many operands: a name such as "add.rn.f64", which printf would take three times as long for. */
void ptx_say_short(struct ptx *x, const char *name, const struct ptx_operand *to, const struct ptx_operand *const *from,
                   size_t count);

struct ptx_operand ptx_temporary(struct ptx *x, enum ptx_kind kind);

/* A register's name. */
void ptx_name(char name[12], const char *kind, uint32_t number);

/* How an operand is written: a register, or a number with all its bits. A mask that is known has no way to be written. */
struct ptx_spelling {
    char text[24];
};
struct ptx_spelling ptx_spell(const struct ptx *x, const struct ptx_operand *operand);

#endif

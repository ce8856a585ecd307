/* tree.h - the syntax tree, made by the parser and read by the evaluator: expressions, index lists, declarations,
 * commands.
 *
 * Everything is in the reader's arena until the model is built. Chains of operators of one rank (a + b - c + ...) are
 * one node with many arguments, so that a tree is never deeper than the nesting of the text, which the parser limits.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_TREE_H
#define HN_AMPL_TREE_H

#include "ampl/sources.h"
#include "ampl/tables.h"

/* The type of an expression. */
enum ampl_type { AMPL_SCALAR, AMPL_LOGICAL, AMPL_SET, AMPL_TUPLE };

/* Arguments in brackets; a chain stores the token or word before argument i in its signs. */
enum ampl_op {
    AMPL_NUMERAL,        /* number */
    AMPL_LITERAL,        /* symbol */
    AMPL_DUMMY,          /* slot of the frame; item: the set it iterates over */
    AMPL_REFERENCE,      /* declaration [subscripts] */
    AMPL_SUFFIX,         /* the same for a variable, with enum ampl_suffix as the dimension */
    AMPL_CHAIN_ADD,      /* + - less */
    AMPL_CHAIN_MULTIPLY, /* * / div mod */
    AMPL_CHAIN_JOIN,     /* & */
    AMPL_NEGATE,
    AMPL_RAISE,    /* [base, exponent] */
    AMPL_CALL,     /* word [arguments] */
    AMPL_DRAW,     /* draw [arguments] */
    AMPL_PIECES,   /* slot: breakpoints [items of breakpoints, items of slopes, argument, where it is zero] */
    AMPL_ITEM,     /* optional indexing [value] */
    AMPL_NET,      /* declaration of a goal: the contributions of variables to it; dimension 1: negated */
    AMPL_SUM_OVER, /* indexing [body]; likewise the next three */
    AMPL_PRODUCT_OVER,
    AMPL_MIN_OVER,
    AMPL_MAX_OVER,
    AMPL_CHOICE, /* [condition, yes] or [condition, yes, no]; scalar or set */
    AMPL_CHAIN_OR,
    AMPL_CHAIN_AND,
    AMPL_NEITHER,   /* not */
    AMPL_COMPARE,   /* a < b <= c: a chain */
    AMPL_MEMBER_OF, /* [scalar or tuple, set] */
    AMPL_SUBSET_OF, /* [set, set] */
    AMPL_EXISTS_OVER,
    AMPL_FORALL_OVER,
    AMPL_PROGRESSION,     /* a .. b by c */
    AMPL_MEMBERS,         /* {a, b, c}, also of tuples */
    AMPL_CHAIN_UNION,     /* union diff symdiff */
    AMPL_CHAIN_INTERSECT, /* inter */
    AMPL_CHAIN_CROSS,
    AMPL_SET_OVER,       /* {i in S: condition} as a set */
    AMPL_IMAGE_OVER,     /* setof {..} tuple */
    AMPL_UNION_OVER,     /* union {..} set */
    AMPL_INTERSECT_OVER, /* inter {..} set */
    AMPL_INTERVAL,       /* slot: enum ampl_interval; [low, high], or empty for all numbers */
    AMPL_LIST            /* (a, b, c) */
};

/* Bits of an interval. */
enum ampl_interval { AMPL_ABOVE_LOW = 1, AMPL_BELOW_HIGH = 2, AMPL_WHOLE = 4 };

/* The meaning of .lb, .ub and .val, and of equivalent suffixes. */
enum ampl_suffix { AMPL_SUFFIX_LOWER, AMPL_SUFFIX_UPPER, AMPL_SUFFIX_START, AMPL_SUFFIX_OTHER };

struct ampl_index_item;
struct ampl_indexing;
struct ampl_declaration;

/* A call of a random function. Its value depends on the seed, on its position and on its dummies. */
struct ampl_draw {
    uint32_t word;
    uint32_t scope;   /* dummies: the slots before this one */
    uint32_t owner;   /* symbol of the declared name; 0: a command */
    uint32_t command; /* its number */
    uint32_t number;  /* of the call in its statement */
    uint64_t seed;    /* 0: not specified before */
};

struct ampl_node {
    uint8_t op, type;
    bool varies;       /* may depend on inputs or variables: set by ampl_mark_varying */
    uint8_t dimension; /* of a SET; 0: the empty set, of any dimension */
    uint32_t count;    /* arguments */
    struct ampl_place place;
    union {
        double number;
        uint32_t symbol, slot, word;
        struct ampl_declaration *declaration;
        const uint16_t *signs; /* of a chain */
        const struct ampl_draw *draw;
    } is;
    union {
        const struct ampl_indexing *indexing;
        const struct ampl_index_item *item; /* of a dummy */
    } over;
    struct ampl_node *arguments[];
};

/* One component of an index: a new dummy with a slot, or a fixed value. */
struct ampl_component {
    uint32_t slot, symbol;   /* of the dummy; 0: none */
    struct ampl_node *fixed; /* NULL: free */
};

struct ampl_index_item {
    struct ampl_node *set;
    uint32_t count; /* of components */
    struct ampl_component *components;
    struct ampl_index_item *next;
};

struct ampl_indexing {
    struct ampl_place place;
    struct ampl_index_item *items;
    uint32_t arity, first_slot;  /* the slots of its free components, in order, start at first_slot */
    struct ampl_node *condition; /* NULL: none */
};

/* A contribution to a goal in the declaration of a variable: from, to, obj, coeff, cover. */
struct ampl_contribution {
    struct ampl_place place;
    bool minus;                           /* from */
    const struct ampl_indexing *indexing; /* NULL: none */
    struct ampl_node *target;             /* reference to the goal */
    struct ampl_node *factor;             /* NULL: 1 */
    struct ampl_contribution *next;
};

enum ampl_kind { AMPL_SETS, AMPL_PARAMS, AMPL_VARIABLES, AMPL_CONSTRAINTS, AMPL_OBJECTIVES };

struct ampl_attribute {
    uint32_t relation; /* token of >= <= > < <>; a name: in or within */
    struct ampl_node *bound;
    struct ampl_attribute *next; /* in the order of the text */
};

struct ampl_declaration {
    enum ampl_kind kind;
    uint32_t name; /* symbol */
    struct ampl_place place;
    const struct ampl_indexing *indexing; /* NULL: scalar */
    uint32_t arity, slots;                /* subscripts; size of its frame */
    uint32_t dimension;                   /* of a set's members */
    bool dimensioned;                     /* the text specifies it; otherwise it is 1 */
    struct ampl_attribute *attributes;
    struct ampl_node *value;    /* := or = */
    struct ampl_node *fallback; /* default */
    bool defined;               /* by =, permanently */
    bool integer, binary, symbolic, ordered, circular, maximize;
    struct ampl_node *order;       /* the set that orders a set; NULL: insertion order */
    bool reversed;                 /* in reverse */
    bool arranging;                /* its order is being evaluated */
    struct ampl_place integrality; /* of an integer or binary variable: the place of that word */
    bool varies;                   /* see ampl_node */
    bool recursive;                /* its value refers to itself */
    bool backward;                 /* at later indices: x[t] from x[t+1] */

    /* A constraint is sides[0] relation sides[1], perhaps relation sides[2]; an objective is sides[0]. */
    struct ampl_node *sides[3];
    uint32_t side_count, relation;           /* token */
    bool node;                               /* declared by node */
    bool receives, placed;                   /* variables contribute to it; it contains net_in, net_out or to_come */
    struct ampl_contribution *contributions; /* of a variable */

    /* State of data, let and the evaluator. */
    struct ampl_table given;         /* values from data and let; starts of variables */
    struct ampl_table known;         /* computed values, sets, inputs, variables */
    struct ampl_table fixed;         /* fixed variables, dropped goals: nonzero; unfixed or restored: 0 */
    struct ampl_table added;         /* of a goal: the last contribution of variables to it (expand.c) */
    struct ampl_table started;       /* starts of fixed variables that differ from the fixed value */
    struct ampl_value given_default; /* of a data table */
    bool assigned;                   /* data or let assign values */
    bool let;                        /* a let command changes it */
    bool input;                      /* a param without a value */
    bool pinned;                     /* the caller's options set its value */
    bool filling;                    /* a recursive param that is being computed in order */
    struct ampl_declaration *next;
};

enum ampl_command_kind {
    AMPL_LET,
    AMPL_START, /* let x.start, of a fixed variable */
    AMPL_FIX,
    AMPL_UNFIX,
    AMPL_DROP,
    AMPL_RESTORE,
    AMPL_OBJECTIVE, /* drops all objectives but one */
    AMPL_CHECK,
    AMPL_FOR,
    AMPL_REPEAT,
    AMPL_IF,
    AMPL_BREAK,
    AMPL_CONTINUE,
    AMPL_STOP /* solve within a block */
};

struct ampl_command {
    enum ampl_command_kind kind;
    struct ampl_place place;
    const struct ampl_indexing *indexing; /* NULL: none */
    uint32_t slots;
    struct ampl_node *target; /* the reference that is changed */
    struct ampl_node *value;  /* new value or, of a check, the condition; NULL: none */
    uint32_t number;          /* of a check, from 1 on */
    uint32_t name;            /* of a check or loop, or the target of break and continue; 0: none */
    bool noted;               /* the note about the caller's value was already reported */
    bool until, until_after;  /* repeat continues until the condition is true, not while it is */
    struct ampl_node *after;  /* of repeat: the condition after the block; value is the one before it */
    struct ampl_command *body, *otherwise;
    struct ampl_command *next;
};

/* The whole program, in the order of the text. */
struct ampl_program {
    struct ampl_declaration *first, **last;
    struct ampl_command *first_command, **last_command;
    uint64_t first_seed; /* 0: not specified before */
};

#endif

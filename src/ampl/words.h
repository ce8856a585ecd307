/* words.h - the words of the language: one list, expanded to their numbers and to their texts.
 *
 * The symbols of a reader start with this list, so that the symbol of a word is its number here. Few of them are
 * reserved: a declared name hides an operator or function of the same name from there on, and commands are words only
 * at the start of a statement.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_AMPL_WORDS_H
#define HN_AMPL_WORDS_H

#include "hardnet/model.h"

/* Lists of words, filled line by line. */
/* clang-format off */

/* Operators that may be redefined as names. */
#define AMPL_OPERATOR_LIST(X)                                                                                          \
    X(diff) X(symdiff) X(inter) X(cross) X(mod) X(prod)

/* Words inside expressions and declarations that cannot be names. */
#define AMPL_RESERVED_LIST(X)                                                                                          \
    X(and) X(or) X(not) X(in) X(within) X(union) X(setof) X(by) X(less) X(div) X(sum) X(min) X(max) X(if) X(then)      \
    X(else) X(exists) X(forall) X(Infinity) X(integer) X(binary) X(symbolic) X(default) X(dimen) X(complements)        \
    X(logical)

/* Words that start a statement: supported ones, those skipped with a note, and those refused. */
#define AMPL_STATEMENT_LIST(X)                                                                                         \
    X(set) X(param) X(var) X(minimize) X(maximize) X(subject) X(subj) X(check) X(let) X(fix) X(unfix) X(data)          \
    X(model) X(include) X(commands) X(end) X(quit) X(exit) X(reset) X(solve) X(node) X(arc) \
 X(drop) X(restore) X(objective)

#define AMPL_SKIPPED_LIST(X)                                                                                           \
    X(suffix) X(display) X(print) X(printf) X(option) X(write) X(close) X(expand) X(show) X(xref) X(solexpand)         \
    X(csvdisplay)

#define AMPL_REFUSED_LIST(X)                                                                                           \
    X(function) X(for) X(repeat) X(while) X(until) X(break) X(continue) X(problem) X(environ) X(read) X(table) X(update) X(delete) X(purge) X(redeclare) X(shell) X(cd) X(call)          \
    X(load) X(remove) X(solution) X(export)

/* Words in one context only: attributes, table headings, functions on sets and strings. */
#define AMPL_OTHER_LIST(X)                                                                                             \
    X(ordered) X(circular) X(from) X(to) X(do) X(tr) X(interval) X(Reals) X(Integers) X(coeff) X(cover) X(obj) X(net_in)             \
    X(net_out) X(to_come) X(reversed) X(card) X(ord) X(ord0) X(first) X(last) X(next) X(prev) X(nextw) X(prevw)        \
    X(randseed) X(member) X(arity) X(round) X(trunc) X(precision) X(floor) X(ceil) X(atan2) X(num) X(length) X(substr)

#define AMPL_RANDOM_LIST(X)                                                                                            \
    X(Beta) X(Cauchy) X(Exponential) X(Gamma) X(Irand224) X(Normal) X(Normal01) X(Poisson) X(Uniform) X(Uniform01)

/* clang-format on */

/* Functions of one number, from the list of operators: AMPL_FUNCTION(name) for each. The macro AMPL_FUNCTION is defined
 * where the list is used. */
#define AMPL_ONLY_NODE(name)
#define AMPL_ONLY_UNARY(name)
#define AMPL_ONLY_BINARY(name)
#define AMPL_ONLY_TERNARY(name)
#define AMPL_ONLY_FUNCTION(name)  AMPL_FUNCTION(name)
#define AMPL_ONLY(id, name, kind) AMPL_ONLY_##kind(name)
#define AMPL_FUNCTION_LIST        HN_OPERATOR_LIST(AMPL_ONLY)

#define AMPL_ENUMERATE(name) AMPL_WORD_##name,
#define AMPL_FUNCTION(name)  AMPL_WORD_##name,
enum ampl_word {
    AMPL_WORD_none, /* symbol 0 is the empty text */
    AMPL_OPERATOR_LIST(AMPL_ENUMERATE) AMPL_RESERVED_FIRST,
    AMPL_RESERVED_LIST(AMPL_ENUMERATE) AMPL_RESERVED_END,
    AMPL_STATEMENT_LIST(AMPL_ENUMERATE) AMPL_SKIPPED_FIRST,
    AMPL_SKIPPED_LIST(AMPL_ENUMERATE) AMPL_REFUSED_FIRST,
    AMPL_REFUSED_LIST(AMPL_ENUMERATE) AMPL_REFUSED_END,
    AMPL_OTHER_LIST(AMPL_ENUMERATE) AMPL_RANDOM_FIRST,
    AMPL_RANDOM_LIST(AMPL_ENUMERATE) AMPL_RANDOM_END,
    AMPL_FUNCTION_LIST AMPL_WORD_COUNT
};
#undef AMPL_ENUMERATE
#undef AMPL_FUNCTION

#endif

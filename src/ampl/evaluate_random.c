/* evaluate_random.c - calls of random functions.
 *
 * A value is drawn from a key that combines the seed, the declaration, the number of the call in it, and the dummies;
 * in a command also the number of commands run before. So the order and number of evaluations do not matter:
 * Uniform01() in a param is one number for each index.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/draws.h"
#include "ampl/evaluator.h"

#include <math.h>

enum { MOST_ARGUMENTS = 2 };

static const uint64_t DEFAULT_SEED = 1;

static uint64_t mix_symbol(const struct ampl_evaluator *e, uint64_t key, uint32_t symbol) {
    return ampl_random_key_text(key, e->symbols->list[symbol].text, e->symbols->list[symbol].length);
}

static uint64_t key_of(const struct ampl_evaluator *e, const struct ampl_draw *draw) {
    uint64_t stated = e->program->first_seed > 0 ? e->program->first_seed : DEFAULT_SEED;
    uint64_t key = ampl_random_key(0, draw->seed > 0 ? draw->seed : stated);
    if (draw->owner > 0)
        key = mix_symbol(e, key, draw->owner);
    else
        key = ampl_random_key(ampl_random_key(key, draw->command), e->runs);
    key = ampl_random_key(key, draw->number);
    for (uint32_t i = 0; i < draw->scope; i++) {
        ampl_atom atom = e->stack[e->base + i];
        key = ampl_atom_is_symbol(atom) ? mix_symbol(e, key, ampl_atom_to_symbol(atom)) : ampl_random_key(key, atom);
    }
    return key;
}

static const char *problem_of(uint32_t word, const double *a) {
    switch (word) {
    case AMPL_WORD_Normal:
        return a[1] >= 0 ? NULL : "the standard deviation must not be negative";
    case AMPL_WORD_Gamma:
        return a[0] > 0 ? NULL : "the argument must be positive";
    case AMPL_WORD_Beta:
        return a[0] > 0 && a[1] > 0 ? NULL : "the arguments must be positive";
    case AMPL_WORD_Poisson:
        return a[0] >= 0 && a[0] <= AMPL_MOST_MEAN ? NULL : "the mean must be from 0 to 1e15";
    default:
        return NULL;
    }
}

static double draw_value(struct ampl_random *random, uint32_t word, const double *a) {
    switch (word) {
    case AMPL_WORD_Beta:
        return ampl_random_beta(random, a[0], a[1]);
    case AMPL_WORD_Cauchy:
        return ampl_random_cauchy(random);
    case AMPL_WORD_Exponential:
        return ampl_random_exponential(random);
    case AMPL_WORD_Gamma:
        return ampl_random_gamma(random, a[0]);
    case AMPL_WORD_Irand224:
        return (double)(ampl_random_word(random) >> 40);
    case AMPL_WORD_Normal:
        return a[0] + a[1] * ampl_random_normal(random);
    case AMPL_WORD_Normal01:
        return ampl_random_normal(random);
    case AMPL_WORD_Poisson:
        return ampl_random_poisson(random, a[0]);
    case AMPL_WORD_Uniform:
        return a[0] + (a[1] - a[0]) * ampl_random_uniform(random);
    default:
        return ampl_random_uniform(random);
    }
}

struct ampl_value ampl_evaluate_draw(struct ampl_evaluator *e, const struct ampl_node *node) {
    const struct ampl_draw *draw = node->is.draw;
    const char *name = ampl_symbol_text(e, draw->word), *problem = NULL;
    double arguments[MOST_ARGUMENTS] = {0};
    for (uint32_t i = 0; i < node->count; i++) {
        if (!ampl_number(e, node->arguments[i], name, &arguments[i]))
            return ampl_value_nothing();
        if (!isfinite(arguments[i]))
            problem = "the arguments must be finite";
    }
    problem = problem ? problem : problem_of(draw->word, arguments);
    if (problem)
        return ampl_no_value(e, HN_INVALID, node->place, "%s: %s", name, problem);
    struct ampl_random random = {.key = key_of(e, draw)};
    return ampl_value_number(draw_value(&random, draw->word, arguments));
}

/* policy_refine.h - refinement of outputs on a device: the step is core/refine_qp.h, one sample per thread, and what becomes
 * of it is nn/refiner.c, to the bit.
 *
 * Numbers of the threads of a warp lie side by side, a slot of all of them behind the other: threads go through the lists together and
 * read together. A thread whose programme is solved waits for those of its warp; no bit depends on them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_REFINE_H
#define HN_CUDA_POLICY_REFINE_H

static double *refine_memory(const struct policy_call *c, uint64_t thread) {
    uint64_t warp = thread / SLOT_STEP, lane = thread % SLOT_STEP;
    return c->refinement.memory + warp * c->refinement.slots * SLOT_STEP + lane;
}

static void refine_prepare(const struct policy_call *c, double *slots) {
    const struct refine_places *p = c->refinement.places;
    const struct policy_program *program = (const struct policy_program *)(const void *)p->program;
    for (uint64_t i = 0; i < c->refinement.slots; i++)
        REFINE_SLOT(slots, i) = i < program->constant_count ? program->constants[i] : 0;
    for (uint64_t i = 0; i < p->system.constant_count; i++)
        REFINE_SLOT(slots, p->system.constants[i].offset) = p->system.constants[i].value;
}

/* Where samples are more than there is room for, threads take them in turn. */
static void policy_refine_step(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_refinement *r = &c->refinement;
    const struct backend kernels = {};
    (void)threads;
    if (thread >= r->threads || thread >= c->samples)
        return;
    double *slots = refine_memory(c, thread);
    refine_prepare(c, slots);
    for (uint64_t s = thread; s < c->samples; s += r->threads) {
        if (!r->known)
            r->length[s] = 1;
        struct refine_sample sample;
        sample.x = c->all_x + s * c->inputs;
        sample.y = c->y + s * c->outputs;
        sample.y_new = r->trial + s * c->outputs;
        sample.multipliers = r->multipliers + s * c->rows;
        sample.known = r->known != 0;
        sample.length = r->length[s];
        refine_group(&kernels, r->places, slots, &sample, 1);
    }
}

/* Takes what was tried over where it is ok and lowers the objective. */
static void policy_refine_keep(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_refinement *r = &c->refinement;
    for (uint64_t s = thread; s < c->samples; s += threads) {
        struct device_report *kept = &c->reports[s];
        const struct device_report *tried = &r->reports[s];
        bool was_ok = kept->outcome == HN_OUTCOME_OK, is_ok = tried->outcome == HN_OUTCOME_OK;
        kept->iterations += tried->iterations;
        bool replaced = choice_replaces(is_ok, r->objective[s], was_ok, c->objective[s]);
        r->length[s] = choice_next_length(r->length[s], replaced);
        if (!replaced)
            continue;
        kept->outcome = tried->outcome;
        kept->violation = tried->violation;
        kept->worst = tried->worst;
        kept->kkt = kept->complementarity = kept->proof = REAL_INFINITY;
        c->objective[s] = r->objective[s];
        for (uint64_t j = 0; j < c->outputs; j++)
            c->y[s * c->outputs + j] = r->tried[s * c->outputs + j];
    }
}

/* How far refined outputs are from raw ones. */
static void policy_refine_end(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    for (uint64_t s = thread; s < c->samples; s += threads) {
        double squares = 0;
        for (uint64_t j = 0; j < c->outputs; j++) {
            double way = c->y[s * c->outputs + j] - c->raw[s * c->outputs + j];
            squares += way * way;
        }
        c->reports[s].moved = c->reports[s].distance = real_sqrt(squares);
    }
}

#endif

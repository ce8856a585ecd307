/* plain_tiled.c - see plain_tiled.h. The reduction's letters are those of linalg/tridiagonal_schur_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#include "plain_tiled.h"

#include <math.h>
#include <string.h>

#define WORDS(list) plan_words(p, p->list)

enum { LEAST_REDUCED = 24 };

static bool counts(const struct plan *p, const double *s, uint32_t row) {
    int64_t bits = -1;
    if (p->options.weighted)
        memcpy(&bits, &s[p->active + row], sizeof bits);
    return bits != 0;
}

static double entry_of(const struct plan *p, const double *s, uint32_t e) {
    return p->options.weighted ? s[p->matrix + e] : s[WORDS(jacobian.slot)[e]];
}

/* A is not W J. */
static bool is_stretched(const struct plan *p, const double *s) {
    int64_t bits;
    memcpy(&bits, &s[p->summary + SUMMARY_STRETCHED], sizeof bits);
    return p->options.weighted && bits != 0;
}

void plain_tiled_multiply(const struct plan *p, double *s, bool columns, uint32_t from, uint32_t to, bool subtract) {
    const uint32_t *first = WORDS(jacobian.first), *column = WORDS(jacobian.column);
    for (uint32_t k = 0; !subtract && k < (columns ? p->outputs : p->rows); k++)
        s[to + k] = 0;
    for (uint32_t i = 0; i < p->rows; i++)
        for (uint32_t e = first[i]; e < first[i + 1]; e++) {
            double a = entry_of(p, s, e);
            s[to + (columns ? column[e] : i)] += (subtract ? -a : a) * s[from + (columns ? i : column[e])];
        }
}

/* ---- full factors ---- */

double plain_pivot(const struct plan *p, double *s, double whole, double d) {
    double *low = &s[p->system.pivot_range], *high = low + 1;
    *low = d < *low ? d : *low;
    *high = *high < d ? d : *high;
    return whole * 0x1p-50 < d ? 1 / d : 0;
}

static size_t unknown_of(const struct plain_full *f, size_t i) {
    return f->unknown ? (size_t)f->unknown[i] : i;
}

static double *row_of(const struct plain_full *f, size_t i) {
    return f->lower + i * (i + 1) / 2;
}

void plain_factor(const struct plan *p, double *s, const struct plain_full *f) {
    for (size_t j = 0; j < f->order; j++) {
        double *row = row_of(f, j), whole = f->whole ? f->whole[j] : row[j];
        for (size_t k = 0; k < j; k++) {
            f->n[k] = row[k] * row_of(f, k)[k];
            row[j] -= row[k] * f->n[k];
        }
        f->inverse[j] = plain_pivot(p, s, whole, row[j]);
        for (size_t i = j + 1; i < f->order; i++) {
            double *other = row_of(f, i), sum = other[j];
            for (size_t k = 0; k < j; k++)
                sum -= other[k] * f->n[k];
            other[j] = sum * f->inverse[j];
        }
    }
}

void plain_solve(const struct plain_full *f, double *z) {
    for (size_t i = 0; i < f->order; i++)
        for (size_t k = 0; k < i; k++)
            z[unknown_of(f, i)] -= row_of(f, i)[k] * z[unknown_of(f, k)];
    for (size_t i = 0; i < f->order; i++)
        z[unknown_of(f, i)] *= f->inverse[i];
    for (size_t i = f->order; i-- > 0;)
        for (size_t k = 0; k < i; k++)
            z[unknown_of(f, k)] -= row_of(f, i)[k] * z[unknown_of(f, i)];
}

/* ---- M M' + E ---- */

static bool is_constant(const struct plan *p, uint32_t row) {
    for (uint32_t e = WORDS(jacobian.first)[row]; e < WORDS(jacobian.first)[row + 1]; e++)
        if (WORDS(jacobian.slot)[e] >= p->program.constants.count)
            return false;
    return true;
}

/* A constant row of J, where A is W J. */
static bool is_known(const struct plan *p, const double *s, uint32_t row) {
    return is_constant(p, row) && !is_stretched(p, s);
}

/* Known rows come first. */
static void order_rows(const struct plan *p, const double *s, double *unknown) {
    uint32_t count = 0;
    for (uint32_t i = 0; p->options.outputs_side && i < p->outputs; i++)
        unknown[count++] = i;
    for (int known = 1; known >= 0 && !p->options.outputs_side; known--)
        for (uint32_t i = 0; i < p->rows; i++)
            if (is_known(p, s, i) == known)
                unknown[count++] = i;
}

static double product_of_rows(const struct plan *p, const double *s, uint32_t i, uint32_t j, double sum) {
    const uint32_t *first = WORDS(jacobian.first), *column = WORDS(jacobian.column);
    for (uint32_t e = first[i], g = first[j]; e < first[i + 1] && g < first[j + 1];) {
        uint32_t low = column[e] < column[g] ? column[e] : column[g];
        if (column[e] == column[g])
            sum += entry_of(p, s, e) * entry_of(p, s, g);
        e += column[e] == low;
        g += column[g] == low;
    }
    return sum;
}

/* From the pattern of A; rows that do not count are zeros, with a 1 in E, which comes last where a row is known. */
static void gather_rows(const struct plan *p, const double *s, const struct plain_full *f) {
    for (uint32_t i = 0; i < p->rows; i++)
        for (uint32_t j = 0; j <= i; j++) {
            uint32_t row = (uint32_t)unknown_of(f, i), other = (uint32_t)unknown_of(f, j);
            double shift = i != j ? 0 : p->options.weighted ? s[p->shift + row] : p->options.damping;
            bool last = is_known(p, s, row);
            double sum = product_of_rows(p, s, row, other, last ? 0 : shift);
            row_of(f, i)[j] = last ? sum + shift : sum;
        }
}

static void gather_outputs(const struct plan *p, const double *s, const struct plain_full *f) {
    const uint32_t *first = WORDS(jacobian.first), *column = WORDS(jacobian.column);
    for (uint32_t i = 0; i < p->outputs; i++)
        for (uint32_t j = 0; j <= i; j++)
            row_of(f, i)[j] = i != j ? 0 : p->options.weighted ? s[p->eps] : p->options.damping;
    for (uint32_t i = 0; i < p->rows; i++)
        for (uint32_t e = first[i]; e < first[i + 1]; e++)
            for (uint32_t g = first[i]; g <= e; g++)
                row_of(f, column[e])[column[g]] += entry_of(p, s, e) * entry_of(p, s, g);
}

/* ---- the reduction ---- */

static bool is_equality(const struct plan *p, uint32_t row) {
    return WORDS(lower)[row] == WORDS(upper)[row];
}

/* Equalities, where all rows are constant and there are enough of them; else 0. */
static size_t reduced_order(const struct plan *p) {
    size_t equalities = 0;
    if (!p->options.weighted || p->options.damping == 0 || p->options.outputs_side)
        return 0;
    for (uint32_t i = 0; i < p->rows; i++) {
        if (!is_constant(p, i))
            return 0;
        equalities += is_equality(p, i);
    }
    return equalities >= LEAST_REDUCED ? equalities : 0;
}

struct form {
    size_t order, others;               /* equalities, other rows that count */
    double *row;                        /* their numbers */
    double *c;                          /* order x order */
    double *turn;                       /* order x (others + order): G, Q' */
    double *diagonal, *beside;          /* of T, */
    double *inverse, *l;                /* and of its factor */
    double *v, *w, *first, *second, *z; /* vectors */
};

static struct form form_of(const struct plan *p, double *s, size_t order) {
    size_t rows = p->rows;
    double *at = s + p->slots;
    struct form f = {.order = order, .row = at};
    f.c = at + rows;
    f.turn = f.c + order * order;
    f.diagonal = f.turn + order * rows;
    f.beside = f.diagonal + order;
    f.inverse = f.beside + order;
    f.l = f.inverse + order;
    f.v = f.l + order;
    f.w = f.v + rows;
    f.first = f.w + rows;
    f.second = f.first + rows;
    f.z = f.second + rows;
    for (uint32_t i = 0, at_e = 0; i < rows; i++)
        if (is_equality(p, i))
            f.row[at_e++] = i;
        else if (counts(p, s, i))
            f.row[order + f.others++] = i;
    return f;
}

static double gram(const struct plan *p, const double *s, const struct form *f, size_t i, size_t j) {
    return product_of_rows(p, s, (uint32_t)f->row[i], (uint32_t)f->row[j], 0);
}

static void begin_turn(const struct plan *p, const double *s, const struct form *f) {
    size_t width = f->others + f->order;
    for (size_t i = 0; i < f->order; i++) {
        for (size_t j = 0; j < f->order; j++)
            f->c[i * f->order + j] = gram(p, s, f, i, j);
        for (size_t j = 0; j < f->others; j++)
            f->turn[i * width + j] = gram(p, s, f, i, f->order + j);
        for (size_t j = 0; j < f->order; j++)
            f->turn[i * width + f->others + j] = i == j;
    }
}

/* Rows and columns behind k lose what the reflection I - beta v v' takes. */
static void reflect(const struct form *f, size_t k, double beta) {
    size_t left = f->order - k - 1, width = f->others + f->order;
    double *c = f->c + (k + 1) * f->order + k + 1, *m = f->turn + (k + 1) * width, inner = 0;
    for (size_t i = 0; i < left; i++) {
        double sum = c[i] * f->v[0];
        for (size_t j = 1; j < left; j++)
            sum += c[j * f->order + i] * f->v[j];
        f->w[i] = sum * beta;
        inner += f->w[i] * f->v[i];
    }
    for (size_t i = 0; i < left; i++)
        f->w[i] -= 0.5 * beta * inner * f->v[i];
    for (size_t i = 0; i < left; i++)
        for (size_t j = 0; j < left; j++)
            c[i * f->order + j] -= f->w[j] * f->v[i] + f->v[j] * f->w[i];
    for (size_t g = 0; g < width; g++) {
        double sum = m[g] * f->v[0];
        for (size_t j = 1; j < left; j++)
            sum += m[j * width + g] * f->v[j];
        for (size_t j = 0; j < left; j++)
            m[j * width + g] -= sum * (beta * f->v[j]);
    }
}

static void turn(const struct form *f) {
    for (size_t k = 0; k < f->order; k++) {
        const double *row = f->c + k * f->order;
        double rest = 0;
        f->diagonal[k] = row[k];
        if (k + 1 == f->order)
            return;
        for (size_t i = k + 2; i < f->order; i++)
            rest += row[i] * row[i];
        f->beside[k] = row[k + 1];
        if (!(rest > 0))
            continue;
        double norm = sqrt(row[k + 1] * row[k + 1] + rest);
        memcpy(f->v, row + k + 1, (f->order - k - 1) * sizeof *row);
        f->beside[k] = f->v[0] > 0 ? -norm : norm;
        f->v[0] -= f->beside[k];
        reflect(f, k, 2 / (f->v[0] * f->v[0] + rest));
    }
}

static void factor_form(const struct plan *p, double *s, const struct form *f, double eps) {
    double owed = 0;
    for (size_t k = 0; k < f->order; k++) {
        double whole = f->diagonal[k] + eps;
        f->inverse[k] = plain_pivot(p, s, whole, whole - owed);
        f->l[k] = f->beside[k] * f->inverse[k];
        owed = f->l[k] * f->beside[k];
    }
}

static void solve_form(const struct form *f, double *x) {
    for (size_t k = 1; k < f->order; k++)
        x[k] -= f->l[k - 1] * x[k - 1];
    for (size_t k = 0; k < f->order; k++)
        x[k] *= f->inverse[k];
    for (size_t k = f->order - 1; k-- > 0;)
        x[k] -= f->l[k] * x[k + 1];
}

/* S: what is left of the others' own products without X' D^-1 X. */
static void complement(const struct plan *p, const double *s, const struct form *f, const struct plain_full *full,
                       double eps) {
    size_t width = f->others + f->order;
    for (size_t i = 0; i < f->others; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = gram(p, s, f, f->order + i, f->order + j), x = 0, y = 0;
            if (i == j)
                f->z[i] = sum += eps; /* what pivots are measured by */
            for (size_t k = 0; k < f->order; k++) {
                double l = k > 0 ? f->l[k - 1] : 0;
                x = f->turn[k * width + i] - x * l;
                y = f->turn[k * width + j] - y * l;
                sum -= x * (y * f->inverse[k]);
            }
            row_of(full, i)[j] = sum;
        }
}

static double dot(const double *a, size_t apart, const double *b, size_t count) {
    double sum = count > 0 ? a[0] * b[0] : 0;
    for (size_t i = 1; i < count; i++)
        sum += a[i * apart] * b[i];
    return sum;
}

static void solve_reduced(const struct form *f, const struct plain_full *full, double *z) {
    size_t width = f->others + f->order;
    for (size_t j = 0; j < f->order; j++)
        f->w[j] = z[(size_t)f->row[j]];
    for (size_t k = 0; k < f->order; k++)
        f->first[k] = dot(f->turn + k * width + f->others, 1, f->w, f->order);
    solve_form(f, f->first);
    for (size_t i = 0; i < f->others; i++)
        f->v[i] = z[(size_t)f->row[f->order + i]] - dot(f->turn + i, width, f->first, f->order);
    plain_solve(full, f->v);
    for (size_t k = 0; k < f->order; k++)
        f->second[k] = dot(f->turn + k * width, 1, f->v, f->others);
    solve_form(f, f->second);
    for (size_t k = 0; k < f->order; k++)
        f->first[k] -= f->second[k];
    for (size_t j = 0; j < f->order; j++)
        z[(size_t)f->row[j]] = dot(f->turn + f->others + j, width, f->first, f->order);
    for (size_t i = 0; i < f->others; i++)
        z[(size_t)f->row[f->order + i]] = f->v[i];
}

static void reduced(const struct plan *p, double *s, double *z, size_t order) {
    const struct form f = form_of(p, s, order);
    double *behind = f.z + p->rows, eps = s[p->shift + (size_t)f.row[0]];
    const struct plain_full full = {f.others, behind + 2 * (size_t)p->rows, behind, behind + p->rows, NULL, f.z};
    begin_turn(p, s, &f);
    turn(&f);
    factor_form(p, s, &f, eps);
    complement(p, s, &f, &full, eps);
    plain_factor(p, s, &full);
    if (f.others + f.order < p->rows)
        plain_pivot(p, s, 1, 1);
    solve_reduced(&f, &full, z);
}

/* ---- all of it ---- */

size_t plain_tiled_numbers(const struct plan *p) {
    size_t order = p->system.order, full = 3 * order + order * (order + 1) / 2, reduced = reduced_order(p);
    return full + (reduced ? reduced * reduced + reduced * p->rows + 4 * reduced + 6 * (size_t)p->rows : 0);
}

void plain_tiled_solve(const struct plan *p, double *s, double *z) {
    double *behind = s + p->slots;
    size_t order = p->system.order, equalities = reduced_order(p);
    const struct plain_full f = {order, behind + 3 * order, behind, behind + order, behind + 2 * order, NULL};
    if (equalities > 0 && !is_stretched(p, s)) {
        reduced(p, s, z, equalities);
        return;
    }
    order_rows(p, s, behind + 2 * order);
    if (p->options.outputs_side)
        gather_outputs(p, s, &f);
    else
        gather_rows(p, s, &f);
    plain_factor(p, s, &f);
    plain_solve(&f, z);
}

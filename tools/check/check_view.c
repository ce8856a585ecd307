/* check_view.c - see check_view.h.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check_view.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *view_format(struct check_view *check, const char *format, ...) {
    char text[301];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *kept = arena_copy_text(&check->arena, text, strlen(text));
    check->starved = check->starved || !kept;
    return kept ? kept : "?";
}

const char *view_safe(struct check_view *check, const char *name) {
    size_t room = PRINTABLE_PIECE * strlen(name) + 1;
    if (printable_is_safe(name))
        return name;
    char *copy = arena_take(&check->arena, room, 1);
    if (copy)
        printable_copy(copy, room, name);
    check->starved = check->starved || !copy;
    return copy ? copy : "?";
}

const char *view_name(struct check_view *check, size_t value) {
    size_t rows = check->found->rows;
    hn_objective_info objective = hn_model_objective(check->model);
    if (value < rows)
        return view_safe(check, hn_model_row(check->model, value).name);
    if (value == rows && objective.name)
        return view_safe(check, objective.name);
    size_t bound = value - rows - (objective.name != NULL);
    bool is_upper = bound >= rows;
    const char *name = hn_model_row(check->model, is_upper ? bound - rows : bound).name;
    return view_format(check, "the %s bound of %s", is_upper ? "upper" : "lower", view_safe(check, name));
}

const char *view_entry(struct check_view *check, size_t entry) {
    size_t inputs = check->found->inputs;
    return view_safe(check, entry < inputs ? hn_model_input(check->model, entry).name
                                           : hn_model_output(check->model, entry - inputs).name);
}

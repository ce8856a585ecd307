/* check_picture.c - the pattern of J as a picture: .pbm (raw bitmap) or .svg, written by hand. See check_view.h and
 * pattern.h.
 *
 * Bitmaps have one cell per entry up to 4096 cells a side, drawn larger when there are few. Drawings have up to 1000,
 * dark where an entry varies and light where it is constant, with a line and a name for every group of rows and family
 * of columns.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "check/check_report.h"
#include "check/pattern.h"
#include "common/text.h"

#include <string.h>

enum { BITMAP_CELLS = 4096, BITMAP_LEAST = 512, DRAWING_CELLS = 1000, MARGIN = 130, HEAD = 30, LABELS = 60 };

/* ---- bitmap: P4, eight pixels a byte, 1 is black ---- */

static void bitmap_line(struct text *text, const struct pattern_cell *cells, size_t width, size_t scale) {
    unsigned char byte = 0;
    size_t pixels = width * scale;
    for (size_t i = 0; i < pixels; i++) {
        bool black = cells[i / scale].count > 0;
        byte = (unsigned char)(byte << 1 | black);
        if (i % 8 == 7 || i + 1 == pixels) {
            byte = (unsigned char)(byte << (7 - i % 8));
            text_append(text, &byte, 1);
            byte = 0;
        }
    }
}

static hn_status draw_bitmap(struct text *text, struct check_view *check, hn_error *error) {
    struct pattern pattern;
    hn_status status = pattern_create(&pattern, check, BITMAP_CELLS, BITMAP_CELLS, error);
    if (status != HN_OK)
        return status;
    size_t longest = pattern.height > pattern.width ? pattern.height : pattern.width;
    size_t scale = longest < BITMAP_LEAST ? BITMAP_LEAST / (longest + (longest == 0)) : 1;
    text_print(text, "P4\n%zu %zu\n", pattern.width * scale, pattern.height * scale);
    for (size_t line = 0; line < pattern.height * scale; line++)
        bitmap_line(text, pattern.cells + line / scale * pattern.width, pattern.width, scale);
    return HN_OK;
}

/* ---- drawing ---- */

/* Replaces characters that XML reserves, and non-ASCII bytes, by '?'. */
static void draw_label(struct text *text, double x, double y, const char *turn, const char *name) {
    char plain[64];
    size_t length = report_family(name);
    length = length < sizeof plain ? length : sizeof plain - 1;
    for (size_t i = 0; i < length; i++)
        plain[i] = (char)(strchr("<>&'\"", name[i]) || (unsigned char)name[i] >= 0x80 ? '?' : name[i]);
    plain[length] = '\0';
    text_print(text, "<text x=\"%.1f\" y=\"%.1f\"%s>%s</text>\n", x, y, turn, plain);
}

/* Neighbours in a line become one rectangle. */
static void draw_cells(struct text *text, const struct pattern *pattern, double side, bool varies) {
    text_print(text, "<path stroke=\"none\" fill=\"%s\" d=\"", varies ? "#1f4e79" : "#8fb8de");
    for (size_t line = 0; line < pattern->height; line++) {
        const struct pattern_cell *cells = pattern->cells + line * pattern->width;
        for (size_t i = 0; i < pattern->width; i++) {
            size_t end = i;
            while (end < pattern->width && cells[end].count > 0 && cells[end].varies == varies)
                end++;
            if (end == i)
                continue;
            double run = (double)(end - i) * side;
            text_print(text, "M%.6g %.6gh%.6gv%.6gh%.6gz", MARGIN + (double)i * side, HEAD + (double)line * side, run,
                       side, -run);
            i = end - 1;
        }
    }
    text_print(text, "\"/>\n");
}

static void draw_groups(struct text *text, struct check_view *check, const struct pattern *pattern, double side) {
    double right = MARGIN + (double)pattern->width * side, free_from = 0;
    for (size_t g = 0; g < hn_model_group_count(check->model); g++) {
        hn_group_info info = hn_model_group(check->model, g);
        double y = HEAD + side * (double)pattern_place(info.first, check->found->rows, pattern->height);
        if (g > 0)
            text_print(text, "<path stroke=\"#c0c0c0\" d=\"M%d %.6gH%.6g\"/>\n", MARGIN, y, right);
        if (y < free_from)
            continue;
        draw_label(text, 6, y + 12, "", view_safe(check, info.name));
        free_from = y + 14;
    }
}

static void draw_families(struct text *text, struct check_view *check, const struct pattern *pattern, double side) {
    double bottom = HEAD + (double)pattern->height * side, free_from = 0;
    const char *before = NULL;
    for (size_t j = 0; j < check->found->outputs; j++) {
        const char *name = view_safe(check, hn_model_output(check->model, j).name);
        size_t length = report_family(name);
        bool first = !before || report_family(before) != length || strncmp(before, name, length) != 0;
        double x = MARGIN + side * (double)pattern_place(j, check->found->outputs, pattern->width);
        before = name;
        if (!first || x < free_from)
            continue;
        text_print(text, "<path stroke=\"#c0c0c0\" d=\"M%.6g %dV%.6g\"/>\n", x, HEAD, bottom);
        draw_label(text, x + 2, bottom + 14, "", name);
        free_from = x + 14 + 7 * (double)length;
    }
}

static hn_status draw_svg(struct text *text, struct check_view *check, hn_error *error) {
    struct pattern pattern;
    hn_status status = pattern_create(&pattern, check, DRAWING_CELLS, DRAWING_CELLS, error);
    if (status != HN_OK)
        return status;
    size_t longest = pattern.height > pattern.width ? pattern.height : pattern.width;
    double side = longest == 0 ? 1 : longest < 60 ? 10 : 600 / (double)longest;
    double width = (double)pattern.width * side, height = (double)pattern.height * side;
    text_print(text,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" font-family=\"sans-serif\" "
               "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
               MARGIN + width + LABELS, HEAD + height + LABELS / 2.0);
    text_print(text, "<text x=\"%d\" y=\"18\">J: %zu x %zu, %zu nonzeros; light: constant</text>\n", MARGIN,
               check->found->rows, check->found->outputs, check->found->jacobian.count);
    draw_groups(text, check, &pattern, side);
    draw_families(text, check, &pattern, side);
    draw_cells(text, &pattern, side, false);
    draw_cells(text, &pattern, side, true);
    text_print(text,
               "<rect x=\"%d\" y=\"%d\" width=\"%.6g\" height=\"%.6g\" fill=\"none\" stroke=\"black\"/>\n</svg>\n",
               MARGIN, HEAD, width, height);
    return HN_OK;
}

hn_status check_write_picture(struct check_view *check, const char *path, hn_error *error) {
    struct text text = {.bytes = NULL};
    const char *end = strrchr(path, '.');
    hn_status status =
        end && strcmp(end, ".svg") == 0 ? draw_svg(&text, check, error) : draw_bitmap(&text, check, error);
    if (status == HN_OK)
        status = text_write(&text, path, error);
    text_release(&text);
    return status;
}

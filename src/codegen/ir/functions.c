/* functions.c - the texts of functions.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/functions.h"

#include <string.h>

#define SHAPE(label, meaning, arguments, masks, mask)                                                                  \
    case label:                                                                                                        \
        return (struct function_shape){meaning, arguments, masks, mask, strstr(meaning, "elementary_") != NULL};
#define SHAPE_OPERATOR(name, text, arguments, meaning)     SHAPE(OP_##name, #meaning, arguments, 0, false)
#define SHAPE_FUSED(name, text, meaning)                   SHAPE(CODE_##name, #meaning, 3, 0, false)
#define SHAPE_OWN(name, result, masks, arguments, meaning) SHAPE(ROW_##name, #meaning, arguments, masks, (result) != 0)

struct function_shape function_shape(enum function function) {
    switch ((int)function) {
        OPERATOR_LIST(SHAPE_OPERATOR)
        FUSED_LIST(SHAPE_FUSED)
        OWN_FUNCTION_LIST(SHAPE_OWN)
    default:
        return (struct function_shape){.meaning = NULL};
    }
}

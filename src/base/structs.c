/* structs.c - see structs.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/structs.h"

#include "base/error.h"

/* Every such struct begins with a size_t. */
static hn_status size_of(const void *given, size_t *size, const char *name, hn_error *error) {
    struct error_subject subject = {.code = HN_CODE_STRUCT, .name = name};
    if (!given)
        return error_about(error, HN_INVALID, subject, "%s is NULL", name);
    memcpy(size, given, sizeof *size);
    if (*size < sizeof *size)
        return error_about(error, HN_INVALID, subject, "%s: its size is not set; write .size = sizeof(%s)", name, name);
    if (*size % _Alignof(size_t) != 0) /* such a size is not a struct of any version: it would end within a field */
        return error_about(error, HN_INVALID, subject, "%s: its size %zu ends within a field; write .size = sizeof(%s)",
                           name, *size, name);
    return HN_OK;
}

static bool all_zero(const unsigned char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

hn_status struct_take(void *own, size_t size, const void *given, const char *name, hn_error *error) {
    size_t theirs = 0;
    hn_status status = size_of(given, &theirs, name, error);
    if (status != HN_OK)
        return status;
    if (theirs > size && !all_zero((const unsigned char *)given + size, theirs - size))
        return error_about(error, HN_UNSUPPORTED, (struct error_subject){.code = HN_CODE_STRUCT, .name = name},
                           "%s: compiled for a later version than %s and uses fields that this one does not have", name,
                           hn_version());
    size_t common = theirs < size ? theirs : size;
    memcpy(own, given, common);
    memcpy(own, &size, sizeof size);
    return HN_OK;
}

hn_status struct_give(void *out, const void *own, size_t size, const char *name, hn_error *error) {
    size_t theirs = 0, head = sizeof theirs;
    hn_status status = size_of(out, &theirs, name, error);
    if (status != HN_OK)
        return status;
    size_t common = theirs < size ? theirs : size;
    memcpy((unsigned char *)out + head, (const unsigned char *)own + head, common - head);
    memset((unsigned char *)out + common, 0, theirs - common);
    return HN_OK;
}

/* ---- the version of this library ---- */

#define TEXT_OF(number)                   #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *hn_version(void) {
    return VERSION_TEXT(HN_VERSION_MAJOR, HN_VERSION_MINOR, HN_VERSION_PATCH);
}

int hn_version_number(void) {
    return 10000 * HN_VERSION_MAJOR + 100 * HN_VERSION_MINOR + HN_VERSION_PATCH;
}

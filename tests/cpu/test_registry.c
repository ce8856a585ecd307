/* test_registry.c - the choice of an instruction set.
 *
 * SPDX-License-Identifier: MIT */

#include "support/check.h"

#include "cpu/backend.h"

TEST(the_best_backend_is_chosen_unless_told) {
    struct backend best, chosen;
    assert_true(backend_at(0, &best));
    assert_int_equal(backend_choose(&chosen, HN_INSTRUCTIONS_BEST, NULL), HN_OK);
    assert_string_equal(best.name, chosen.name);
}

TEST(the_portable_backend_is_always_there_and_last) {
    struct backend last, named;
    for (size_t i = 0; backend_at(i, &last); i++)
        ;
    assert_string_equal(last.name, "portable");
    assert_int_equal(backend_choose(&named, HN_INSTRUCTIONS_PORTABLE, NULL), HN_OK);
    assert_true(named.run == last.run);
}

TEST(a_backend_is_found_by_name_or_refused_because_the_processor_lacks_it) {
    static const hn_instructions sets[] = {HN_INSTRUCTIONS_AVX2, HN_INSTRUCTIONS_AVX512};
    for (int i = 0; i < 2; i++) {
        hn_error error = {.status = HN_OK, .text = ""};
        struct backend backend, other;
        const char *name = hn_instructions_text(sets[i]);
        bool listed = false;
        for (size_t j = 0; backend_at(j, &other); j++)
            listed = listed || strcmp(other.name, name) == 0;
        assert_int_equal(backend_choose(&backend, sets[i], &error) == HN_OK, listed);
        if (listed)
            assert_string_equal(backend.name, name);
        else
            assert_non_null(strstr(error.text, name));
        if (!listed)
            assert_int_equal(error.code, HN_CODE_INSTRUCTIONS);
    }
}

TEST(an_unknown_set_is_refused_with_those_to_choose_from) {
    hn_error error = {.text = ""};
    struct backend backend;
    assert_int_equal(backend_choose(&backend, HN_INSTRUCTIONS_COUNT, &error), HN_INVALID);
    assert_int_equal(error.status, HN_INVALID);
    assert_int_equal(error.code, HN_CODE_INSTRUCTIONS);
    assert_string_equal(error.subject, "unknown");
    assert_non_null(strstr(error.text, "portable, avx2 or avx512"));
}

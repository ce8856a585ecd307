# Texts of our own files in the library: emitted files (src/emit/) are made of them. As a script,
#
#     cmake -DOUT=texts.c -DSOURCE=src -P cmake/texts.cmake
#
# writes them as one array of characters, each behind its name; included, it says which they are and adds the command to the build.

set(text_files
    base/wide_pair.h base/elementary_round.h base/reduce.h base/reduce.c base/elementary_exponential.h base/elementary_circle.h
    base/elementary_arc.h base/elementary_hyperbolic.h base/random_state.h base/random_core.h sample/precision.h sample/arithmetic.h sample/elastic.h sample/evidence.h sample/budget.h sample/restart.h
    sample/sample.h sample/sample_auto.h plan/summary.h plan/point.h plan/point_elastic.h sparse/pivot_kernel.h backends/row_values_kernel.h generate/row_functions_kernel.h network/activation_kernel.h
    emit/scalar_double.h emit/scalar_float.h emit/float_exponential.h emit/float_circle.h emit/float_arc.h emit/float_hyperbolic.h
    emit/precision_float.h emit/layer_text.h emit/drive_text.h emit/network_text.h emit/entry_text.h emit/libm_text.h)

if(CMAKE_SCRIPT_MODE_FILE)
    set(bytes "")
    foreach(file IN LISTS text_files)
        file(WRITE ${OUT}.part "${file}")
        file(READ ${OUT}.part name HEX)
        file(READ ${SOURCE}/${file} text HEX)
        string(APPEND bytes "${name}00${text}00")
    endforeach()
    file(REMOVE ${OUT}.part)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n    " bytes "${bytes}")
    file(WRITE ${OUT} "/* Made by cmake/texts.cmake. */\n#include \"emit/texts.h\"\n\n"
                      "const char emit_texts[] = {\n    ${bytes}0};\n"
                      "const size_t emit_texts_length = sizeof emit_texts - 1;\n")
    return()
endif()

set(texts_source ${PROJECT_BINARY_DIR}/generated/texts.c)
list(TRANSFORM text_files PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE text_inputs)
add_custom_command(
    OUTPUT ${texts_source}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
    COMMAND ${CMAKE_COMMAND} -DOUT=${texts_source} -DSOURCE=${PROJECT_SOURCE_DIR}/src -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${text_inputs} ${CMAKE_CURRENT_LIST_FILE}
    VERBATIM)

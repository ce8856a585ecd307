# Headers as text in the library: generated code (src/generate/) begins with them. As a script,
#
#     cmake -DOUT=prelude.c -DSOURCE=src -P cmake/prelude.cmake
#
# writes them as one array of characters, without the lines that include files of ours; included, it says which they are and adds the
# command to the build.

set(prelude_files
    base/lanes.h base/wide.h base/wide_pair.h base/elementary_round.h base/reduce.h base/reduce.c base/elementary_exponential.h
    base/elementary_circle.h base/elementary_arc.h base/elementary_hyperbolic.h sparse/pivot_kernel.h backends/row_values_kernel.h
    generate/row_functions_kernel.h generate/kernel_table.h generate/generated_kernel.h)

if(CMAKE_SCRIPT_MODE_FILE)
    set(bytes "")
    foreach(file IN LISTS prelude_files)
        file(READ ${SOURCE}/${file} text)
        string(REGEX REPLACE "#include \"[^\"]*\"\n" "" text "${text}")
        file(WRITE ${OUT}.part "${text}")
        file(READ ${OUT}.part hex HEX)
        string(APPEND bytes "${hex}")
    endforeach()
    file(REMOVE ${OUT}.part)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n    " bytes "${bytes}")
    file(WRITE ${OUT} "/* Made by cmake/prelude.cmake. */\n#include \"generate/prelude.h\"\n\n"
                      "const char generate_prelude[] = {\n    ${bytes}0};\n"
                      "const size_t generate_prelude_length = sizeof generate_prelude - 1;\n")
    return()
endif()

set(prelude_source ${PROJECT_BINARY_DIR}/generated/prelude.c)
list(TRANSFORM prelude_files PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE prelude_inputs)
add_custom_command(
    OUTPUT ${prelude_source}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
    COMMAND ${CMAKE_COMMAND} -DOUT=${prelude_source} -DSOURCE=${PROJECT_SOURCE_DIR}/src -P ${CMAKE_CURRENT_LIST_FILE}
    DEPENDS ${prelude_inputs} ${CMAKE_CURRENT_LIST_FILE}
    VERBATIM)

# Headers as text in the library: generated code (src/generate/) begins with them. As a script,
#
#     cmake -DOUT=prelude.c -DSOURCE=src -P cmake/prelude.cmake
#
# writes them as one array of characters, without the lines that include files of ours; included, it says which they are and adds the
# command to the build.

include(${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

set(prelude_files
    base/lanes.h base/wide.h base/wide_pair.h base/elementary_round.h base/reduce.h base/reduce.c base/elementary_exponential.h
    base/elementary_circle.h base/elementary_arc.h base/elementary_hyperbolic.h sparse/pivot_kernel.h backends/row_values_kernel.h
    backends/unload_kernel.h
    backends/near_rounds.h plan/summary.h
    generate/row_functions_kernel.h generate/kernel_table.h generate/generated_kernel.h generate/rounds_kernel.h
    generate/back_rounds_kernel.h
    generate/lanes_number_kernel.h sample/precision.h sample/number.h sample/near.h generate/near_rounds_kernel.h)

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
    embed_bytes(generate/prelude.h generate_prelude "${bytes}")
    return()
endif()

set(prelude_source ${PROJECT_BINARY_DIR}/generated/prelude.c)
embed_command(${CMAKE_CURRENT_LIST_FILE} ${prelude_source} ${prelude_files})

# Headers as text in the library: generated code (src/codegen/) begins with them. As a script,
#
#     cmake -DOUT=prelude.c -DSOURCE=src -P cmake/prelude.cmake
#
# writes them as one array of characters, without the lines that include files of ours; included, it says which they are and adds the
# command to the build.

include(${CMAKE_CURRENT_LIST_DIR}/embed.cmake)

set(prelude_files
    base/real.h base/lanes.h base/simd.h base/simd_pair.h base/elementary_round.h base/reduce.h base/reduce.c base/elementary_exponential.h
    base/elementary_circle.h base/elementary_arc.h base/elementary_hyperbolic.h linalg/pivot_kernel.h cpu/row_values_kernel.h
    cpu/unload_kernel.h
    cpu/fused_auto.h core/summary.h
    codegen/kernel/row_functions_kernel.h cpu/kernel_table.h codegen/kernel/generated_kernel.h codegen/kernel/fused_fixed_kernel.h
    codegen/kernel/fused_adjoint_kernel.h
    codegen/kernel/lanes_number_kernel.h core/precision.h core/number.h core/damping.h codegen/kernel/fused_auto_kernel.h)

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
    embed_bytes(codegen/kernel/prelude.h generate_prelude "${bytes}")
    return()
endif()

set(prelude_source ${PROJECT_BINARY_DIR}/generated/prelude.c)
embed_command(${CMAKE_CURRENT_LIST_FILE} ${prelude_source} ${prelude_files})

# Benchmarks, build/bench/NAME: every bench/*.c, which may measure what is inside.

# layer_speed, feasibility and dense have parts, NAME_*.c.
file(GLOB benches CONFIGURE_DEPENDS bench/*.c)
file(GLOB layer_speed_parts CONFIGURE_DEPENDS bench/layer_speed_*.c)
file(GLOB feasibility_parts CONFIGURE_DEPENDS bench/feasibility_*.c)
file(GLOB dense_parts CONFIGURE_DEPENDS bench/dense_*.c)
list(REMOVE_ITEM benches ${layer_speed_parts} ${feasibility_parts} ${dense_parts})
foreach(source IN LISTS benches)
    cmake_path(GET source STEM name)
    program(bench_${name} bench ${name} ${source})
    target_include_directories(bench_${name} PRIVATE src)
endforeach()
# One part of layer_speed, and one of dense, measures OpenBLAS beside us. Debian's serial build of that has no locks and gives wrong results to two
# threads at once.
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread)
if(OPENBLAS_LIBRARY)
    list(FILTER layer_speed_parts EXCLUDE REGEX "_no_lapack.c$")
    list(FILTER dense_parts EXCLUDE REGEX "_no_lapack.c$")
    target_link_libraries(bench_layer_speed PRIVATE ${OPENBLAS_LIBRARY})
    target_link_libraries(bench_dense PRIVATE ${OPENBLAS_LIBRARY})
else()
    list(FILTER layer_speed_parts EXCLUDE REGEX "/layer_speed_lapack.c$")
    list(FILTER dense_parts EXCLUDE REGEX "/dense_lapack.c$")
endif()
target_sources(bench_dense PRIVATE ${dense_parts})
target_sources(bench_layer_speed PRIVATE ${layer_speed_parts})
target_link_libraries(bench_layer_speed PRIVATE hardnet_reference)
target_sources(bench_feasibility PRIVATE ${feasibility_parts} tools/common/console.c tools/common/figures.c tools/common/inputs.c
                                         tools/common/json_writer.c tools/common/progress.c tools/common/text.c)
target_link_libraries(bench_feasibility PRIVATE hardnet_reference)
target_sources(bench_optima PRIVATE bench/feasibility_models.c tools/common/console.c tools/common/inputs.c
                                    tools/common/figures.c tools/common/text.c)
target_link_libraries(bench_optima PRIVATE hardnet_reference)
target_compile_definitions(bench_feasibility PRIVATE FEASIBILITY_MODELS="${PROJECT_SOURCE_DIR}/models/feasibility")

set(bench_targets "")
foreach(source IN LISTS benches)
    cmake_path(GET source STEM name)
    list(APPEND bench_targets bench_${name})
endforeach()
if(top_level)
    add_custom_target(benches DEPENDS ${bench_targets})
endif()

# Tests: one executable and one CTest test <module>/<name> for every tests/<module>/test_<name>.c.
#
#   tests/<module>/<name>_*.c     companions, compiled into test_<name>
#   tests/support/*.c           helpers, linked to every test; failing_*.c is compiled into the tests of faults/ only
#   tests/house/test_<name>.py  checks of the tree and of the built library, in plain Python
# A test whose library is missing is reported as skipped, by name.

find_path(CMOCKA_INCLUDE cmocka.h)
find_library(CMOCKA_LIBRARY cmocka)
set(not_there "not installed")
if(HARDNET_SANITIZE MATCHES memory) # as with IPOPT
    set(not_there "not compiled with MemorySanitizer")
else()
    find_path(MPFR_INCLUDE mpfr.h)
    find_library(MPFR_LIBRARY mpfr)
    find_library(GMP_LIBRARY gmp)
endif()
find_path(AMD_INCLUDE suitesparse/amd.h)
find_library(AMD_LIBRARY amd)
find_library(SUITESPARSE_LIBRARY suitesparseconfig)
find_program(VALGRIND valgrind)
set(Python3_ROOT_DIR /usr) # Debian's own first: it is the one with numpy
set(Python3_FIND_STRATEGY LOCATION)
find_package(Python3 COMPONENTS Interpreter)

set(tests_dir ${PROJECT_SOURCE_DIR}/tests)
file(GLOB support_sources CONFIGURE_DEPENDS tests/support/*.c)
set(failing_sources ${support_sources})
list(FILTER failing_sources INCLUDE REGEX "/failing_[^/]*$")
list(FILTER support_sources EXCLUDE REGEX "/failing_[^/]*$")
if(support_sources AND CMOCKA_LIBRARY)
    add_library(test_support STATIC ${support_sources})
    target_include_directories(test_support PRIVATE include src tests)
    target_include_directories(test_support SYSTEM PRIVATE ${CMOCKA_INCLUDE})
endif()

set(test_environment
    ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1:allocator_may_return_null=1
    UBSAN_OPTIONS=print_stacktrace=1
    MSAN_OPTIONS=allocator_may_return_null=1
    TSAN_OPTIONS=halt_on_error=1)

set(test_share 1) # long tests do the whole of it, or a share where everything is slow
if(HARDNET_SANITIZE OR HARDNET_COVERAGE OR HARDNET_MUTANTS)
    set(test_share 8)
endif()

list(APPEND test_environment HN_TEST_SHARE=${test_share} HN_TEST_PYTHON=${Python3_EXECUTABLE})
set(script_seconds 900) # a limit for what hangs, not for machines with other work
if(HARDNET_SANITIZE MATCHES thread) # ten times slower
    set(script_seconds 1500)
endif()

# skipped_test(NAME REASON): stands in CTest's summary as skipped.
function(skipped_test name reason)
    add_test(NAME ${test_prefix}${name} ${test_configuration} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${reason}")
    set_tests_properties(${test_prefix}${name} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped: ")
endfunction()

# c_test(NAME SOURCE...): the test NAME as build/tests/NAME, not yet linked to the library; run with ${test_arguments}. With
# ${test_configuration} CTest knows it in that only, as ${test_prefix}NAME.
function(c_test name)
    if(NOT CMOCKA_LIBRARY OR NOT CMOCKA_INCLUDE)
        skipped_test(${name} "cmocka is not installed")
        return()
    endif()
    string(REPLACE "/" "_" target "test_${name}")
    add_executable(${target} ${ARGN})
    target_include_directories(${target} PRIVATE include src tests)
    target_include_directories(${target} SYSTEM PRIVATE ${CMOCKA_INCLUDE})
    target_compile_definitions(${target} PRIVATE HN_BACKENDS_X86=${HARDNET_X86} HN_TEST_SHARE=${test_share})
    target_link_libraries(${target} PRIVATE ${CMOCKA_LIBRARY} m Threads::Threads)
    cmake_path(GET name PARENT_PATH module)
    cmake_path(GET name FILENAME file)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file}
                                               RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${module})
    add_test(NAME ${test_prefix}${name} ${test_configuration} COMMAND ${target} ${test_arguments} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${test_prefix}${name} PROPERTIES TIMEOUT 900 ENVIRONMENT "${test_environment}")
endfunction()

include(cmake/fake_device.cmake)

# What a compiler makes at run time is not compiled with MemorySanitizer, which takes what that writes for nothing.
set(memory_blind "")
if(HARDNET_SANITIZE MATCHES memory)
    set(memory_blind cuda/device_single cuda/device_text codegen/adjoint faults/device_faults)
endif()

# Tests whose expected values a Python script prints while they run (tests/support/script.h); 77: numpy is not installed.
set(python_tables ampl/texts models/models)
set(python_blind "")
if(NOT Python3_Interpreter_FOUND)
    set(python_blind ${python_tables})
endif()

# Baselines are the command line's; their tests and those of faults judge them.
file(GLOB baseline_sources CONFIGURE_DEPENDS tools/baselines/*.c)
add_library(tool_baselines STATIC EXCLUDE_FROM_ALL ${baseline_sources})
target_include_directories(tool_baselines PUBLIC tools PRIVATE include src)

# ---- every tests/<module>/test_<name>.c ----

file(GLOB test_sources CONFIGURE_DEPENDS tests/*/test_*.c)
foreach(source IN LISTS test_sources)
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "^test_" "" name ${name})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME module)

    if(${module}/${name} IN_LIST memory_blind)
        skipped_test(${module}/${name} "what it compiles is not compiled with MemorySanitizer")
        continue()
    endif()

    if("${module}/${name}" IN_LIST python_blind)
        skipped_test(${module}/${name} "Python 3 is not installed")
        continue()
    endif()

    set(sources ${source})
    file(GLOB companions CONFIGURE_DEPENDS ${folder}/${name}_*.c)
    list(APPEND sources ${companions})
    if(module STREQUAL faults)
        list(APPEND sources ${failing_sources})
    endif()
    # The elementary functions at every width are what test_wide compares; test_elementary judges them by MPFR.
    if(module STREQUAL base AND name STREQUAL elementary)
        list(FILTER sources EXCLUDE REGEX "/elementary_width[0-9].c$")
    elseif(module STREQUAL tools AND NOT name STREQUAL reference) # tools are not a library: their tests include what they judge
        list(APPEND sources ${folder}/${name}_source.c)
        list(REMOVE_DUPLICATES sources)
    elseif(module STREQUAL base AND name STREQUAL wide)
        file(GLOB companions CONFIGURE_DEPENDS ${folder}/elementary_width*.c)
        list(APPEND sources ${companions})
    endif()
    instruction_sets(sources)
    if(module STREQUAL web) # the module's parts, whose attributes other compilers do not know
        list(APPEND sources web/shim.c web/memory_files.c web/absent.c)
        set_source_files_properties(web/shim.c PROPERTIES COMPILE_OPTIONS
                                    "-Wno-attributes;-Wno-unknown-attributes;-Wno-missing-prototypes")
    endif()

    set(libraries hardnet_internal)
    if(module MATCHES "^(baselines|faults)$")
        list(PREPEND libraries tool_baselines)
    endif()
    if(TARGET test_support)
        list(PREPEND libraries test_support)
    endif()
    if(module STREQUAL base AND name STREQUAL elementary)
        if(NOT MPFR_LIBRARY OR NOT MPFR_INCLUDE OR NOT GMP_LIBRARY)
            skipped_test(${module}/${name} "MPFR and GMP are ${not_there}")
            continue()
        endif()
        list(APPEND libraries ${MPFR_LIBRARY} ${GMP_LIBRARY})
    elseif(module STREQUAL linalg AND name STREQUAL order)
        if(NOT AMD_LIBRARY OR NOT AMD_INCLUDE OR NOT SUITESPARSE_LIBRARY)
            skipped_test(${module}/${name} "SuiteSparse's AMD is not installed")
            continue()
        endif()
        list(APPEND libraries ${AMD_LIBRARY} ${SUITESPARSE_LIBRARY})
    elseif(module STREQUAL tools AND name STREQUAL reference)
        if(NOT IPOPT_LIBRARY OR NOT IPOPT_INCLUDE)
            skipped_test(${module}/${name} "IPOPT is ${not_there}")
            continue()
        endif()
        list(PREPEND libraries hardnet_reference)
    endif()

    c_test(${module}/${name} ${sources})
    if(TARGET test_${module}_${name})
        if("${module}/${name}" IN_LIST python_tables)
            set_tests_properties(${module}/${name} PROPERTIES SKIP_RETURN_CODE 77)
        endif()
        target_link_libraries(test_${module}_${name} PRIVATE ${libraries})
        if(module STREQUAL tools)
            target_include_directories(test_${module}_${name} PRIVATE tools)
        elseif(module STREQUAL cuda OR name MATCHES "^device_") # there is no device, or no compiler
            set_tests_properties(${module}/${name} PROPERTIES SKIP_RETURN_CODE 77)
            target_compile_definitions(test_${module}_${name} PRIVATE FAKE_DEVICE="${fake_folder}")
            add_dependencies(test_${module}_${name} fake_cuda fake_nvrtc)
        endif()
    endif()
endforeach()

# ---- tests of threads once more, under ThreadSanitizer: the crew that all threads come from, and, by `make test-long`, whole layers ----

# The library is compiled once more for those: they are built by the target long_tests only.
set(tsan_long conformance/threads conformance/large_samples conformance/load)
set(tsan_tests base/crew ${tsan_long})
add_custom_target(long_tests)
if(NOT HARDNET_SANITIZE AND NOT HARDNET_COVERAGE)
    include(CheckCSourceCompiles)
    set(CMAKE_REQUIRED_FLAGS -fsanitize=thread)
    check_c_source_compiles("int main(void) { return 0; }" HARDNET_HAVE_TSAN)
    unset(CMAKE_REQUIRED_FLAGS)
    if(HARDNET_HAVE_TSAN AND CMOCKA_LIBRARY AND CMOCKA_INCLUDE)
        set(tsan_base ${hardnet_sources})
        list(FILTER tsan_base INCLUDE REGEX "/src/base/")
        add_library(tsan_objects OBJECT EXCLUDE_FROM_ALL ${support_sources} ${hardnet_sources})
        add_library(tsan_base_objects OBJECT EXCLUDE_FROM_ALL ${tsan_base} ${tests_dir}/support/check.c ${tests_dir}/support/main.c)
        foreach(objects tsan_objects tsan_base_objects)
            target_include_directories(${objects} PRIVATE include src tests)
            target_include_directories(${objects} SYSTEM PRIVATE ${CMOCKA_INCLUDE})
            target_compile_definitions(${objects} PRIVATE HN_BACKENDS_X86=${HARDNET_X86} HN_TEST_SHARE=${test_share})
            # GCC warns falsely about uninitialised values in instrumented code; clang-tidy, which reads the commands, does not know the option
            target_compile_options(${objects} PRIVATE -fsanitize=thread -Wno-unknown-warning-option -Wno-maybe-uninitialized)
        endforeach()
    endif()
    foreach(name IN LISTS tsan_tests)
        set(objects tsan_base_objects)
        if(name IN_LIST tsan_long)
            set(objects tsan_objects)
            set(test_prefix long/)
            set(test_configuration CONFIGURATIONS Long)
        endif()
        string(REPLACE "/" "/test_" source ${name})
        string(REPLACE "/" "_" target test_${name}_tsan)
        if(NOT HARDNET_HAVE_TSAN)
            skipped_test(${name}_tsan "ThreadSanitizer is not available")
        else()
            c_test(${name}_tsan ${tests_dir}/${source}.c)
        endif()
        if(TARGET ${target})
            target_link_libraries(${target} PRIVATE ${objects})
            target_compile_options(${target} PRIVATE -fsanitize=thread)
            target_link_options(${target} PRIVATE -fsanitize=thread)
            # Some kernels lay out memory in a way that this ThreadSanitizer does not know.
            set_tests_properties(${test_prefix}${name}_tsan PROPERTIES SKIP_REGULAR_EXPRESSION
                                                                       "ThreadSanitizer: unexpected memory mapping")
        endif()
        if(TARGET ${target} AND name IN_LIST tsan_long)
            set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
            add_dependencies(long_tests ${target})
        endif()
        unset(test_prefix)
        unset(test_configuration)
    endforeach()
endif()

# ---- tests of the layer once more, under Valgrind: the code that users run, read by another judge than the sanitizers ----

# valgrind_test(ROOM/NAME ARGUMENT...): the test of that name with these arguments, as ROOM/NAME_valgrind. Valgrind knows no AVX-512
# and says so in its CPUID, so that the library takes AVX2.
function(valgrind_test name)
    string(REPLACE "/" "_" target "test_${name}")
    if(HARDNET_SANITIZE OR HARDNET_COVERAGE)
        skipped_test(${name}_valgrind "Valgrind judges the code that users run, without sanitizers and coverage")
    elseif(NOT CMAKE_C_COMPILER_ID STREQUAL GNU)
        skipped_test(${name}_valgrind "Debian's Valgrind stops at debugging information that is not gcc's")
    elseif(NOT VALGRIND OR NOT TARGET ${target})
        skipped_test(${name}_valgrind "Valgrind or cmocka is not installed")
    else()
        add_test(NAME ${name}_valgrind COMMAND ${VALGRIND} -q --error-exitcode=9 $<TARGET_FILE:${target}> ${ARGN}
                 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(${name}_valgrind PROPERTIES TIMEOUT 600)
    endif()
endfunction()

valgrind_test(layer/bad_input)
valgrind_test(layer/many_problems 200)

# ---- fuzz targets over what is known to be interesting: their corpus and all model texts of the tests ----

file(GLOB fuzz_targets CONFIGURE_DEPENDS fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_targets)
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "^fuzz_" "" name ${name})
    set(corpus ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
    if(name STREQUAL reader)
        list(APPEND corpus ${tests_dir}/ampl/texts ${PROJECT_SOURCE_DIR}/models)
    endif()
    set(test_arguments ${corpus})
    c_test(replay/${name} ${source} ${tests_dir}/replay/replay.c ${fuzz_common} ${fuzz_${name}_tools})
    unset(test_arguments)
    if(TARGET test_replay_${name})
        target_include_directories(test_replay_${name} PRIVATE tools fuzz)
        target_link_libraries(test_replay_${name} PRIVATE hardnet_internal)
    endif()
endforeach()

# ---- every example runs ----

foreach(source IN LISTS examples)
    cmake_path(GET source STEM name)
    add_test(NAME examples/${name} COMMAND example_${name})
    set_tests_properties(examples/${name} PROPERTIES TIMEOUT 300 ENVIRONMENT "${test_environment}")
endforeach()

# ---- the feasibility benchmark, on a few models; it fails on a false ok ----

add_test(NAME bench/feasibility COMMAND bench_feasibility --starts 2 models/infeasible models/feasibility/hs13.mod
                                        models/feasibility/pal_s5.mod tests/ampl/texts/knapsack.mod
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(bench/feasibility PROPERTIES TIMEOUT 600 ENVIRONMENT "${test_environment}")

# ---- optima beside IPOPT's, on a few models; it fails where IPOPT finds more, and is skipped without one ----

add_test(NAME bench/optima COMMAND bench_optima --check --samples 3 models/ellipse.mod models/pooling.mod models/opf.mod
                                   models/unicycle.mod models/feasibility/hs106.mod models/feasibility/wachbieg.mod
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(bench/optima PROPERTIES TIMEOUT 120 SKIP_RETURN_CODE 77 ENVIRONMENT "${test_environment}")

# ---- what samples without solution cost; it fails when they cost more than the others together ----

if(NOT HARDNET_SANITIZE AND NOT HARDNET_COVERAGE) # it counts steps, which are the same everywhere
    add_test(NAME bench/effort COMMAND bench_effort --check-steps 500 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(bench/effort PROPERTIES TIMEOUT 600 ENVIRONMENT "${test_environment}")
endif()

# ---- scripts that judge from outside ----

# script_test(NAME SOURCE ARGUMENT...): a Python script with exit status 77 for "skipped".
function(script_test name source)
    if(NOT Python3_Interpreter_FOUND)
        skipped_test(${name} "Python 3 is not installed")
        return()
    endif()
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${tests_dir}/${source} ${ARGN}
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${script_seconds} SKIP_RETURN_CODE 77 ENVIRONMENT "${test_environment}")
endfunction()

if(TARGET hardnet_tool)
    script_test(tools/check tools/test_check.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/check_output tools/test_check_output.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/check_layer tools/test_check_layer.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/project tools/test_project.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/project_methods tools/test_project_methods.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/solve tools/test_solve.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/bench tools/test_bench.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/compile tools/test_compile.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/train tools/test_train.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/train_goes_on tools/test_train_goes_on.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/table tools/test_table.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/write tools/test_write.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/task_data tools/test_task_data.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/eval tools/test_eval.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/eval_reference tools/test_eval_reference.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/rollout tools/test_rollout.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/emit tools/test_emit.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/memory_limit tools/test_memory_limit.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/pictures tools/test_pictures.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/overlap tools/test_overlap.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/arrays tools/test_arrays.py $<TARGET_FILE:hardnet_tool>)
    script_test(ampl/as_written ampl/as_written.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/terminal tools/test_terminal.py $<TARGET_FILE:hardnet_tool>)
    script_test(tools/progress tools/test_progress.py $<TARGET_FILE:hardnet_tool>)
    if(NOT HARDNET_SANITIZE AND NOT HARDNET_COVERAGE) # no leak is found in a process that is traced
        script_test(faults/kills faults/kills.py $<TARGET_FILE:hardnet_tool> --every 30)
    endif()
    script_test(ampl/fingerprint ampl/fingerprint.py $<TARGET_FILE:hardnet_tool>)
endif()
# On other processors, by `make test-targets` only (ctest -C Targets).
if(TARGET hardnet_tool AND Python3_Interpreter_FOUND)
    foreach(name targets instructions sizes)
        add_test(NAME targets/${name} CONFIGURATIONS Targets
                 COMMAND ${Python3_EXECUTABLE} -B ${tests_dir}/targets/test_${name}.py $<TARGET_FILE:hardnet_tool>)
        set_tests_properties(targets/${name} PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77)
    endforeach()
    add_test(NAME targets/casadi CONFIGURATIONS Targets
             COMMAND ${PROJECT_SOURCE_DIR}/scripts/python casadi $<TARGET_FILE:hardnet_tool>)
    set_tests_properties(targets/casadi PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77)
endif()

# ---- all of what the tests above do a part of, by `make test-long` only (ctest -C Long) ----

# long_test(NAME ARGUMENT...): the test of that name with these arguments.
function(long_test name)
    string(REPLACE "/" "_" target "test_${name}")
    if(TARGET ${target})
        add_test(NAME long/${name} CONFIGURATIONS Long COMMAND ${target} ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(long/${name} PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77 ENVIRONMENT "${test_environment}")
    endif()
endfunction()

long_test(conformance/generated all)
long_test(cuda/device_text all)
long_test(cuda/device_single all)
long_test(faults/device_faults all)
long_test(conformance/executors 40)
long_test(linalg/damped all)
long_test(layer/many_problems 0 all 20000)
long_test(base/elementary 100000)
if(TARGET hardnet_tool AND Python3_Interpreter_FOUND)
    foreach(name emit compile)
        add_test(NAME long/tools/${name} CONFIGURATIONS Long
                 COMMAND ${Python3_EXECUTABLE} -B ${tests_dir}/tools/test_${name}.py $<TARGET_FILE:hardnet_tool>
                 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
        set_tests_properties(long/tools/${name} PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77
                                                           ENVIRONMENT "${test_environment};HN_TEST_LONG=1")
    endforeach()
endif()

# ---- the independent judge, on the package that users import: 50 digits, its own problems; `make trust` takes many more ----

if(HARDNET_PYTHON AND NOT HARDNET_SANITIZE AND NOT HARDNET_COVERAGE)
    script_test(judge/problems judge/judge.py --problems 300 --processes 2)
    script_test(judge/can_fail judge/test_judge.py)
    set_tests_properties(judge/problems judge/can_fail PROPERTIES ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python")
endif()

# ---- the tree and what users install: nothing that sanitizers or coverage would see more of ----

set(house_tests "")
if(NOT HARDNET_SANITIZE AND NOT HARDNET_COVERAGE)
    script_test(ampl/glpsol_agrees ampl/glpsol.py)
    file(GLOB house_tests CONFIGURE_DEPENDS tests/house/test_*.py)
endif()
foreach(source IN LISTS house_tests)
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "^test_" "house/" name ${name})
    if(NOT Python3_Interpreter_FOUND)
        skipped_test(${name} "Python 3 is not installed")
        continue()
    endif()
    add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${source} --source ${PROJECT_SOURCE_DIR}
                                  --build ${PROJECT_BINARY_DIR} --compiler ${CMAKE_C_COMPILER}
                                  --cmake ${CMAKE_COMMAND})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${script_seconds} SKIP_RETURN_CODE 77)
    if(name STREQUAL house/recipes) # the same, built and judged in a copy of the tree: among the slow tests
        add_test(NAME house/recipes_built COMMAND ${Python3_EXECUTABLE} -B ${source} --try --source ${PROJECT_SOURCE_DIR}
                                                  --compiler ${CMAKE_C_COMPILER} --cmake ${CMAKE_COMMAND})
        set_tests_properties(house/recipes_built PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77)
    endif()
    if(name STREQUAL house/install)
        add_test(NAME long/${name} CONFIGURATIONS Long COMMAND ${Python3_EXECUTABLE} -B ${source} --source ${PROJECT_SOURCE_DIR}
                                   --build ${PROJECT_BINARY_DIR} --compiler ${CMAKE_C_COMPILER} --cmake ${CMAKE_COMMAND})
        set_tests_properties(long/${name} PROPERTIES TIMEOUT 1800 SKIP_RETURN_CODE 77 ENVIRONMENT HN_TEST_LONG=1)
    endif()
endforeach()

# ---- the Python package ----

include(cmake/python.cmake)

# ---- `make test` leaves out the tests labelled slow and python, `make test-all` runs them ----

# Slow tests spend their time in compilers, in IPOPT or on many random problems. CTest starts them first, so that none of them
# runs alone at the end.
set(slow_tests tools/emit tools/compile tools/pictures tools/eval_reference tools/check_layer conformance/generated cuda/device_text
               cuda/device_single cuda/device_policy cuda/device_search codegen/adjoint faults/device_faults faults/text_faults
               codegen/pairs linalg/damped house/recipes_built)
foreach(name IN LISTS slow_tests)
    if(TEST ${name})
        set_tests_properties(${name} PROPERTIES COST 100 LABELS slow)
    endif()
endforeach()
foreach(name IN ITEMS conformance/batch_bits conformance/stored_bits faults/life_faults house/install python/prepare python/threads)
    if(TEST ${name})
        set_tests_properties(${name} PROPERTIES COST 90)
    endif()
endforeach()

# Tests of the Python package, python/<name> for every python/tests/test_<name>.py and python/<framework>/<name> for those
# of torch and jax. They run in build/venv (scripts/python), on the wheel in a plain build; a build with another compiler or
# with sanitizers has a separate extension, which is preloaded with AddressSanitizer.

file(GLOB python_tests RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS python/tests/test_*.py python/tests/*/test_*.py)
set(python_program ${PROJECT_SOURCE_DIR}/scripts/python)
set(python_environment "")
set(python_why_not "")
set(python_prepare wheel)
if(NOT HARDNET_PYTHON)
    set(python_why_not "Python's headers (python3-dev) are not installed")
elseif(HARDNET_COVERAGE)
    set(python_why_not "coverage is measured by the tests in C")
elseif(HARDNET_SANITIZE)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT HARDNET_SANITIZE MATCHES address OR NOT IS_ABSOLUTE "${asan}")
        set(python_why_not "Python runs with a preloaded AddressSanitizer of gcc only")
    endif()
    # Frameworks come without sanitizers; types and the wheel are judged in a plain build.
    list(FILTER python_tests EXCLUDE REGEX "/tests/(torch|jax|examples)/|/test_(types|wheel).py$")
    set(python_environment HARDNET_PRELOAD=${asan})
endif()
if(HARDNET_SANITIZE OR NOT CMAKE_C_COMPILER_ID STREQUAL GNU)
    set(python_prepare venv)
    list(APPEND python_environment PYTHONPATH=${PROJECT_BINARY_DIR}/python)
endif()

if(python_tests AND NOT python_why_not)
    add_test(NAME python/prepare COMMAND ${python_program} ${python_prepare} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(python/prepare PROPERTIES FIXTURES_SETUP python SKIP_RETURN_CODE 77 TIMEOUT 1800 LABELS python)
    set_tests_properties(python/prepare PROPERTIES
                         ENVIRONMENT "HARDNET_LIBRARY=$<TARGET_FILE:hardnet_static>;HARDNET_EXECUTABLE=$<TARGET_FILE:hardnet_tool>")
endif()
foreach(source IN LISTS python_tests)
    string(REGEX REPLACE "^python/tests/(.*)test_([a-z0-9_]+).py$" "python/\\1\\2" name ${source})
    if(python_why_not)
        skipped_test(${name} ${python_why_not})
        set_tests_properties(${name} PROPERTIES LABELS python)
        continue()
    endif()
    add_test(NAME ${name} COMMAND ${python_program} test ${source} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED python SKIP_RETURN_CODE 77 TIMEOUT 600 LABELS python
                                            ENVIRONMENT "${python_environment};HARDNET_BUILD=${PROJECT_BINARY_DIR}")
endforeach()

# The oldest JAX that we support, in a separate environment; `make test-python` installs it.
if(python_tests AND NOT python_why_not AND python_prepare STREQUAL wheel)
    add_test(NAME python/jax/oldest COMMAND ${PROJECT_SOURCE_DIR}/scripts/jax-versions oldest WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(python/jax/oldest PROPERTIES FIXTURES_REQUIRED python SKIP_RETURN_CODE 77 TIMEOUT 1800 LABELS python)
endif()

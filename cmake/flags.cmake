# Flags of all our code, and of the few files that are compiled for one instruction set.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()

add_compile_definitions(_POSIX_C_SOURCE=200809L)
add_compile_options(
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef -Wwrite-strings -Wpointer-arith -Wformat=2
    -Wno-psabi                   # vectors cross no boundary between our instruction sets
    -ffp-contract=off            # the same bits with and without FMA in the processor
    -fno-math-errno              # sqrt is one instruction
    -fno-semantic-interposition) # position-independent code may inline as if it were not
if(HARDNET_WERROR)
    add_compile_options(-Werror)
endif()
if(HARDNET_TESTS AND CMAKE_C_COMPILER_ID STREQUAL GNU)
    add_compile_options(-fno-var-tracking) # the same code; where variables lie at every instruction takes a quarter of the compiler's time
endif()
if(HARDNET_SANITIZE)
    add_compile_options(-fsanitize=${HARDNET_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${HARDNET_SANITIZE})
endif()
if(HARDNET_COVERAGE)
    add_compile_options(--coverage -fprofile-update=atomic) # atomic: threads count too
    add_compile_definitions(always_inline=unused)           # a helper's branch counts once, not once per caller
    add_link_options(--coverage)
endif()

# harden(TARGET): for what reads files of others. Functions with arrays on the stack check it before they return, calls of the C
# library check the sizes of their targets, and what the loader has resolved is read-only. The kernels (src/cpu), which see
# numbers only, keep the stack as it is. Sanitizers do all of this themselves, and unoptimised code has no fortified calls.
include(CheckPIESupported)
check_pie_supported()
function(harden target)
    if(HARDNET_SANITIZE OR NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
        return()
    endif()
    target_compile_options(${target} PRIVATE -fstack-protector-strong
                                             $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=2>)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY")
        target_link_options(${target} PRIVATE -Wl,-z,relro -Wl,-z,now)
    endif()
endfunction()

# The order of operations is what makes the same bits everywhere: whatever lets the compiler change it is refused. gcc says in
# macros what it may do, and src/base/simd.h looks at those. clang does not: the flags are searched here, those of an including
# project as well, and where they come from elsewhere a difference that may be folded tells.
string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
get_directory_property(inherited COMPILE_OPTIONS)
string(REPLACE ";" " " inherited "${inherited}")
set(all_flags "${CMAKE_C_COMPILER_ARG1} ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${config}} ${inherited}")
set(inexact "-f(fast-math|unsafe-math-optimizations|associative-math|reciprocal-math|finite-math-only)|-Ofast")
if(all_flags MATCHES "(^| )(${inexact})( |$)")
    message(FATAL_ERROR "hardnet must not be compiled with -ffast-math or parts of it: ${CMAKE_MATCH_2}")
endif()
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -O2)
check_c_source_compiles("
#ifdef __clang__
__attribute__((error(\"inexact\"))) void inexact(void);
int main(int count, char **words) {
    (void)words;
    double x = count;
    if (__builtin_constant_p((x + 0.1) - x))
        inexact();
    return 0;
}
#else
int main(void) { return 0; }
#endif" HARDNET_EXACT)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT HARDNET_EXACT)
    message(FATAL_ERROR "hardnet must not be compiled with -ffast-math or parts of it: ${CMAKE_C_COMPILER} changes the order of operations")
endif()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    set(HARDNET_X86 1)
else()
    set(HARDNET_X86 0)
endif()
set(avx2_flags -mavx2)
set(avx512_flags -mavx512f -mavx512dq -mavx512vl -mprefer-vector-width=512)

# instruction_sets(LIST): gives each source in LIST the flags that its name asks for (avx2.c, avx512.c, *_width4.c,
# *_width8.c) and takes those that this processor cannot have out of LIST.
function(instruction_sets list)
    foreach(source IN LISTS ${list})
        cmake_path(GET source STEM name)
        set(options "")
        if(name MATCHES "^avx2$|_width4$")
            set(options ${avx2_flags})
        elseif(name MATCHES "^avx512$|_width8$")
            set(options ${avx512_flags})
        endif()
        if(options AND NOT HARDNET_X86)
            list(REMOVE_ITEM ${list} ${source})
        endif()
        if(source MATCHES "/src/cpu/")
            # Aligned: otherwise a change in one kernel moves the next one, and its time by up to 9 %.
            list(APPEND options $<$<CONFIG:Release,RelWithDebInfo>:-O3> -falign-functions=64 -fno-stack-protector)
        endif()
        set_property(SOURCE ${source} PROPERTY COMPILE_OPTIONS ${options})
        if(name STREQUAL registry)
            set_property(SOURCE ${source} PROPERTY COMPILE_DEFINITIONS HN_BACKENDS_X86=${HARDNET_X86})
        endif()
    endforeach()
    set(${list} ${${list}} PARENT_SCOPE)
endfunction()

# hardnet_static, libhardnet.a: one relocatable object in which nothing but hn_* is global, so that a program's own functions
# never meet the library's inner ones. Sanitizers and coverage keep the plain objects: their runtimes add symbols.

if(NOT CMAKE_OBJCOPY AND NOT HARDNET_SANITIZE AND NOT HARDNET_COVERAGE)
    message(FATAL_ERROR "hardnet: objcopy (binutils or LLVM) is needed to make the static library")
endif()
if(HARDNET_SANITIZE OR HARDNET_COVERAGE)
    add_library(hardnet_static STATIC $<TARGET_OBJECTS:hardnet_objects>)
    return()
endif()

set(joined ${PROJECT_BINARY_DIR}/hardnet_joined.o)
set(object ${PROJECT_BINARY_DIR}/hardnet.o)
add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER} ${CMAKE_C_COMPILER_ARG1} -r -nostdlib -o ${joined} $<TARGET_OBJECTS:hardnet_objects>
    COMMAND ${CMAKE_OBJCOPY} --wildcard "--keep-global-symbol=hn_*" $<$<NOT:$<CONFIG:Debug>>:--strip-debug> ${joined} ${object}
    DEPENDS hardnet_objects $<TARGET_OBJECTS:hardnet_objects>
    BYPRODUCTS ${joined}
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Joining the objects of the static library")
set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
add_library(hardnet_static STATIC ${object})

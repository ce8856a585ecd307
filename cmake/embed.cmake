# What cmake/prelude.cmake and cmake/texts.cmake share: bytes as an array of characters in C, and the command that makes it.

# Writes `name` and `name`_length, which `header` declares, to the file OUT. bytes: two hexadecimal digits each.
function(embed_bytes header name bytes)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n    " bytes "${bytes}")
    get_filename_component(script ${CMAKE_SCRIPT_MODE_FILE} NAME)
    file(WRITE ${OUT} "/* Made by cmake/${script}. */\n#include \"${header}\"\n\n"
                      "const char ${name}[] = {\n    ${bytes}0};\n"
                      "const size_t ${name}_length = sizeof ${name} - 1;\n")
endfunction()

# Runs `script`, which makes `out` of files in src/.
function(embed_command script out)
    list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/ OUTPUT_VARIABLE inputs)
    add_custom_command(
        OUTPUT ${out}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated
        COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DSOURCE=${PROJECT_SOURCE_DIR}/src -P ${script}
        DEPENDS ${inputs} ${script} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
        VERBATIM)
endfunction()

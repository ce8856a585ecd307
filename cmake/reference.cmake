# The bridge to IPOPT, for comparisons: one of two files with the same functions. IPOPT is not linked but loaded when it
# is needed, under the name that its library has for programs: libipopt.so.1. MemorySanitizer takes what a library writes that
# was compiled without it for unwritten: there it is the other file.
if(HARDNET_IPOPT AND NOT HARDNET_SANITIZE MATCHES memory)
    find_path(IPOPT_INCLUDE IpStdCInterface.h PATH_SUFFIXES coin-or coin)
    find_library(IPOPT_LIBRARY ipopt)
endif()
if(HARDNET_IPOPT AND IPOPT_INCLUDE AND IPOPT_LIBRARY)
    file(REAL_PATH ${IPOPT_LIBRARY} ipopt_file)
    cmake_path(GET ipopt_file FILENAME ipopt_file)
    string(REGEX REPLACE "(\\.so\\.[0-9]+)\\..*" "\\1" ipopt_file ${ipopt_file})
    add_library(hardnet_reference STATIC tools/reference/reference_build.c tools/reference/reference_ipopt.c
                                         tools/reference/reference_load.c)
    target_include_directories(hardnet_reference SYSTEM PRIVATE ${IPOPT_INCLUDE})
    target_compile_definitions(hardnet_reference PRIVATE IPOPT_FILE="${ipopt_file}")
    target_link_libraries(hardnet_reference PRIVATE ${CMAKE_DL_LIBS})
else()
    add_library(hardnet_reference STATIC tools/reference/reference_none.c)
endif()
target_include_directories(hardnet_reference PRIVATE src PUBLIC tools)
target_link_libraries(hardnet_reference PUBLIC hardnet_internal)

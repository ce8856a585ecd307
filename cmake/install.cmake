# What `make install` copies: headers, both libraries, a CMake package (find_package(hardnet)) and a pkg-config file; the
# command with its man page; licence, documents, examples and models. `make uninstall` removes it.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hardnet)

install(DIRECTORY include/hardnet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS hardnet_static hardnet_shared EXPORT hardnet)
install(EXPORT hardnet NAMESPACE hardnet:: FILE hardnet-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/hardnet-config.cmake.in hardnet-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(hardnet-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hardnet-config.cmake ${PROJECT_BINARY_DIR}/hardnet-config-version.cmake
        DESTINATION ${package_dir})

# The pkg-config file finds the prefix from where it lies, however deep that is.
set(pkg_config_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${pkg_config_dir} OUTPUT_VARIABLE pkg_config_up)
foreach(kind LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE ${CMAKE_INSTALL_${kind}})
        set(pkg_config_${kind} ${CMAKE_INSTALL_${kind}})
    else()
        set(pkg_config_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
    endif()
endforeach()
configure_file(cmake/hardnet.pc.in hardnet.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hardnet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# The bill of materials (SPDX 2.3): what the build links with, and what may be opened at run time. SOURCE_DATE_EPOCH makes it
# reproducible.
string(TIMESTAMP sbom_created "%Y-%m-%dT%H:%M:%SZ" UTC)
string(SHA1 sbom_id "${PROJECT_VERSION} ${sbom_created} ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}")
configure_file(cmake/hardnet.spdx.json.in hardnet.spdx.json @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hardnet.spdx.json DESTINATION ${CMAKE_INSTALL_DATADIR}/hardnet)

file(GLOB documents docs/*.md)
file(GLOB pictures docs/pictures/*.svg)
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(FILES ${pictures} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs/pictures)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.c" PATTERN python EXCLUDE)
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/hardnet FILES_MATCHING PATTERN "*.mod" PATTERN "*.dat" PATTERN "*.md")
if(HARDNET_COMMAND)
    install(TARGETS hardnet_tool)
    install(FILES docs/hardnet.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES scripts/hardnet.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME hardnet)
endif()

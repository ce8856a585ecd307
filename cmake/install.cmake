# What `make install` copies: headers, both libraries, a CMake package (find_package(hardnet)) and a pkg-config file.

include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hardnet)

install(DIRECTORY include/hardnet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS hardnet hardnet_shared EXPORT hardnet)
install(EXPORT hardnet NAMESPACE hardnet:: FILE hardnet-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/hardnet-config.cmake.in hardnet-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(hardnet-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hardnet-config.cmake ${PROJECT_BINARY_DIR}/hardnet-config-version.cmake
        DESTINATION ${package_dir})

configure_file(cmake/hardnet.pc.in hardnet.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/hardnet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET hardnet_tool)
    install(FILES docs/hardnet.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
    install(FILES scripts/hardnet.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME hardnet)
endif()

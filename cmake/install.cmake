# `cmake --install` and what find_package(vnngp) reads.
include(CMakePackageConfigHelpers)

install(TARGETS vnngp EXPORT vnngpTargets)
install(DIRECTORY include/vnngp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT vnngpTargets NAMESPACE vnngp:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vnngp)
configure_package_config_file(cmake/vnngpConfig.cmake.in ${PROJECT_BINARY_DIR}/vnngpConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vnngp)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/vnngpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/vnngpConfig.cmake ${PROJECT_BINARY_DIR}/vnngpConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/vnngp)

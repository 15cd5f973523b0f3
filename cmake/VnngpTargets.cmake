# Settings every target of this project shares.

# Language level, warnings, sanitizers. No -march: wider instructions are chosen at run time by Highway.
function(vnngp_configure_target target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wpedantic -fno-math-errno)
    if(VNNGP_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
    if(VNNGP_SANITIZE)
        target_compile_options(${target} PUBLIC -fsanitize=${VNNGP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
        target_link_options(${target} PUBLIC -fsanitize=${VNNGP_SANITIZE})
        # One source for all instruction sets: the sanitizers need not see the old ones too, which take as long to compile.
        target_compile_definitions(${target} PRIVATE "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4)")
    endif()
endfunction()

# What most files read, parsed once: a third of the time to build. Every file still includes what it uses.
function(vnngp_precompile target)
    # g++ 12 forgets that precompiled headers are the system's, and then warns of its own std::string.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
    target_precompile_headers(${target} PRIVATE <Eigen/Core> <algorithm> <functional> <memory> <string> <vector>)
endfunction()

# The oracles of the tests are templates of Eigen's: most of the time goes into reading and instantiating them, none into running them.
function(vnngp_precompile_for_tests target)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    if(TARGET test_base AND NOT target STREQUAL "test_base")
        target_precompile_headers(${target} REUSE_FROM test_base)
    else()
        target_precompile_headers(${target} PRIVATE <gmock/gmock.h> <gtest/gtest.h> <Eigen/Cholesky> <Eigen/Core> <Eigen/LU> <fmt/format.h>)
    endif()
endfunction()

# One test program per room: vnngp_add_room_test(<room> <sources>...)
# With VNNGP_TEST_OBJECTS, another build folder, its object files of the tests are linked with this build's library: half of the time that it
# takes to test a build with sanitizers goes into compiling tests, in which nobody looks for errors.
function(vnngp_add_room_test room)
    set(target test_${room})
    if(VNNGP_TEST_OBJECTS)
        file(GLOB objects CONFIGURE_DEPENDS ${VNNGP_TEST_OBJECTS}/tests/unit/${room}/CMakeFiles/${target}.dir/*.o)
        if(NOT objects)
            message(FATAL_ERROR "VNNGP_TEST_OBJECTS: ${VNNGP_TEST_OBJECTS} has no compiled tests of ${room}")
        endif()
        add_executable(${target} ${objects})
        set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    else()
        add_executable(${target} ${ARGN})
        vnngp_precompile_for_tests(${target})
    endif()
    vnngp_configure_target(${target})
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PRIVATE vnngp::vnngp GTest::gtest_main GTest::gmock fmt::fmt nlohmann_json::nlohmann_json Threads::Threads)
    target_compile_definitions(${target} PRIVATE VNNGP_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    gtest_discover_tests(${target} TEST_PREFIX "${room}." DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 600)
endfunction()

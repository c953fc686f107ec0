# SPDX-License-Identifier: Apache-2.0
# Files of a target compiled together, twenty as one, so that the headers which they share are read once, and
# templates are instantiated once. No two files of a target may have one name for different things;
# docs/CONTRIBUTING.md says how to keep them apart.

# Release builds alone do so, as with precompiled headers: the others show where a file needs another one.
# scripts/test builds so. Off by default: a change compiles one file again, and not ten.
option(COOPVK_UNITY "Compile files of a target together in release builds" OFF)

if(COOPVK_UNITY AND NOT COOPVK_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release")
    set(CMAKE_UNITY_BUILD ON)
    set(CMAKE_UNITY_BUILD_BATCH_SIZE 20)
    set(CMAKE_UNITY_BUILD_RELOCATABLE ON)  # relative paths: compiler caches serve every checkout
    # What is here takes two thirds of the time to compile, and as long to run as with -O2.
    add_compile_options($<$<NOT:$<CXX_COMPILER_ID:MSVC>>:-O1>)
    # A file's variable may have the name of another file's function or constant.
    add_compile_options(-Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
    # GCC collects garbage from 128 MB on, for 4 % of its time; a compiler may have 1.5 GB (scripts/common.bash).
    add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=786432>)
endif()

# coopvk_seldom_executed(): what the current folder compiles takes little of the tests' time, and is optimised less where
# files are compiled together. What is released never is (scripts/release).
function(coopvk_seldom_executed)
    if(COOPVK_UNITY AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT MSVC)
        add_compile_options(-Og)
    endif()
endfunction()

# Clang takes two thirds of GCC's time for code that is not optimised, and half with precompiled headers. An older one
# may not know the library of this GCC.
find_program(COOPVK_CLANG clang++)
mark_as_advanced(COOPVK_CLANG)
set(COOPVK_CLANG_FOR_TESTS FALSE)
if(COOPVK_UNITY AND COOPVK_CLANG AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CROSSCOMPILING)
    if(NOT DEFINED COOPVK_CLANG_KNOWS_LIBRARY)
        set(probe ${CMAKE_BINARY_DIR}/CMakeFiles/clang_probe.cpp)
        file(WRITE ${probe} "#include <format>\n#include <ranges>\n#include <regex>\n#include <thread>\n"
                            "std::string text(int n) { return std::format(\"{}\", n); }\n")
        execute_process(COMMAND ${COOPVK_CLANG} -std=c++20 -O0 -Wall -Werror -c ${probe} -o ${probe}.o
                        RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
        string(COMPARE EQUAL "${status}" "0" knows)
        set(COOPVK_CLANG_KNOWS_LIBRARY ${knows} CACHE INTERNAL "${COOPVK_CLANG} compiles with this library")
    endif()
    set(COOPVK_CLANG_FOR_TESTS ${COOPVK_CLANG_KNOWS_LIBRARY})
endif()

# coopvk_quick_to_compile(target [library...]): not optimised where files are compiled together, for tests that compute
# little, and by Clang, if there is one. Of functions of templates that several files have, the linker keeps the first:
# all of the libraries, and of cmake/optimised_templates.cpp, come before the target's files, so that these functions are
# optimised.
function(coopvk_quick_to_compile target)
    if(COOPVK_UNITY AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT MSVC)
        target_compile_options(${target} PRIVATE -O0)
        if(COOPVK_CLANG_FOR_TESTS)
            set(launcher ${PROJECT_SOURCE_DIR}/cmake/clang-for-gcc ${COOPVK_CLANG} ${CMAKE_CXX_COMPILER_LAUNCHER} --)
            set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
        endif()
        if(NOT TARGET coopvk_optimised_templates)
            add_library(coopvk_optimised_templates STATIC ${PROJECT_SOURCE_DIR}/cmake/optimised_templates.cpp)
            target_compile_options(coopvk_optimised_templates PRIVATE -O2)
        endif()
        add_dependencies(${target} coopvk_optimised_templates)
        foreach(library IN ITEMS coopvk_optimised_templates LISTS ARGN)
            target_link_options(${target} PRIVATE
                LINKER:--whole-archive,$<TARGET_FILE:${library}>,--no-whole-archive)
        endforeach()
    endif()
endfunction()

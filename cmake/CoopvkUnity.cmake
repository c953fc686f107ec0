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
    # A file's variable may have the name of another file's function or constant.
    add_compile_options(-Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
endif()

# coopvk_quick_to_compile(target [library...]): not optimised where files are compiled together, for tests that compute
# little. Of functions of templates that several files have, the linker keeps the first: all of the libraries come before
# the target's files, so that these functions are optimised.
function(coopvk_quick_to_compile target)
    if(COOPVK_UNITY AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT MSVC)
        target_compile_options(${target} PRIVATE -O0)
        foreach(library IN LISTS ARGN)
            target_link_options(${target} PRIVATE
                LINKER:--whole-archive,$<TARGET_FILE:${library}>,--no-whole-archive)
        endforeach()
    endif()
endfunction()

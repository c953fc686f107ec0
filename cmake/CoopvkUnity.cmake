# SPDX-License-Identifier: Apache-2.0
# coopvk_unity(target): eight files of a target are compiled as one, so that the headers which they share are
# read once, and templates are instantiated once. No two files of such a target may have one name for
# different things.

# Release builds alone do so, as with precompiled headers: the others show where a file needs another one.
# Off by default: a change compiles one file again, and not eight.
option(COOPVK_UNITY "Compile files of a target together in release builds" OFF)

function(coopvk_unity target)
    if(NOT COOPVK_UNITY OR COOPVK_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
        return()
    endif()
    # Relative paths: compiler caches serve every checkout.
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8
                                               UNITY_BUILD_RELOCATABLE ON)
endfunction()

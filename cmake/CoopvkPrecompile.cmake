# SPDX-License-Identifier: Apache-2.0
# Precompiled headers: reading the standard library's, Vulkan's and GoogleTest's headers is half of
# the time that a file takes to compile.

# Release builds alone have them: the others show where a file lacks an #include.
option(COOPVK_PRECOMPILE "Precompile headers of other projects in release builds" ON)

# Where twenty files are compiled as one, precompiled headers save time in these targets; in smaller ones they cost more.
set(COOPVK_PRECOMPILED_IN_UNITY coopvk_rewrite)
# Clang reads its own faster than GCC does.
set(COOPVK_PRECOMPILED_BY_CLANG layer_tests rewrite_tests driver_tests)

# coopvk_precompile(target [header...]): the standard headers that most files take, and these.
function(coopvk_precompile target)
    if(COOPVK_UNITY AND NOT target IN_LIST COOPVK_PRECOMPILED_IN_UNITY AND
       NOT (COOPVK_CLANG_FOR_TESTS AND target IN_LIST COOPVK_PRECOMPILED_BY_CLANG))
        return()
    endif()
    if(NOT COOPVK_PRECOMPILE OR COOPVK_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
        return()
    endif()
    set(headers algorithm array cstring format functional map memory optional set span string
                string_view unordered_map unordered_set vector ${ARGN})
    list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

# coopvk_precompile_as(target other): those of another target, which is compiled with the same options.
function(coopvk_precompile_as target other)
    get_target_property(headers ${other} PRECOMPILE_HEADERS)
    if(headers)
        target_precompile_headers(${target} REUSE_FROM ${other})
    endif()
endfunction()

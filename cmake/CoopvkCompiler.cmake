# SPDX-License-Identifier: Apache-2.0
# Language level, warnings and sanitizers, the same for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # static libraries end up in the layer
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# -O3 makes nothing here faster than -O2, and takes longer to compile.
if(NOT MSVC)
    set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
endif()
get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT is_multi_config)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

if(MSVC)
    add_compile_options(/W4 $<$<BOOL:${COOPVK_WERROR}>:/WX>)
else()
    add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion)
    # Clang's -Wconversion may bring -Wsign-conversion, GCC's does not for C++; the same for both.
    add_compile_options(-Wno-sign-conversion)
    # Vulkan's structures are meant to be initialised by their first members.
    add_compile_options(-Wno-missing-field-initializers)
    if(COOPVK_WERROR)
        add_compile_options(-Werror)
    endif()
endif()

if(COOPVK_SANITIZE)
    # Without the check of virtual calls: distributions' glslang lacks the type information for it.
    add_compile_options(-fsanitize=${COOPVK_SANITIZE} -fno-sanitize=vptr -fno-omit-frame-pointer
                        -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${COOPVK_SANITIZE})
    # An access to an empty std::optional, or outside a span, stops the program, too.
    add_compile_definitions(_GLIBCXX_ASSERTIONS)
    # GCC sees what its instrumentation hides: std::regex would not compile without warnings.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        add_compile_options(-Wno-maybe-uninitialized)
    endif()
endif()

find_program(COOPVK_CCACHE ccache)
mark_as_advanced(COOPVK_CCACHE)
if(COOPVK_CCACHE)
    foreach(language C CXX)
        if(NOT CMAKE_${language}_COMPILER_LAUNCHER)
            set(CMAKE_${language}_COMPILER_LAUNCHER ${COOPVK_CCACHE})
        endif()
    endforeach()
endif()

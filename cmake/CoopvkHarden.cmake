# SPDX-License-Identifier: Apache-2.0
# What makes it hard to exploit a fault in code that runs in other people's programs.

# coopvk_harden(target...): release builds of those of the targets that exist have checked stacks and copies, and
# resolve all symbols when they are loaded into memory that is then read-only. scripts/check-hardened tests it.
function(coopvk_harden)
    if(WIN32 OR APPLE OR MSVC OR COOPVK_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
        return()
    endif()
    set(options -fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i[3-6]86")
        list(APPEND options -fcf-protection)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
        list(APPEND options -mbranch-protection=standard)
    endif()
    foreach(target IN LISTS ARGN)
        if(NOT TARGET ${target})
            continue()
        endif()
        target_compile_options(${target} PRIVATE ${options})
        get_target_property(type ${target} TYPE)
        if(type MATCHES "SHARED_LIBRARY|MODULE_LIBRARY|EXECUTABLE")
            target_link_options(${target} PRIVATE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
        endif()
    endforeach()
endfunction()

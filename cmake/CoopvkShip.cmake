# SPDX-License-Identifier: Apache-2.0
include(CheckLinkerFlag)

# coopvk_ship(target...): makes those of the targets that exist fit to be copied to other machines.
#
# An application loads the layer into its own process, with its own libstdc++ and perhaps its own
# copy of SPIRV-Tools. So nothing that the layer links statically may be seen from outside
# (--exclude-libs), no symbol of the application or of the loader may replace one of the layer's
# (-Bsymbolic), and the C++ runtime travels inside. On Windows libraries export what is declared so,
# and the toolchain file links the runtime.
#
# The linker may demand a glibc in which ___tls_get_addr keeps vector registers (2.42, GLIBC_ABI_GNU_TLS). Only the
# list of caught exceptions in libstdc++ is thread-local in the layer, and who asks for its address keeps none.
function(coopvk_ship)
    check_linker_flag(CXX -Wl,--no-gnu-tls-tag COOPVK_HAVE_NO_GNU_TLS_TAG)
    foreach(target IN LISTS ARGN)
        if(NOT TARGET ${target} OR WIN32 OR APPLE)
            continue()
        endif()
        get_target_property(type ${target} TYPE)
        if(type STREQUAL "SHARED_LIBRARY" OR type STREQUAL "MODULE_LIBRARY")
            target_link_options(${target} PRIVATE -Wl,-Bsymbolic -Wl,--exclude-libs,ALL
                                $<$<BOOL:${COOPVK_HAVE_NO_GNU_TLS_TAG}>:-Wl,--no-gnu-tls-tag>)
            if(NOT COOPVK_SANITIZE)
                target_link_options(${target} PRIVATE -Wl,--no-undefined)
            endif()
        endif()
        if(COOPVK_STATIC_RUNTIME AND NOT COOPVK_SANITIZE)
            if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_BUILD_TYPE STREQUAL "Release")
                target_sources(${target} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/glibc_older.c)
            endif()
            target_link_options(${target} PRIVATE
                                $<$<CONFIG:Release>:-static-libstdc++>
                                $<$<CONFIG:Release>:-static-libgcc>)
        endif()
    endforeach()
endfunction()

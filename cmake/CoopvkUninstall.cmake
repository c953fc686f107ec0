# SPDX-License-Identifier: Apache-2.0
# `cmake --build BUILD --target uninstall` removes what `cmake --install BUILD` put in place.

if(NOT PROJECT_IS_TOP_LEVEL OR TARGET uninstall)
    return()
endif()
add_custom_target(uninstall
    COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
            -P ${CMAKE_CURRENT_LIST_DIR}/Uninstall.cmake
    VERBATIM)

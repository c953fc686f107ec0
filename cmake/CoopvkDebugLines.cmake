# SPDX-License-Identifier: Apache-2.0
# coopvk_debug_lines(): what the current folder compiles in release builds knows functions and lines,
# which packages keep apart. Names of files are relative to the sources, so that the same sources give
# the same bytes in every folder.
function(coopvk_debug_lines)
    if(MSVC OR WIN32 OR NOT CMAKE_BUILD_TYPE STREQUAL "Release")
        return()
    endif()
    # Files compiled together are for tests. One test looks for lines, of layer/.
    if(NOT COOPVK_UNITY OR CMAKE_CURRENT_SOURCE_DIR STREQUAL ${PROJECT_SOURCE_DIR}/layer)
        add_compile_options(-g1)
    endif()
    add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
    string(FIND ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/ place)
    if(NOT place EQUAL 0)
        add_compile_options(-ffile-prefix-map=${PROJECT_BINARY_DIR}=./build)
    endif()
endfunction()

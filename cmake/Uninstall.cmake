# SPDX-License-Identifier: Apache-2.0
# cmake -D MANIFEST=BUILD/install_manifest.txt -P Uninstall.cmake
cmake_minimum_required(VERSION 3.25)

if(NOT EXISTS "${MANIFEST}")
    message(FATAL_ERROR "nothing to uninstall: ${MANIFEST} does not exist (run cmake --install first)")
endif()

# The folder of a file, and those above it, as far as nothing else is in them.
function(remove_empty_folders file)
    get_filename_component(folder "${file}" DIRECTORY)
    while(IS_DIRECTORY "${folder}")
        file(GLOB entries LIST_DIRECTORIES TRUE "${folder}/*" "${folder}/.[!.]*")
        if(entries)
            return()
        endif()
        file(REMOVE_RECURSE "${folder}")
        get_filename_component(folder "${folder}" DIRECTORY)
    endwhile()
endfunction()

file(STRINGS "${MANIFEST}" files)
foreach(file IN LISTS files)
    set(file "$ENV{DESTDIR}${file}")
    if(EXISTS "${file}" OR IS_SYMLINK "${file}")
        file(REMOVE "${file}")
        message(STATUS "Removed ${file}")
    else()
        message(STATUS "Already gone: ${file}")
    endif()
    remove_empty_folders("${file}")
endforeach()
file(REMOVE "${MANIFEST}")

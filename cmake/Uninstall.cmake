# SPDX-License-Identifier: Apache-2.0
# cmake -D MANIFEST=BUILD/install_manifest.txt -P Uninstall.cmake

if(NOT EXISTS "${MANIFEST}")
    message(FATAL_ERROR "nothing to uninstall: ${MANIFEST} does not exist (run cmake --install first)")
endif()
file(STRINGS "${MANIFEST}" files)
foreach(file IN LISTS files)
    set(file "$ENV{DESTDIR}${file}")
    if(EXISTS "${file}" OR IS_SYMLINK "${file}")
        file(REMOVE "${file}")
        message(STATUS "Removed ${file}")
    else()
        message(STATUS "Already gone: ${file}")
    endif()
endforeach()
file(REMOVE "${MANIFEST}")

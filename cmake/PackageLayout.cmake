# SPDX-License-Identifier: Apache-2.0
# Run by cpack on what it is about to pack. The layer is loaded by its path and no library to link
# with, so in a Debian package it has a folder of its own instead of one that ldconfig looks at.

# The same sources give the same package at any time.
if(CPACK_COOPVK_TIME AND NOT DEFINED ENV{SOURCE_DATE_EPOCH})
    set(ENV{SOURCE_DATE_EPOCH} ${CPACK_COOPVK_TIME})
endif()

set(prefix ${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_COOPVK_STAGE}${CPACK_PACKAGING_INSTALL_PREFIX})
set(manifest ${prefix}/${CPACK_COOPVK_MANIFEST})
file(READ ${manifest} text)
string(JSON library GET "${text}" layer library_path)
get_filename_component(folder ${manifest} DIRECTORY)
get_filename_component(file ${folder}/${library} REALPATH)
get_filename_component(name ${file} NAME)
file(MAKE_DIRECTORY ${prefix}/${CPACK_COOPVK_LIBRARY_FOLDER})
file(RENAME ${file} ${prefix}/${CPACK_COOPVK_LIBRARY_FOLDER}/${name})
file(RELATIVE_PATH path ${folder} ${prefix}/${CPACK_COOPVK_LIBRARY_FOLDER}/${name})
string(REPLACE "\"${library}\"" "\"${path}\"" text "${text}")
file(WRITE ${manifest} "${text}")

# Without dpkg-shlibdeps: coopvk_depend_on_glibc(variable files...) puts the newest version of glibc's symbols that the
# files take in front of the dependencies. They need nothing else (scripts/check-portable).
function(coopvk_depend_on_glibc variable)
    set(all "")
    foreach(file IN LISTS ARGN)
        execute_process(COMMAND ${CPACK_COOPVK_OBJDUMP} -T ${file} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
        string(REGEX MATCHALL "GLIBC_[0-9.]+" versions "${symbols}")
        list(APPEND all ${versions})
    endforeach()
    list(SORT all COMPARE NATURAL ORDER DESCENDING)
    list(GET all 0 newest)
    string(REPLACE "GLIBC_" "" newest ${newest})
    set(${variable} "libc6 (>= ${newest}), ${${variable}}" PARENT_SCOPE)
endfunction()
if(CPACK_COOPVK_OBJDUMP)
    file(GLOB programs ${prefix}/bin/*)
    coopvk_depend_on_glibc(CPACK_DEBIAN_PACKAGE_DEPENDS ${prefix}/${CPACK_COOPVK_LIBRARY_FOLDER}/${name} ${programs})
    file(GLOB programs ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/compare${CPACK_PACKAGING_INSTALL_PREFIX}/bin/*)
    if(programs)
        coopvk_depend_on_glibc(CPACK_DEBIAN_COMPARE_PACKAGE_DEPENDS ${programs})
    endif()
endif()

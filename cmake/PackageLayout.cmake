# SPDX-License-Identifier: Apache-2.0
# Run by cpack on what it is about to pack. Layer and driver are loaded by their paths and no libraries to link
# with, so in a Debian package they have a folder of their own instead of one that ldconfig looks at.

# The same sources give the same package at any time.
if(CPACK_COOPVK_TIME AND NOT DEFINED ENV{SOURCE_DATE_EPOCH})
    set(ENV{SOURCE_DATE_EPOCH} ${CPACK_COOPVK_TIME})
endif()

# coopvk_move_library(variable prefix manifest member): moves the library that the manifest's member names; the variable
# gets its new path.
function(coopvk_move_library variable prefix manifest member)
    file(READ ${prefix}/${manifest} text)
    string(JSON library GET "${text}" ${member} library_path)
    get_filename_component(folder ${prefix}/${manifest} DIRECTORY)
    get_filename_component(file ${folder}/${library} REALPATH)
    get_filename_component(name ${file} NAME)
    set(moved ${prefix}/${CPACK_COOPVK_LIBRARY_FOLDER}/${name})
    file(MAKE_DIRECTORY ${prefix}/${CPACK_COOPVK_LIBRARY_FOLDER})
    file(RENAME ${file} ${moved})
    file(RELATIVE_PATH path ${folder} ${moved})
    string(REPLACE "\"${library}\"" "\"${path}\"" text "${text}")
    file(WRITE ${prefix}/${manifest} "${text}")
    set(${variable} ${moved} PARENT_SCOPE)
endfunction()
set(prefix ${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_COOPVK_STAGE}${CPACK_PACKAGING_INSTALL_PREFIX})
coopvk_move_library(layer ${prefix} ${CPACK_COOPVK_MANIFEST} layer)
set(reference_prefix ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/reference${CPACK_PACKAGING_INSTALL_PREFIX})
if(EXISTS ${reference_prefix})
    coopvk_move_library(reference ${reference_prefix} ${CPACK_COOPVK_REFERENCE_MANIFEST} ICD)
endif()

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
    coopvk_depend_on_glibc(CPACK_DEBIAN_PACKAGE_DEPENDS ${layer} ${programs})
    file(GLOB programs ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/compare${CPACK_PACKAGING_INSTALL_PREFIX}/bin/*)
    if(programs)
        coopvk_depend_on_glibc(CPACK_DEBIAN_COMPARE_PACKAGE_DEPENDS ${programs})
    endif()
    if(reference)
        coopvk_depend_on_glibc(CPACK_DEBIAN_REFERENCE_PACKAGE_DEPENDS ${reference})
    endif()
endif()

# Folders that others can enter, whatever the umask of who makes the package: what installs files goes by that.
file(GLOB_RECURSE folders LIST_DIRECTORIES true ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*)
foreach(folder IN LISTS CPACK_TEMPORARY_INSTALL_DIRECTORY folders)
    if(IS_DIRECTORY ${folder})
        file(CHMOD ${folder} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                         WORLD_READ WORLD_EXECUTE)
    endif()
endforeach()

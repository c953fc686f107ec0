# SPDX-License-Identifier: Apache-2.0
# Run by cpack on the packages that it made. The list of checksums in the one with the debugging symbols
# names files by their paths in the build folder; it must name them as they are installed.

foreach(package IN LISTS CPACK_PACKAGE_FILES)
    if(NOT package MATCHES "\\.ddeb$")
        continue()
    endif()
    set(folder ${package}.files)
    file(REMOVE_RECURSE ${folder})
    execute_process(COMMAND dpkg-deb --raw-extract ${package} ${folder} COMMAND_ERROR_IS_FATAL ANY)
    file(READ ${folder}/DEBIAN/md5sums sums)
    string(REGEX REPLACE "  /[^\n]*/usr/lib/debug/" "  usr/lib/debug/" sums "${sums}")
    file(WRITE ${folder}/DEBIAN/md5sums "${sums}")
    execute_process(COMMAND dpkg-deb --root-owner-group -Zgzip -z6 --build ${folder} ${package}
                    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE_RECURSE ${folder})
endforeach()

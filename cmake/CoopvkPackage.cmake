# SPDX-License-Identifier: Apache-2.0
# Man page, licence and `cpack`, which makes a Debian package.

# coopvk_install_compressed(file folder component): installs FILE, a whole path, into FOLDER as Debian asks for it, compressed the same
# way every time; as it is where there is no gzip.
find_program(COOPVK_GZIP gzip)
mark_as_advanced(COOPVK_GZIP)
function(coopvk_install_compressed file folder component)
    if(NOT COOPVK_GZIP)
        install(FILES ${file} DESTINATION ${folder} COMPONENT ${component})
        return()
    endif()
    get_filename_component(name ${file} NAME)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/compressed/${component}/${name}.gz)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/compressed/${component})
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${COOPVK_GZIP} -9n < ${file} > ${output}
        DEPENDS ${file}
        COMMENT "Compressing ${name}")
    add_custom_target(compressed_${component}_${name} ALL DEPENDS ${output})
    set(COOPVK_INSTALLED_TARGETS ${COOPVK_INSTALLED_TARGETS} compressed_${component}_${name} PARENT_SCOPE)
    install(FILES ${output} DESTINATION ${folder} COMPONENT ${component})
endfunction()

set(package coopvk)
set(architecture i386)  # as Debian names it
if(CMAKE_LIBRARY_ARCHITECTURE MATCHES "^aarch64-")
    set(architecture arm64)
endif()
if(COOPVK_COMPANION)
    set(package coopvk-${architecture})
else()
    coopvk_install_compressed(${CMAKE_CURRENT_SOURCE_DIR}/docs/man/coopvk.1 ${CMAKE_INSTALL_MANDIR}/man1 coopvk)
    coopvk_install_compressed(${CMAKE_CURRENT_SOURCE_DIR}/docs/man/coopvk-compare.1 ${CMAKE_INSTALL_MANDIR}/man1 compare)
endif()
configure_file(cmake/package/changelog.in ${CMAKE_CURRENT_BINARY_DIR}/package/changelog @ONLY)
# coopvk_install_about(package component): what Debian wants in each package.
function(coopvk_install_about package component)
    coopvk_install_compressed(${CMAKE_CURRENT_BINARY_DIR}/package/changelog
                              ${CMAKE_INSTALL_DATADIR}/doc/${package} ${component})
    install(FILES cmake/package/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
            COMPONENT ${component})
    set(COOPVK_INSTALLED_TARGETS ${COOPVK_INSTALLED_TARGETS} PARENT_SCOPE)
endfunction()
coopvk_install_about(${package} coopvk)
if(NOT COOPVK_COMPANION)
    coopvk_install_about(coopvk-compare compare)
endif()
if(TARGET coopvk_reference)
    coopvk_install_about(coopvk-reference reference)
endif()

if(NOT PROJECT_IS_TOP_LEVEL)
    return()
endif()
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR DEB)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)  # of a Debian 12 and newer; packs in half of the time
set(CPACK_PACKAGE_NAME ${package})
set(CPACK_PACKAGE_VENDOR coopvk)
set(CPACK_PACKAGE_CONTACT "coopvk contributors <coopvk@coopvk.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Vulkan layer that emulates cooperative matrices and vectors")
set(CPACK_PACKAGE_DESCRIPTION
"coopvk gives cooperative matrices, cooperative vectors and their relatives to
Vulkan devices and drivers that have none, under programs that do not know it:
it rewrites SPIR-V when pipelines are created.
.
The layer is off unless COOPVK_ENABLE=1 is set; \"coopvk run -- PROGRAM\" does
so for one program.")
if(COOPVK_COMPANION)
    string(APPEND CPACK_PACKAGE_DESCRIPTION
"
.
This package has the layer for programs of this architecture. Install it beside
the package coopvk of the system's own architecture.")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
if(NOT COOPVK_COMPANION)
    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_COMPONENTS_ALL coopvk compare)
    set(CPACK_COOPVK_STAGE /coopvk)  # where the component lies while it is packed
    set(CPACK_DEBIAN_COOPVK_PACKAGE_NAME coopvk)
    set(CPACK_DEBIAN_COMPARE_PACKAGE_NAME coopvk-compare)
    set(CPACK_DEBIAN_COMPARE_PACKAGE_DEPENDS "coopvk (= ${PROJECT_VERSION}), libvulkan1")
    set(CPACK_DEBIAN_COMPARE_PACKAGE_SECTION devel)
    set(CPACK_DEBIAN_COMPARE_DESCRIPTION "Compares drivers' cooperative matrices and vectors with coopvk's
For those who develop drivers or coopvk: runs cases on a driver's own
cooperative matrices or vectors, on coopvk's, and on a reference, says where
results differ, and writes programs that show it. \"coopvk check\" executes a
shader as it is and rewritten, and compares.")
    if(TARGET coopvk_reference)
        list(APPEND CPACK_COMPONENTS_ALL reference)
        set(CPACK_DEBIAN_REFERENCE_PACKAGE_NAME coopvk-reference)
        set(CPACK_DEBIAN_REFERENCE_PACKAGE_DEPENDS "libvulkan1")
        set(CPACK_DEBIAN_REFERENCE_PACKAGE_RECOMMENDS "coopvk-compare")
        set(CPACK_DEBIAN_REFERENCE_PACKAGE_SECTION devel)
        set(CPACK_DEBIAN_REFERENCE_DESCRIPTION "Vulkan driver that executes and checks compute shaders on the CPU
coopvk's reference device: it executes compute shaders as the specifications
say, also with cooperative matrices and vectors, and reports races, undefined
values and accesses out of bounds.
.
No program uses it unless VK_DRIVER_FILES or VK_ADD_DRIVER_FILES names
/usr/share/coopvk/coopvk_reference.json.")
    endif()
endif()
# The packages with the debugging information strip the others.
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
coopvk_commit(commit CPACK_COOPVK_TIME)
set(CPACK_COOPVK_MANIFEST ${CMAKE_INSTALL_DATADIR}/vulkan/implicit_layer.d/${COOPVK_MANIFEST_NAME})
set(CPACK_COOPVK_REFERENCE_MANIFEST ${CMAKE_INSTALL_DATADIR}/coopvk/coopvk_reference.json)
set(CPACK_COOPVK_LIBRARY_FOLDER lib/${CMAKE_LIBRARY_ARCHITECTURE}/coopvk)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/PackageLayout.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/PackageSymbols.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libvulkan1")  # found at run time
if(CMAKE_CROSSCOMPILING)  # dpkg-shlibdeps knows installed libraries only
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${architecture})
    set(CPACK_COOPVK_OBJDUMP ${CMAKE_OBJDUMP})
else()
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "mesa-vulkan-drivers | vulkan-icd")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)

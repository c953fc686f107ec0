# SPDX-License-Identifier: Apache-2.0
# Libraries of other projects: the system's where they are recent enough, else their sources at the tags and commits below, which
# CMake's FetchContent downloads. FETCHCONTENT_SOURCE_DIR_<PACKAGE> names a folder with the sources instead.
include(FetchContent)
set(COOPVK_FETCH missing CACHE STRING "Sources of other projects that are fetched and compiled: missing, all or none")
set_property(CACHE COOPVK_FETCH PROPERTY STRINGS missing all none)

# Nothing of these but the libraries.
set(SPIRV_SKIP_EXECUTABLES ON)
set(SPIRV_SKIP_TESTS ON)
set(SPIRV_WERROR OFF)
set(SKIP_SPIRV_TOOLS_INSTALL ON)
set(SPIRV_HEADERS_ENABLE_INSTALL OFF)
set(VOLK_PULL_IN_VULKAN OFF)
set(ENABLE_OPT OFF)
set(ENABLE_HLSL OFF)
set(GLSLANG_ENABLE_INSTALL OFF)
set(INSTALL_GTEST OFF)

# coopvk_fetch(package repository tag): makes a package's targets from its sources; find_package() finds them from then on.
function(coopvk_fetch package repository tag)
    message(STATUS "${package}: the sources of ${repository}, ${tag}")
    set(options)
    if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.28)
        set(options EXCLUDE_FROM_ALL)  # nor installed
    endif()
    FetchContent_Declare(${package} URL https://github.com/${repository}/archive/${tag}.tar.gz
                         SYSTEM ${options} OVERRIDE_FIND_PACKAGE)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    # coopvk's warnings are for coopvk.
    get_directory_property(own COMPILE_OPTIONS)
    set_directory_properties(PROPERTIES COMPILE_OPTIONS "")
    FetchContent_MakeAvailable(${package})
    set_directory_properties(PROPERTIES COMPILE_OPTIONS "${own}")
endfunction()

# coopvk_dependency(package version repository tag): sets <package>_FETCHED.
function(coopvk_dependency package version repository tag)
    set(${package}_FETCHED FALSE PARENT_SCOPE)
    if(NOT COOPVK_FETCH STREQUAL "all")
        find_package(${package} ${version} CONFIG QUIET GLOBAL)
        if(${package}_FOUND OR COOPVK_FETCH STREQUAL "none")
            return()
        endif()
    endif()
    coopvk_fetch(${package} ${repository} ${tag})
    set(${package}_FETCHED TRUE PARENT_SCOPE)
endfunction()

if(NOT PROJECT_IS_TOP_LEVEL OR CMAKE_CROSSCOMPILING)
    return()
endif()
coopvk_dependency(VulkanHeaders 1.4.330 KhronosGroup/Vulkan-Headers v1.4.359)
coopvk_dependency(VulkanUtilityLibraries "" KhronosGroup/Vulkan-Utility-Libraries v1.4.359)
coopvk_dependency(volk "" zeux/volk vulkan-sdk-1.4.350.0)
if(volk_FETCHED)
    target_link_libraries(volk PUBLIC Vulkan::Headers)
endif()
coopvk_dependency(CLI11 "" CLIUtils/CLI11 v2.6.1)
coopvk_dependency(nlohmann_json "" nlohmann/json v3.11.3)
# SPIRV-Tools takes these headers, which must fit it.
if(NOT COOPVK_FETCH STREQUAL "all")
    find_package(SPIRV-Tools CONFIG QUIET GLOBAL)
endif()
if(NOT SPIRV-Tools_FOUND AND NOT COOPVK_FETCH STREQUAL "none")
    coopvk_fetch(SPIRV-Headers KhronosGroup/SPIRV-Headers v2026.08.0)
    coopvk_fetch(SPIRV-Tools KhronosGroup/SPIRV-Tools 47c74f488bad1136559f382ce99e8e52d7a392cd)
    set_property(TARGET SPIRV-Tools-static APPEND PROPERTY
                 INTERFACE_LINK_LIBRARIES SPIRV-Headers::SPIRV-Headers)
    file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/spirv-tools-opt-config.cmake "")
endif()
find_program(COOPVK_GLSLANG NAMES glslang glslangValidator)
if(COOPVK_BUILD_TESTS)
    coopvk_dependency(glslang "" KhronosGroup/glslang vulkan-sdk-1.4.357.0)
    coopvk_dependency(GTest "" google/googletest v1.17.0)
elseif(NOT COOPVK_GLSLANG OR COOPVK_FETCH STREQUAL "all")
    coopvk_fetch(glslang KhronosGroup/glslang vulkan-sdk-1.4.357.0)
endif()
if(glslang_FETCHED OR NOT COOPVK_GLSLANG OR COOPVK_FETCH STREQUAL "all")
    set(COOPVK_GLSLANG glslang-standalone)  # a target
endif()

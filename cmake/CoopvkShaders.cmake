# SPDX-License-Identifier: Apache-2.0
# Shaders that travel inside of programs: from GLSL to headers with the words.

if(NOT TARGET "${COOPVK_GLSLANG}")  # as CoopvkDependencies makes it
    find_program(COOPVK_GLSLANG NAMES glslang glslangValidator REQUIRED)
endif()

# coopvk_embed_shader(target source name environment [dependency...]): TARGET can include SOURCE's
# name with .spv.h in place of its extension, which defines the array NAME. ENVIRONMENT is
# glslang's, such as vulkan1.1; dependencies are what the source includes.
function(coopvk_embed_shader target source name environment)
    get_filename_component(stem ${source} NAME_WE)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded)
    set(header ${folder}/${stem}.spv.h)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(
        OUTPUT ${header}
        COMMAND ${COOPVK_GLSLANG} -V --target-env ${environment} --quiet --vn ${name} -o ${header}
                ${CMAKE_CURRENT_SOURCE_DIR}/${source}
        DEPENDS ${source} ${ARGN}
        COMMENT "Compiling ${source}"
        VERBATIM)
    add_custom_target(${target}_${stem} DEPENDS ${header})
    add_dependencies(${target} ${target}_${stem})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
        target_include_directories(${target} INTERFACE ${folder})
    else()
        target_include_directories(${target} PRIVATE ${folder})
    endif()
endfunction()

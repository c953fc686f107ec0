# SPDX-License-Identifier: Apache-2.0
# A version that changes with the sources: what programs make with the code of other sources is not
# taken for their own. The same sources give the same one, wherever they lie and whatever builds them.

# coopvk_source_version(target version source): SOURCE of TARGET can include source_version.inc, a
# string literal: VERSION and a hash of all C++ files below the current folder.
function(coopvk_source_version target version source)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS
         ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.hpp
         ${CMAKE_CURRENT_SOURCE_DIR}/*.inc)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/generated/source_version.inc)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_CURRENT_SOURCE_DIR} -DVERSION=${version}
                -DOUTPUT=${output} -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
        DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
        VERBATIM)
    target_sources(${target} PRIVATE ${output})
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)  # it compiles often
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated)
endfunction()

# As a script: -DFOLDER= -DVERSION= -DOUTPUT=.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
    file(GLOB_RECURSE names RELATIVE ${FOLDER} ${FOLDER}/*.cpp ${FOLDER}/*.hpp ${FOLDER}/*.inc)
    list(SORT names COMPARE STRING)
    set(all "")
    foreach(name IN LISTS names)
        file(SHA256 ${FOLDER}/${name} hash)
        string(APPEND all "${hash} ${name}\n")
    endforeach()
    string(SHA256 hash "${VERSION}\n${all}")
    string(SUBSTRING ${hash} 0 12 hash)
    file(WRITE ${OUTPUT} "\"${VERSION}+${hash}\"\n")
endif()

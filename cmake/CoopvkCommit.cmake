# SPDX-License-Identifier: Apache-2.0
# coopvk_commit(result time): the commit of the sources, in 12 digits, as it was when they were
# configured, and its time in seconds; empty where they are not in a repository of their own. Each commit
# and checkout configures anew.
find_package(Git QUIET)
function(coopvk_commit result time)
    set(${result} "" PARENT_SCOPE)
    set(${time} "" PARENT_SCOPE)
    if(NOT GIT_FOUND OR NOT EXISTS ${PROJECT_SOURCE_DIR}/.git)
        return()
    endif()
    set(git ${GIT_EXECUTABLE} -c safe.directory=${PROJECT_SOURCE_DIR} -C ${PROJECT_SOURCE_DIR})
    execute_process(COMMAND ${git} rev-parse --short=12 HEAD
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                    RESULT_VARIABLE failed)
    execute_process(COMMAND ${git} log -1 --format=%ct
                    OUTPUT_VARIABLE seconds OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND ${git} rev-parse --path-format=absolute --git-path logs/HEAD
                    OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(failed)
        return()
    endif()
    if(EXISTS "${log}")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${log}")
    endif()
    set(${result} ${commit} PARENT_SCOPE)
    set(${time} ${seconds} PARENT_SCOPE)
endfunction()

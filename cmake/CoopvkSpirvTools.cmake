# SPDX-License-Identifier: Apache-2.0
# SPIRV-Tools-static for all targets. Some distributions have SPIRV-Tools as a shared library only: the
# target is that library then.
find_package(SPIRV-Tools REQUIRED CONFIG GLOBAL)
if(NOT TARGET SPIRV-Tools-static)
    add_library(SPIRV-Tools-static INTERFACE IMPORTED GLOBAL)
    target_link_libraries(SPIRV-Tools-static INTERFACE SPIRV-Tools)
endif()

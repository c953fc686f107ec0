# SPDX-License-Identifier: Apache-2.0
# COOPVK_REGISTRY: Vulkan's registry, vk.xml, of the Vulkan headers.  Its readers need Python.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
get_target_property(headers Vulkan::Headers INTERFACE_INCLUDE_DIRECTORIES)
list(TRANSFORM headers APPEND /../share/vulkan/registry OUTPUT_VARIABLE registries)
find_file(COOPVK_REGISTRY vk.xml REQUIRED NO_DEFAULT_PATH PATHS ${registries})
mark_as_advanced(COOPVK_REGISTRY)

// SPDX-License-Identifier: Apache-2.0
//
// The commands that coopvk_commands measures.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>

namespace coopvk::idle {

struct Caller {
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
};

struct Row {
    const char* symbol;  // of the function
    const char* name;
    void (*call)(Caller& caller, uint32_t times);
};

std::span<const Row> rows();

}  // namespace coopvk::idle

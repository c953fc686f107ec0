// SPDX-License-Identifier: Apache-2.0
//
// The entry points of a Vulkan driver that is another (lavapipe, or COOPVK_FORWARDED) but for some
// functions.
#pragma once

#include <dlfcn.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#include <string_view>

namespace coopvk::test {

// What the driver returns for the function `name`: `below` is that of the
// driver below. Each driver defines it.
PFN_vkVoidFunction hooked(std::string_view name, PFN_vkVoidFunction below);

// Returns `own`, and keeps in `next` what it replaces.
template <typename Function>
PFN_vkVoidFunction hook(PFN_vkVoidFunction below, Function& next, Function own) {
    if (below == nullptr) return nullptr;
    next = reinterpret_cast<Function>(below);
    return reinterpret_cast<PFN_vkVoidFunction>(own);
}

}  // namespace coopvk::test

// SPDX-License-Identifier: Apache-2.0
//
// As much of a Vulkan loader as one layer needs: Wine's has no layers.
#pragma once

#include <windows.h>

// after it
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <filesystem>
#include <string>

namespace coopvk::test {

class Loader {
 public:
    // Reads the manifest, loads the library that it names, and negotiates by `function`. Throws if
    // one of these fails.
    explicit Loader(const std::filesystem::path& manifest,
                    const char* function = "vkNegotiateLoaderLayerInterfaceVersion");
    ~Loader();
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;

    const std::filesystem::path& library() const { return library_; }
    HMODULE module() const { return module_; }

    // Instances and devices of the layer, above a driver that has this function.
    VkResult createInstance(const VkInstanceCreateInfo& info, PFN_vkGetInstanceProcAddr driver,
                            VkInstance* instance) const;
    VkResult createDevice(VkInstance instance, VkPhysicalDevice physical,
                          const VkDeviceCreateInfo& info, PFN_vkGetInstanceProcAddr driver,
                          VkDevice* device) const;

    template <typename T>
    T instanceCommand(VkInstance instance, const char* name) const {
        return reinterpret_cast<T>(functions_.pfnGetInstanceProcAddr(instance, name));
    }
    template <typename T>
    T deviceCommand(VkDevice device, const char* name) const {
        return reinterpret_cast<T>(functions_.pfnGetDeviceProcAddr(device, name));
    }

 private:
    std::filesystem::path library_;
    HMODULE module_ = nullptr;
    VkNegotiateLayerInterface functions_ = {};
};

}  // namespace coopvk::test

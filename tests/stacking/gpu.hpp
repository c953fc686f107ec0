// SPDX-License-Identifier: Apache-2.0
//
// An instance and a device of the application, and one dispatch on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vulkan.hpp"

struct Options {
    uint32_t version = VK_API_VERSION_1_3;
    bool properties2 = true;  // with 1.0: VK_KHR_get_physical_device_properties2
    std::vector<std::pair<std::string, std::string>> settings;  // by VK_EXT_layer_settings
};

class Gpu {
 public:
    explicit Gpu(const Options& options);
    // Of another one's instance, which outlives it: the physical device of this number.
    Gpu(const Gpu& other, uint32_t number);
    ~Gpu();
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    // Whether the device has 8x8x8 products of f32, which no driver of the tests has by itself.
    bool hasMatrices() const { return matrices_; }
    bool lists(std::string_view extension) const;
    const std::vector<std::string>& extensions() const { return extensions_; }
    // One with, where asked for, the matrices, and VK_EXT_shader_object.
    VkDevice makeDevice(bool matrices, bool shaderObjects = false);
    void destroyDevice(VkDevice device) { vulkan_.vkDestroyDevice(device, nullptr); }
    // Dispatches the shader with matrices, or the one without, and compares with sums of its own.
    bool computes(VkDevice device, bool matrices);
    // Makes modules, pipelines and shader objects, and destroys them.
    bool makesShaders(VkDevice device, bool shaderObjects);

 private:
    void take(uint32_t number);
    bool findMatrices();

    Options options_;
    Vulkan vulkan_;
    VkInstance instance_ = VK_NULL_HANDLE;
    bool isShared_ = false;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    std::vector<std::string> extensions_;
    bool matrices_ = false;
};

// Ends the program with a message unless the result is success.
void check(VkResult result, const char* what);

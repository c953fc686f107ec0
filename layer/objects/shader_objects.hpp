// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <mutex>
#include <optional>
#include <unordered_map>

namespace coopvk::layer {

// What the layer asks the driver for, besides what the application does.
struct SubgroupNeeds {
    uint32_t size = 0;  // 0: no required size
    bool full = false;  // full subgroups
};

// The shader objects of a device. Thread-safe. Vulkan allows several objects with one handle.
class ShaderObjects {
 public:
    // `needs` of a shader that was made from rewritten words. If memory runs out, the shader is not
    // kept: its binaries then have no header.
    void add(VkShaderEXT shader, const std::optional<SubgroupNeeds>& needs) noexcept;
    void remove(VkShaderEXT shader);
    // What was added; null: not from rewritten words.
    std::optional<SubgroupNeeds> find(VkShaderEXT shader);

 private:
    struct Entry {
        uint32_t count = 0;  // objects with this handle
        std::optional<SubgroupNeeds> needs;
    };
    std::mutex mutex_;
    std::unordered_map<VkShaderEXT, Entry> shaders_;
};

}  // namespace coopvk::layer

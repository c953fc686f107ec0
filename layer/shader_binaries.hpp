// SPDX-License-Identifier: Apache-2.0
//
// Binaries of shader objects that were made from rewritten words. Those words already contain the
// specialization, which the application must pass again with the binary, and a driver may fail on
// that. A driver may also need again what the layer required of subgroups. So such binaries have a
// header with all of this, and with the identity of what made the binary.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "stage_rewriter.hpp"

namespace coopvk::layer {

struct DeviceContext;

// Its size keeps the driver's part at the alignment of 16 bytes that binaries need.
constexpr size_t kBinaryHeaderSize = 64;
using BinaryHeader = std::array<std::byte, kBinaryHeaderSize>;

enum class BinaryKind {
    kDrivers,  // without a header
    kOurs,     // of this device, and made by this layer with these settings
    kForeign,  // with a header, but not of this identity
};
BinaryKind kindOfBinary(const DeviceContext& device, const void* code, size_t size);
// Of a binary of kOurs.
SubgroupNeeds needsOfBinary(const void* code);

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

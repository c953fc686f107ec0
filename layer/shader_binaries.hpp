// SPDX-License-Identifier: Apache-2.0
//
// Binaries of shader objects that were made from rewritten words. Those words already contain the
// specialization. The application must pass the specialization again with the binary, and a driver
// may fail on that. So such binaries have a header by which the layer recognises them. The header
// also contains the identity of what made the binary, since the device's UUID of binaries may be
// the driver's own.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <mutex>
#include <unordered_set>

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

// The shader objects of a device that were made from rewritten words. Thread-safe.
class RewrittenShaders {
 public:
    // If memory runs out, the shader is not kept: its binaries then have no header.
    void add(VkShaderEXT shader) noexcept;
    void remove(VkShaderEXT shader);
    bool contains(VkShaderEXT shader);

 private:
    std::mutex mutex_;
    std::unordered_set<VkShaderEXT> shaders_;
};

}  // namespace coopvk::layer

// SPDX-License-Identifier: Apache-2.0
//
// Binaries of shader objects that were made of rewritten words. The specialization is in those
// words already, and a driver may take it amiss when the application, as it must, gives it again
// with the binary. So such binaries carry a header of coopvk's, by which they are known again.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <mutex>
#include <span>
#include <unordered_set>

namespace coopvk::layer {

// Leaves the driver's part at the alignment of 16 bytes that binaries need.
constexpr size_t kBinaryHeaderSize = 32;

std::span<const std::byte, kBinaryHeaderSize> binaryHeader();
bool hasBinaryHeader(const void* code, size_t size);

// The shader objects of a device that were made of rewritten words. Thread-safe.
class RewrittenShaders {
 public:
    // Out of memory, the shader is forgotten: its binaries then have no header.
    void add(VkShaderEXT shader) noexcept;
    void remove(VkShaderEXT shader);
    bool contains(VkShaderEXT shader);

 private:
    std::mutex mutex_;
    std::unordered_set<VkShaderEXT> shaders_;
};

}  // namespace coopvk::layer

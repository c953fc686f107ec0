// SPDX-License-Identifier: Apache-2.0
#include "shader_binaries.hpp"

#include <array>
#include <cstring>

#include "commands.hpp"
#include "registry.hpp"

namespace coopvk::layer {
namespace {

constexpr auto kHeader = [] {
    constexpr char kText[] = "coopvk shader binary 1";
    static_assert(sizeof kText <= kBinaryHeaderSize);
    std::array<std::byte, kBinaryHeaderSize> header = {};
    for (size_t i = 0; i < sizeof kText; ++i) header[i] = static_cast<std::byte>(kText[i]);
    return header;
}();

}  // namespace

std::span<const std::byte, kBinaryHeaderSize> binaryHeader() { return kHeader; }

bool hasBinaryHeader(const void* code, size_t size) {
    return code != nullptr && size > kBinaryHeaderSize &&
           std::memcmp(code, kHeader.data(), kHeader.size()) == 0;
}

void RewrittenShaders::add(VkShaderEXT shader) noexcept {
    try {
        const std::scoped_lock lock(mutex_);
        shaders_.insert(shader);
    } catch (...) {
    }
}

void RewrittenShaders::remove(VkShaderEXT shader) {
    const std::scoped_lock lock(mutex_);
    shaders_.erase(shader);
}

bool RewrittenShaders::contains(VkShaderEXT shader) {
    const std::scoped_lock lock(mutex_);
    return shaders_.contains(shader);
}

VkResult getShaderBinaryData(VkDevice device, VkShaderEXT shader, size_t* size, void* data) {
    const auto context = devices().find(device);
    const auto& next = context->next.GetShaderBinaryDataEXT;
    if (!context->rewrittenShaders.contains(shader)) return next(device, shader, size, data);
    size_t below = 0;
    if (VkResult result = next(device, shader, &below, nullptr); result != VK_SUCCESS) {
        return result;
    }
    if (data == nullptr) {
        *size = below + kBinaryHeaderSize;
        return VK_SUCCESS;
    }
    if (*size < below + kBinaryHeaderSize) {
        *size = 0;  // nothing is written
        return VK_INCOMPLETE;
    }
    std::memcpy(data, kHeader.data(), kHeader.size());
    const VkResult result =
        next(device, shader, &below, static_cast<std::byte*>(data) + kBinaryHeaderSize);
    *size = result == VK_SUCCESS ? below + kBinaryHeaderSize : 0;
    return result;
}

void destroyShader(VkDevice device, VkShaderEXT shader, const VkAllocationCallbacks* allocator) {
    const auto context = devices().find(device);
    context->rewrittenShaders.remove(shader);
    context->next.DestroyShaderEXT(device, shader, allocator);
}

}  // namespace coopvk::layer

// SPDX-License-Identifier: Apache-2.0
#include "shader_binaries.hpp"

#include <cstring>
#include <string_view>

#include "commands.hpp"
#include "identity.hpp"
#include "registry.hpp"

namespace coopvk::layer {
namespace {

// Zeros follow up to the identity, which is the second half.
constexpr std::string_view kText = "coopvk shader binary 2";
constexpr size_t kIdentityAt = kBinaryHeaderSize - sizeof(Digest);
static_assert(kText.size() <= kIdentityAt);

BinaryHeader makeHeader(const DeviceContext& device) {
    const Digest identity =
        startIdentity(device.instance->settings, *device.physical).addText("binary").finish();
    BinaryHeader header = {};
    std::memcpy(header.data(), kText.data(), kText.size());
    std::memcpy(header.data() + kIdentityAt, identity.data(), identity.size());
    return header;
}

}  // namespace

BinaryKind kindOfBinary(const DeviceContext& device, const void* code, size_t size) {
    if (code == nullptr || size <= kBinaryHeaderSize ||
        std::memcmp(code, kText.data(), kText.size()) != 0) {
        return BinaryKind::kDrivers;
    }
    const BinaryHeader header = makeHeader(device);
    return std::memcmp(code, header.data(), header.size()) == 0 ? BinaryKind::kOurs
                                                                : BinaryKind::kForeign;
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
    const BinaryHeader header = makeHeader(*context);
    std::memcpy(data, header.data(), header.size());
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

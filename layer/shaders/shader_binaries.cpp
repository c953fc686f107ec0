// SPDX-License-Identifier: Apache-2.0
#include "shaders/shader_binaries.hpp"

#include <cstring>
#include <string_view>

#include "objects/registry.hpp"
#include "shaders/commands.hpp"
#include "shaders/identity.hpp"

namespace coopvk::layer {
namespace {

// Zeros follow up to what the layer required of subgroups. The identity is the second half.
constexpr std::string_view kText = "coopvk shader binary 3";
constexpr size_t kIdentityAt = kBinaryHeaderSize - sizeof(Digest);
constexpr size_t kNeedsAt = kIdentityAt - 2 * sizeof(uint32_t);
static_assert(kText.size() <= kNeedsAt);

BinaryHeader makeHeader(const DeviceContext& device, const SubgroupNeeds& needs) {
    const Digest identity =
        startIdentity(device.instance->settings, *device.physical).addText("binary").finish();
    BinaryHeader header = {};
    std::memcpy(header.data(), kText.data(), kText.size());
    const uint32_t numbers[] = {needs.size, needs.full ? 1u : 0u};
    std::memcpy(header.data() + kNeedsAt, numbers, sizeof(numbers));
    std::memcpy(header.data() + kIdentityAt, identity.data(), identity.size());
    return header;
}

}  // namespace

BinaryKind kindOfBinary(const DeviceContext& device, const void* code, size_t size) {
    if (code == nullptr || size <= kBinaryHeaderSize ||
        std::memcmp(code, kText.data(), kText.size()) != 0) {
        return BinaryKind::kDrivers;
    }
    const BinaryHeader header = makeHeader(device, needsOfBinary(code));
    return std::memcmp(code, header.data(), header.size()) == 0 ? BinaryKind::kOurs
                                                                : BinaryKind::kForeign;
}

SubgroupNeeds needsOfBinary(const void* code) {
    uint32_t numbers[2];
    std::memcpy(numbers, static_cast<const std::byte*>(code) + kNeedsAt, sizeof(numbers));
    return {numbers[0], numbers[1] != 0};
}

VkResult getShaderBinaryData(VkDevice device, VkShaderEXT shader, size_t* size, void* data) {
    const auto context = devices().find(device);
    const auto& next = context->next.GetShaderBinaryDataEXT;
    const std::optional<SubgroupNeeds> needs = context->shaderObjects.find(shader);
    if (!needs) return next(device, shader, size, data);
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
    const BinaryHeader header = makeHeader(*context, *needs);
    std::memcpy(data, header.data(), header.size());
    const VkResult result =
        next(device, shader, &below, static_cast<std::byte*>(data) + kBinaryHeaderSize);
    *size = result == VK_SUCCESS ? below + kBinaryHeaderSize : 0;
    return result;
}

void destroyShader(VkDevice device, VkShaderEXT shader, const VkAllocationCallbacks* allocator) {
    const auto context = devices().find(device);
    context->shaderObjects.remove(shader);
    context->next.DestroyShaderEXT(device, shader, allocator);
}

}  // namespace coopvk::layer

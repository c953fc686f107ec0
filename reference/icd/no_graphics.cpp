// SPDX-License-Identifier: Apache-2.0
//
// Objects that programs may make on any device, though nothing here reads them. All other commands
// of graphics and images fail (guard.hpp).
#include "commands.hpp"
#include "object.hpp"

namespace coopvk::reference::icd {
namespace {

struct Sampler : Object {
    using Handle = VkSampler;
};

struct RenderPass : Object {
    using Handle = VkRenderPass;
};

}  // namespace

VkResult CreateSampler(VkDevice, const VkSamplerCreateInfo*, const VkAllocationCallbacks*,
                       VkSampler* out) {
    return make<Sampler>(out);
}

void DestroySampler(VkDevice device, VkSampler sampler, const VkAllocationCallbacks* allocator) {
    destroy<Sampler>(device, sampler, allocator);
}

VkResult CreateRenderPass(VkDevice, const VkRenderPassCreateInfo*, const VkAllocationCallbacks*,
                          VkRenderPass* out) {
    return make<RenderPass>(out);
}

VkResult CreateRenderPass2(VkDevice, const VkRenderPassCreateInfo2*, const VkAllocationCallbacks*,
                           VkRenderPass* out) {
    return make<RenderPass>(out);
}

void DestroyRenderPass(VkDevice device, VkRenderPass pass, const VkAllocationCallbacks* allocator) {
    destroy<RenderPass>(device, pass, allocator);
}

}  // namespace coopvk::reference::icd

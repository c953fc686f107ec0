// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "objects/guard.hpp"
#include "objects/registry.hpp"
#include "shaders/commands.hpp"
#include "shaders/identity.hpp"
#include "shaders/stage_builder.hpp"

namespace coopvk::layer {
namespace {

void giveIdentifier(DeviceContext& device, ShaderWordsRef words,
                    VkShaderModuleIdentifierEXT* identifier) {
    static_assert(sizeof(Digest) <= VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT);
    Sha256 hash = startIdentifier(device.instance->settings, *device.physical);
    const Digest digest = hash.add(std::as_bytes(std::span(words->words))).finish();
    identifier->identifierSize = static_cast<uint32_t>(digest.size());
    std::copy(digest.begin(), digest.end(), identifier->identifier);
    device.modules.remember(digest, std::move(words));
}

}  // namespace

VkResult createShaderModule(VkDevice device, const VkShaderModuleCreateInfo* createInfo,
                            const VkAllocationCallbacks* allocator, VkShaderModule* module) {
    const auto context = devices().find(device);
    auto words = emulatedWords(*context, createInfo->codeSize, createInfo->pCode);
    if (words == nullptr) {
        return context->next.CreateShaderModule(device, createInfo, allocator, module);
    }
    const StubWords stub = makeStub();
    VkShaderModuleCreateInfo info = {};
    info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    info.codeSize = sizeof(stub);
    info.pCode = stub.data();
    const VkResult result = context->next.CreateShaderModule(device, &info, allocator, module);
    if (result != VK_SUCCESS) return result;
    OnExit destroy([&] {
        context->next.DestroyShaderModule(device, *module, allocator);
        *module = VK_NULL_HANDLE;
    });
    context->modules.add(*module, std::move(words));
    destroy.dismiss();
    return VK_SUCCESS;
}

void destroyShaderModule(VkDevice device, VkShaderModule module,
                         const VkAllocationCallbacks* allocator) {
    const auto context = devices().find(device);
    // Before the driver can give the handle to another module.
    if (module != VK_NULL_HANDLE) context->modules.remove(module);
    context->next.DestroyShaderModule(device, module, allocator);
}

void getShaderModuleIdentifier(VkDevice device, VkShaderModule module,
                               VkShaderModuleIdentifierEXT* identifier) {
    identifier->identifierSize = 0;  // until it has one
    const auto context = devices().find(device);
    if (auto words = context->modules.find(module)) {
        return giveIdentifier(*context, std::move(words), identifier);
    }
    context->next.GetShaderModuleIdentifierEXT(device, module, identifier);
}

void getShaderModuleCreateInfoIdentifier(VkDevice device,
                                         const VkShaderModuleCreateInfo* createInfo,
                                         VkShaderModuleIdentifierEXT* identifier) {
    identifier->identifierSize = 0;  // until it has one
    const auto context = devices().find(device);
    if (auto words = emulatedWords(*context, createInfo->codeSize, createInfo->pCode)) {
        return giveIdentifier(*context, std::move(words), identifier);
    }
    context->next.GetShaderModuleCreateInfoIdentifierEXT(device, createInfo, identifier);
}

}  // namespace coopvk::layer

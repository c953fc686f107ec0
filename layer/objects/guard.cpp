// SPDX-License-Identifier: Apache-2.0
#include "objects/guard.hpp"

#include <vulkan/vk_enum_string_helper.h>

#include "objects/registry.hpp"

namespace coopvk::layer {
namespace {

// This handles a lack of memory, so nothing here allocates.
void report(Log& log, const char* command, VkResult result) noexcept {
    log.writePieces(LogLevel::kError,
                    {command, ": failed within coopvk: ", string_VkResult(result)});
}

void reportToStderr(const char* command, VkResult result) noexcept {
    Log log(LogLevel::kError, {});
    report(log, command, result);
}

Log& logOf(const InstanceContext& context) { return *context.log; }
Log& logOf(const DeviceContext& context) { return context.log(); }

template <typename Context, typename Handle>
void reportFor(Registry<Context>& (*registry)(), Handle handle, const char* command,
               VkResult result) noexcept {
    try {
        const auto context = handle == VK_NULL_HANDLE ? nullptr : registry().find(handle);
        if (context != nullptr) return report(logOf(*context), command, result);
    } catch (...) {
    }
    reportToStderr(command, result);
}

}  // namespace

void reportFailure(VkInstance instance, const char* command, VkResult result) noexcept {
    reportFor(instances, instance, command, result);
}

void reportFailure(VkPhysicalDevice device, const char* command, VkResult result) noexcept {
    reportFor(instances, device, command, result);
}

void reportFailure(VkDevice device, const char* command, VkResult result) noexcept {
    reportFor(devices, device, command, result);
}

void reportFailure(VkQueue queue, const char* command, VkResult result) noexcept {
    reportFor(devices, queue, command, result);
}

// The command is lost, so recording must fail: vkEndCommandBuffer says so.
void reportFailure(VkCommandBuffer commands, const char* command, VkResult result) noexcept {
    const auto* device =
        commands == VK_NULL_HANDLE ? nullptr : Registry<DeviceContext>::peek(commands);
    auto* state = device == nullptr ? nullptr : device->states.find(commands);
    if (state != nullptr) state->failure = result;
    reportFor(devices, commands, command, result);
}

void reportFailure(const void*, const char* command, VkResult result) noexcept {
    reportToStderr(command, result);
}

}  // namespace coopvk::layer

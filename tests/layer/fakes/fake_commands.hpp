// SPDX-License-Identifier: Apache-2.0
//
// The fake driver's entry points.
#pragma once

#include <vulkan/vulkan.h>

#include <span>
#include <string_view>

#include "fakes/allocations.hpp"

namespace coopvk::test {

class FakeDriver;

namespace fake {

FakeDriver*& current();

uint64_t nextHandle();

// Calls the function that FakeDriver::during has for a command.
void happen(std::string_view command);

// A command by its name.
struct Entry {
    std::string_view name;
    PFN_vkVoidFunction function;
};

// Drivers throw nothing: only the layer runs out of memory.
template <auto Function>
struct Entrance;

template <typename R, typename... Args, R (*Function)(Args...)>
struct Entrance<Function> {
    static VKAPI_ATTR R VKAPI_CALL call(Args... args) {
        const WorkingAllocations here;
        return Function(args...);
    }
};

#define COOPVK_FAKE(command, function) \
    {#command,                         \
     reinterpret_cast<PFN_vkVoidFunction>(static_cast<PFN_##command>(&Entrance<&function>::call))}

// Commands in command buffers that every driver has, and those of which few drivers have all; see
// FakeDriver::recordsAll.
std::span<const Entry> basicRecordingEntries();
std::span<const Entry> recordingEntries();
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice, const char* name);

}  // namespace fake
}  // namespace coopvk::test

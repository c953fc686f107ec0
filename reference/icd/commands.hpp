// SPDX-License-Identifier: Apache-2.0
//
// The commands of the registry that the device knows. One that has a definition somewhere in this
// folder does what it says; all others do nothing (commands.cpp).
#pragma once

#include <vulkan/vulkan.h>

#include <type_traits>

namespace coopvk::reference::icd {

struct Execution;

// Weak: the address of a command that nobody defines is null.
#define COOPVK_COMMAND(name, target, level, extension) \
    [[gnu::weak]] std::remove_pointer_t<PFN_vk##target> target;
#include "commands.inc"
#undef COOPVK_COMMAND

// Commands that are recorded with their arguments as these are; here is what the queue then calls.
namespace execution {

template <typename Command>
struct Executed;
template <typename R, typename First, typename... Rest>
struct Executed<R (*)(First, Rest...)> {
    using Type = void(Execution&, Rest...);
};

#define COOPVK_COMMAND(name, target, level, extension) \
    [[gnu::weak]] Executed<PFN_vk##target>::Type target;
#include "commands.inc"
#undef COOPVK_COMMAND

}  // namespace execution
}  // namespace coopvk::reference::icd

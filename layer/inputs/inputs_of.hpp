// SPDX-License-Identifier: Apache-2.0
//
// What the commands of this folder share.
#pragma once

#include "inputs/dispatch_inputs.hpp"
#include "objects/guard.hpp"
#include "objects/registry.hpp"

namespace coopvk::layer::inputs {

using Table = VkuDeviceDispatchTable;

// Of a device, a queue or a command buffer. The device exists as long as a command on it runs.
template <typename Handle>
DispatchInputs& inputsOf(Handle handle) {
    return *deviceOf(handle).inputs;
}

// The driver's command, by the one of its two names that the driver has.
template <typename Function>
Function either(const DispatchInputs& inputs, Function Table::* core, Function Table::* alias) {
    const Table& next = inputs.driver.next;
    return firstOf(next.*core, next.*alias);
}

}  // namespace coopvk::layer::inputs

// SPDX-License-Identifier: Apache-2.0
//
// Lists of `coopvk info`: matrices of flexible dimensions, 4-bit matrices, 2D blocks, hidden
// extensions and features of the driver, and the plan.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "coopvk/plan.hpp"
#include "device/physical_device.hpp"
#include "devices.hpp"

namespace coopvk::tool {

// An extension of the driver, or features of one, that applications do not see.
struct HiddenThing {
    std::string name, reason;
};
std::vector<HiddenThing> hiddenOf(const Device& device, const layer::Hidden& hidden);

void addLists(nlohmann::ordered_json& json, const Device& device,
              const layer::PhysicalDeviceContext& assessed);
void printLists(std::ostream& out, const Device& device,
                const layer::PhysicalDeviceContext& assessed);

// What the rewriter decides by the device alone, and its workarounds for faults of drivers.
nlohmann::ordered_json planList(const rewrite::Target& target);
void printPlan(std::ostream& out, const rewrite::Target& target);

// What programs are not offered, because of their earlier starts.
nlohmann::ordered_json rememberedList();
void printRemembered(std::ostream& out);

}  // namespace coopvk::tool

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "execution/frame.hpp"

namespace coopvk::reference::matrices {

// A value of its own, for arguments that no id has.
class OwnValue {
 public:
    OwnValue(const Type& type, uint32_t lanes)
        : data_(size_t(type.components) * lanes),
          defined_(type.components, LaneMask::firstLanes(lanes)),
          type_(&type),
          lanes_(lanes) {}
    operator Value() { return {data_.data(), defined_.data(), type_, lanes_}; }

 private:
    std::vector<uint64_t> data_;
    std::vector<LaneMask> defined_;
    const Type* type_;
    uint32_t lanes_;
};

// A function operand: null if the module has none with this id, which the validator excludes.
inline const Function* functionOf(const Subgroup& subgroup, const Operand& operand) {
    const auto found = subgroup.program->functionOf.find(operand.word);
    return found != subgroup.program->functionOf.end() ? found->second : nullptr;
}

// The type of parameter `index`.
inline const Type& parameterType(const Subgroup& subgroup, const Function& function,
                                 uint32_t index) {
    return *subgroup.program->slots[function.parameters[index]].type;
}

}  // namespace coopvk::reference::matrices

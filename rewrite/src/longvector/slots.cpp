// SPDX-License-Identifier: Apache-2.0
#include "longvector/slots.hpp"

#include <algorithm>

namespace coopvk::rewrite {

Id LongVectorSlots::declare(Id type) {
    const Id variable = writer_.variable(type);
    context_.module.edit(variable)->type = context_.functionPointer(type);
    return variable;
}

bool LongVectorSlots::isFree(const Slot& slot) const {
    return std::ranges::none_of(
        slot.values, [&](Id value) { return held_.contains(value) || liveness_.isNeeded(value); });
}

// Only values that cross blocks may be needed again on other paths.
Id LongVectorSlots::take(Id value, Id type) {
    for (Slot& slot : slots_) {
        if (slot.type != type || !isFree(slot)) continue;
        std::erase_if(slot.values, [&](Id v) { return !liveness_.crossesBlocks(v); });
        slot.values.push_back(value);
        return slot.variable;
    }
    slots_.push_back({declare(type), type, {value}});
    return slots_.back().variable;
}

bool LongVectorSlots::pass(Id variable, Id value) {
    const auto slot = std::ranges::find(slots_, variable, &Slot::variable);
    if (slot == slots_.end()) return false;
    slot->values.push_back(value);
    return true;
}

bool LongVectorSlots::isShared(Id variable, Id value) const {
    const auto slot = std::ranges::find(slots_, variable, &Slot::variable);
    return slot == slots_.end() || std::ranges::any_of(slot->values, [&](Id other) {
               return other != value && (held_.contains(other) || liveness_.isNeeded(other));
           });
}

Id LongVectorSlots::temporary(Id type) {
    const Id nothing = 0;
    const Id variable = take(nothing, type);
    pass(variable, variable);
    hold(variable);
    return variable;
}

}  // namespace coopvk::rewrite

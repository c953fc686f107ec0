// SPDX-License-Identifier: Apache-2.0
#include "symbols/uniform_descriptors.hpp"

namespace coopvk::reference::symbols {

bool UniformDescriptors::areSame(const Subgroup& s) {
    if (s.program->subgroups < 2 || !s.mask.any()) return true;
    const auto& [x, y, z] = s.group->id;
    for (uint32_t n = 0; n < s.at->operands.size(); ++n) {
        if ((*s.at)[n].slot == kNone) continue;
        const Slot& slot = s.program->slotAt(*s.at, n);
        if (!slot.ofDescriptors || slot.nonUniform) continue;
        const uint32_t number = executions_[{x, y, z, s.index, s.at->word}]++;
        const Value& pointer = s.values[(*s.at)[n].slot];
        const uint32_t lane = s.mask.first();
        const Descriptor one{pointer.at(0, lane), pointer.deviationAt(0, lane)};
        const std::array<uint32_t, 5> key = {x, y, z, s.at->word, number};
        if (descriptors_.emplace(key, one).first->second != one) return false;
    }
    return true;
}

}  // namespace coopvk::reference::symbols

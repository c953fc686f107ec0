// SPDX-License-Identifier: Apache-2.0
#include "optimise/optimise.hpp"

namespace coopvk::rewrite {

// In blocks that are never reached, values may be each other's.
Id ReplacedValues::of(Id value) const {
    for (size_t n = 0; n <= by_.size(); ++n) {
        const auto found = by_.find(value);
        if (found == by_.end()) return value;
        value = found->second;
    }
    return value;
}

void ReplacedValues::update(Module& module, const Function& function) {
    if (empty()) return;
    std::unordered_set<Id> gone;
    for (auto& [value, by] : by_) {
        by = of(value);  // what stands for it in the end, if it is replaced in turn
        gone.insert(value);
    }
    function.visitBlocks([&](Instruction& i) { update(i); });
    module.forget(gone);
    by_.clear();
}

}  // namespace coopvk::rewrite

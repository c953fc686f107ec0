// SPDX-License-Identifier: Apache-2.0
#include "optimise/optimise.hpp"

namespace coopvk::rewrite {

// In blocks that are never reached, values may be each other's.
Id ReplacedValues::of(Id value) const {
    for (size_t n = 0; has(value) && n <= gone_.size(); ++n) value = by_[value];
    return value;
}

void ReplacedValues::update(const Function& function) {
    if (empty()) return;
    for (const Id value : gone_) by_[value] = of(value);  // in the end, if it is replaced in turn
    function.visitBlocks([&](Instruction& i) { update(i); });
    module_.forget(gone_);
    for (const Id value : gone_) by_[value] = 0;
    gone_.clear();
}

}  // namespace coopvk::rewrite

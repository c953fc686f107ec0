// SPDX-License-Identifier: Apache-2.0
#include "optimise/optimise.hpp"

namespace coopvk::rewrite {

// In blocks that are never reached, values may be each other's.
Id ReplacedValues::of(Id value) const {
    for (size_t n = 0; n <= gone_.size() && has(value); ++n) value = by_[value];
    return value;
}

void ReplacedValues::update(Module& module, const Function& function) {
    if (empty()) return;
    // Of a value that is replaced in turn, what stands for it in the end.
    for (const Id value : gone_) by_[value] = of(value);
    function.visitBlocks([&](Instruction& i) { update(i); });
    module.forget(std::exchange(gone_, {}));
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "tensor/loop_copies.hpp"

#include "ir/cloner.hpp"

namespace coopvk::rewrite {

Id LoopCopies::at(When when, Id value, InstructionList& out) {
    // Not by recursion: a value may depend on any number of others.
    std::vector<Key> pending = {source({when, value})};
    while (!pending.empty()) {
        const Key key = pending.back();
        const size_t before = pending.size();
        if (known(key) == 0) {
            for (const Operand& o : values_.find(key.second)->operands) {
                const Key needed = source({key.first, o.word});
                if (o.isId && known(needed) == 0) pending.push_back(needed);
            }
        }
        if (pending.size() > before) continue;
        pending.pop_back();
        if (known(key) == 0) {
            copies_[key] = copy(key.first, *values_.find(key.second), out);
        }
    }
    return known(source({when, value}));
}

Id LoopCopies::copy(When when, const Instruction& i, InstructionList& out) {
    InstructionPtr made = clone(module_, i, [&](Id id) { return at(when, id, out); });
    out.push_back(std::move(made));
    return out.back()->result;
}

// In the next iteration, a phi has a value of the present one.
LoopCopies::Key LoopCopies::source(const Key& key) const {
    const Instruction* i = values_.find(key.second);
    const bool isNextPhi = key.first == When::kNext && i != nullptr && i->opcode == spv::Op::OpPhi;
    return isNextPhi ? Key(When::kPresent, values_.next(*i)) : key;
}

// The id of a value at that time; 0: it is not copied yet.
Id LoopCopies::known(const Key& key) const {
    const auto [when, value] = key;
    const Instruction* i = values_.find(value);
    if (i == nullptr) return value;
    if (when == When::kPresent && loaded_.contains(value)) return loaded_.at(value);
    if (i->opcode == spv::Op::OpPhi) return when == When::kFirst ? values_.first(*i) : value;
    const auto copied = copies_.find(key);
    return copied == copies_.end() ? 0 : copied->second;
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "ir/side_effects.hpp"

#include <algorithm>
#include <set>

#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

class Search {
 public:
    explicit Search(const Module& module) : module_(module) {}

    bool finds(Id id) {
        if (!visited_.insert(id).second) return false;
        const auto function =
            std::ranges::find(module_.functions(), id, [](const auto& f) { return f->id(); });
        return function == module_.functions().end() ||
               std::ranges::any_of((*function)->blocks, [&](const auto& block) {
                   return std::ranges::any_of(block->body,
                                              [&](const auto& i) { return isEffect(*i); });
               });
    }

 private:
    bool isEffect(const Instruction& i) {
        switch (i.opcode) {
            case spv::Op::OpLoad:
                return isVolatile(operandsBehind(i, 1));
            case spv::Op::OpStore:
                return isVolatile(operandsBehind(i, 2)) ||
                       module_.storage(i.word(0)) != spv::StorageClass::Function;
            case spv::Op::OpFunctionCall:
                return finds(i.word(0));
            case spv::Op::OpExtInst:
                return isNonSemantic(module_, i);  // which may print
            default:
                return !isPure(i.opcode) && i.opcode != spv::Op::OpSwitch;
        }
    }

    const Module& module_;
    std::set<Id> visited_;
};

}  // namespace

bool hasNoSideEffects(const Module& module, Id function) { return !Search(module).finds(function); }

}  // namespace coopvk::rewrite

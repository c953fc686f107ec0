// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "ir/opcodes.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// The set and the binding of a variable; nullopt: it is no descriptor.
std::optional<std::pair<uint32_t, uint32_t>> descriptorOf(const Module& module, Id variable) {
    const auto set = module.decoration(variable, spv::Decoration::DescriptorSet);
    const auto binding = module.decoration(variable, spv::Decoration::Binding);
    return set && binding ? std::optional(std::pair(*set, *binding)) : std::nullopt;
}

// Whether the shader must not write to what a variable points to, or to an array of it.
bool isReadOnly(const Module& module, Id variable) {
    if (module.decoration(variable, spv::Decoration::NonWritable)) return true;
    const Instruction* type = &module.def(module.pointee(variable));
    if (isArrayType(type->opcode)) type = &module.def(type->word(0));
    if (type->opcode != OpTypeStruct) return false;
    for (uint32_t m = 0; m < type->operands.size(); ++m) {
        if (!module.memberDecoration(type->result, m, spv::Decoration::NonWritable)) return false;
    }
    return true;
}

// The variables that the code accesses; other instructions may have left chains that lead nowhere.
std::unordered_set<Id> accessed(const Module& module) {
    const auto isStep = [](const Instruction& i) {
        return isAccessChain(i.opcode) || isUntypedChain(i.opcode) || i.opcode == OpCopyObject;
    };
    std::unordered_set<Id> variables;
    std::vector<bool> known(module.bound());
    std::vector<Id> pending;
    const auto add = [&](const Instruction& i) {
        for (const Operand& o : i.operands) {
            if (!o.isId || o.word >= known.size() || known[o.word]) continue;
            known[o.word] = true;
            pending.push_back(o.word);
        }
    };
    module.visitBlocks([&](const Instruction& i) {
        if (!isStep(i)) add(i);
    });
    while (!pending.empty()) {
        const Instruction& i = module.def(pending.back());
        pending.pop_back();
        if (isStep(i)) add(i);
        if (isVariable(i.opcode)) variables.insert(i.result);
    }
    return variables;
}

}  // namespace

void restoreAliasing(Module& module) {
    if (module.madeAliased().empty()) return;
    struct Descriptor {
        size_t used = 0;
        bool isReadOnly = true;
    };
    std::map<std::pair<uint32_t, uint32_t>, Descriptor> descriptors;
    for (const Id variable : accessed(module)) {
        const auto at = descriptorOf(module, variable);
        if (!at) continue;
        Descriptor& descriptor = descriptors[*at];
        ++descriptor.used;
        descriptor.isReadOnly &= isReadOnly(module, variable);
    }
    for (const Id variable : module.madeAliased()) {
        const auto at = descriptorOf(module, variable);
        if (!at) continue;
        const Descriptor& descriptor = descriptors[*at];
        if (descriptor.used > 1 && !descriptor.isReadOnly) continue;
        // Without it, a variable is as if it were Restrict (SPIR-V specification, section 2.18.2).
        module.removeDecoration(variable, spv::Decoration::Aliased);
    }
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "ir/opcodes.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

bool roundsForStores(const Module& module, Id id) {
    const Instruction& conversion = module.def(id);
    const Instruction& type = module.def(conversion.type);
    const Instruction& scalar =
        type.opcode == spv::Op::OpTypeVector ? module.def(type.word(0)) : type;
    return conversion.opcode == spv::Op::OpFConvert && scalar.opcode == spv::Op::OpTypeFloat &&
           scalar.word(0) == 16;
}

bool isStoreToMemory(const Module& module, const Instruction& i, size_t operand) {
    using enum spv::StorageClass;
    return i.opcode == spv::Op::OpStore && operand == 1 &&
           isOneOf(module.storage(i.word(0)),
                   {StorageBuffer, PhysicalStorageBuffer, Uniform, PushConstant, Input, Output});
}

}  // namespace

void dropMisplacedRoundingModes(Module& module) {
    std::unordered_set<Id> rounded, misplaced;
    for (const InstructionPtr& i : module.section(Section::kAnnotations)) {
        if (!decorates(*i, spv::Decoration::FPRoundingMode)) continue;
        (roundsForStores(module, i->word(0)) ? rounded : misplaced).insert(i->word(0));
    }
    if (rounded.empty() && misplaced.empty()) return;
    module.visitBlocks([&](const Instruction& i) {
        // A second conversion does not make the first one's mode invalid for SPIRV-Tools.
        if (i.opcode == spv::Op::OpFConvert || isNonSemantic(module, i)) return;
        for (size_t o = 0; o < i.operands.size(); ++o) {
            const bool uses = i.operands[o].isId && rounded.contains(i.word(o));
            if (uses && !isStoreToMemory(module, i, o)) misplaced.insert(i.word(o));
        }
    });
    for (const Id id : misplaced) module.removeDecoration(id, spv::Decoration::FPRoundingMode);
}

}  // namespace coopvk::rewrite

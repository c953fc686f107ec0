// SPDX-License-Identifier: Apache-2.0
#include "ir/shared_memory.hpp"

#include <algorithm>

#include "coopvk/vector_matrix.hpp"

namespace coopvk::rewrite {

namespace {

// Bytes of a type without explicit layout, roughly as drivers lay it out; 0 if not known.
uint64_t sizeOf(const Module& module, Id type) {
    const Instruction& def = module.def(type);
    switch (def.opcode) {
        case spv::Op::OpTypeBool:
            return 4;
        case spv::Op::OpTypeInt:
        case spv::Op::OpTypeFloat:
            return def.word(0) / 8;
        case spv::Op::OpTypeVector:
        case spv::Op::OpTypeMatrix:
            return roundUp(def.word(1), 2) * sizeOf(module, def.word(0));
        case spv::Op::OpTypeArray:
            return module.constantValue(def.word(1)).value_or(0) * sizeOf(module, def.word(0));
        case spv::Op::OpTypeStruct: {
            uint64_t size = 0;
            for (const Operand& member : def.operands) {
                size = roundUp(size, 16) + sizeOf(module, member.word);
            }
            return roundUp(size, 16);
        }
        default:
            return 0;
    }
}

bool hasBlock(const Module& module, Id type) {
    return std::ranges::any_of(module.section(Section::kAnnotations), [&](const InstructionPtr& i) {
        return i->opcode == spv::Op::OpDecorate && i->word(0) == type &&
               i->word(1) == static_cast<uint32_t>(spv::Decoration::Block);
    });
}

}  // namespace

bool sharedMemoryHasRoom(const Module& module, uint64_t bytes, uint64_t limit) {
    uint64_t size = 0;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->opcode != spv::Op::OpVariable) continue;
        const auto storage = static_cast<spv::StorageClass>(i->word(0));
        if (storage != spv::StorageClass::Workgroup &&
            storage != spv::StorageClass::TaskPayloadWorkgroupEXT) {
            continue;
        }
        const Id type = module.def(i->type).word(1);
        if (storage == spv::StorageClass::Workgroup && hasBlock(module, type)) return false;
        size = roundUp(size, 16) + sizeOf(module, type);
    }
    return size + bytes <= limit;
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "ir/composites.hpp"

#include <algorithm>

#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

Id memberType(const Module& module, Id type, std::optional<uint64_t> index) {
    const Instruction& def = module.def(type);
    switch (def.opcode) {
        case spv::Op::OpTypeStruct:
            return index ? def.word(*index) : 0;
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeRuntimeArray:
        case spv::Op::OpTypeVector:
        case spv::Op::OpTypeMatrix:
        case spv::Op::OpTypeCooperativeMatrixKHR:
        case spv::Op::OpTypeCooperativeMatrixNV:
        case spv::Op::OpTypeCooperativeVectorNV:
            return def.word(0);
        default:
            return 0;
    }
}

std::optional<uint64_t> memberCount(const Module& module, Id type) {
    const Instruction& def = module.def(type);
    switch (def.opcode) {
        case spv::Op::OpTypeVector:
        case spv::Op::OpTypeMatrix:
            return def.word(1);
        case spv::Op::OpTypeStruct:
            return def.operands.size();
        case spv::Op::OpTypeArray:
        case spv::Op::OpTypeCooperativeVectorNV:
            return module.constantValue(def.word(1));
        default:
            return std::nullopt;
    }
}

PointerPath pathTo(const Module& module, Id pointer) {
    // Chains of hostile modules may lead in circles.
    constexpr int kMostSteps = 1000;
    PointerPath path;
    path.root = pointer;
    for (int step = 0; step < kMostSteps; ++step) {
        path.nonUniform |= module.decoration(path.root, spv::Decoration::NonUniform).has_value();
        const Instruction& def = module.def(path.root);
        if (isAccessChain(def.opcode)) {
            for (size_t i = def.operands.size(); i-- > 1;) path.indices.push_back(def.word(i));
        } else if (def.opcode != spv::Op::OpCopyObject) {
            break;
        }
        path.root = def.word(0);
    }
    std::ranges::reverse(path.indices);
    return path;
}

}  // namespace coopvk::rewrite

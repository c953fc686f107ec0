// SPDX-License-Identifier: Apache-2.0
#include "ir/composites.hpp"

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

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "ir/opcodes.hpp"
#include "unify/int4/instructions.hpp"

namespace coopvk::rewrite {

namespace {

// The bits of a 4-bit scalar constant; nullopt if it is not one.
std::optional<uint32_t> fourBits(const Module& module, Id id) {
    const Instruction& def = module.def(id);
    switch (def.opcode) {
        case spv::Op::OpConstant:
            return def.word(0) & 15u;
        case spv::Op::OpConstantNull:
        case spv::Op::OpUndef:
        case kOpPoison:
            return 0;
        default:
            return std::nullopt;
    }
}

void lowerComposite(Int4Context& context, const Int4Type& type, Instruction& constant) {
    const bool replicated = constant.opcode == spv::Op::OpConstantCompositeReplicateEXT;
    if (constant.operands.size() != (replicated ? 1 : type.components)) {
        context.fail(ErrorCode::kInvalidModule, constant, "one constituent for each component");
        return;
    }
    uint64_t bits = 0;
    for (uint32_t c = 0; c < type.components; ++c) {
        const auto value = fourBits(context.module, constant.word(replicated ? 0 : c));
        if (!value) {
            context.fail(ErrorCode::kInvalidModule, constant, "a constituent is not a constant");
            return;
        }
        bits |= uint64_t{*value} << 4 * c;
    }
    const uint32_t width = type.isByteWise() ? 8 : 32;
    const uint32_t parts = type.isByteWise() ? type.bytes : type.words();
    constant.opcode = parts == 1 ? spv::Op::OpConstant : spv::Op::OpConstantComposite;
    constant.operands = {literal(static_cast<uint32_t>(bits))};
    if (parts == 1) return;
    constant.operands.clear();
    const Id scalar = context.types.intType(width, false);
    for (uint32_t p = 0; p < parts; ++p) {
        constant.operands.push_back(idOperand(context.types.constant(scalar, bits >> width * p)));
    }
}

}  // namespace

void lowerInt4Constant(Int4Context& context, Instruction& constant) {
    const Int4Type* type = context.type(constant.type);
    if (type == nullptr) return;
    switch (constant.opcode) {
        case spv::Op::OpConstant: {
            // Literals are sign extended in signed types (SPIR-V specification, section 2.2.1).
            const uint32_t bits = constant.word(0) & 15u;
            const bool negative = type->isSigned && bits >= 8;
            constant.operands = {literal(negative ? bits | ~15u : bits)};
            break;
        }
        case spv::Op::OpConstantComposite:
        case spv::Op::OpConstantCompositeReplicateEXT:
            lowerComposite(context, *type, constant);
            break;
        case spv::Op::OpConstantNull:
        case spv::Op::OpUndef:
        case kOpPoison:
            break;
        default:
            context.fail(ErrorCode::kUnsupported, constant,
                         "this specialization constant of 4-bit integers cannot be folded");
            break;
    }
}

}  // namespace coopvk::rewrite

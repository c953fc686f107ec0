// SPDX-License-Identifier: Apache-2.0
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number_value.hpp"
#include "numbers/lower.hpp"
#include "passes/specialise.hpp"

namespace coopvk::rewrite {

namespace {

// Component c of a constant; nullopt if it is not known.
std::optional<double> component(const NumbersContext& context, Id id, uint32_t c) {
    const Instruction& def = context.module.def(id);
    const Number* number = context.format(def.type);
    if (number == nullptr && context.types.isFloat(def.type))
        number = numberOf(context.types, def.type);
    if (number == nullptr) return std::nullopt;
    switch (def.opcode) {
        case spv::Op::OpConstantNull:
        case spv::Op::OpUndef:
        case kOpPoison:
            return 0.0;
        case spv::Op::OpConstant:
            return valueOf(*number, def.word(0) | uint64_t{def.word(1)} << 32);
        default: {
            const Id part = constituentOf(def, c);
            const bool isScalar = context.types.components(context.module.def(part).type) == 1;
            return isScalar ? component(context, part, 0) : std::nullopt;
        }
    }
}

// OpFConvert is the only conversion of floats that specialization constants may have in shaders.
void fold(NumbersContext& context, Instruction& i) {
    const Id from = i.word(1);
    TypeTable& types = context.types;
    const Number* number = context.format(i.type);
    if (number == nullptr && types.isFloat(i.type)) number = numberOf(types, i.type);
    std::vector<Id> parts;
    const uint32_t components = types.components(i.type);
    for (uint32_t c = 0; number != nullptr && components <= 4 && c < components; ++c) {
        std::optional<double> value = component(context, from, c);
        if (!value) break;
        // Conversions to bfloat16 are by way of f32.
        if (number->fields.exponentBits == 8) value = static_cast<float>(*value);
        const uint64_t bits = bitsOf(*number, *value, context.isSaturated(i.result));
        parts.push_back(types.constant(context.replacement(types.scalarOf(i.type)), bits));
    }
    if (parts.empty() || parts.size() != components) {
        context.fail(ErrorCode::kUnsupported, i,
                     "a specialization constant of a bfloat16 or an 8-bit float depends on a value "
                     "that is not known");
        return;
    }
    const bool isVector = parts.size() > 1;
    i.opcode = isVector ? spv::Op::OpConstantComposite : spv::Op::OpConstant;
    i.operands = isVector ? idOperands(parts) : context.module.def(parts[0]).operands;
    context.replaced.insert(i.result);
}

void lowerConstant(NumbersContext& context, Instruction& i) {
    if (i.opcode == spv::Op::OpConstant) {
        const Number* number = context.format(i.type);
        // Bits above the number must be zero (SPIR-V specification, section 2.2.1).
        if (number != nullptr) i.operands = {literal(i.word(0) & ((1u << number->bits) - 1))};
    } else if (i.opcode == spv::Op::OpSpecConstantOp) {
        const bool converts = i.word(0) == static_cast<uint32_t>(spv::Op::OpFConvert);
        if (!converts) return;
        if (context.format(i.type) != nullptr || context.formatOf(i.word(1)) != nullptr) {
            fold(context, i);
        }
    }
}

}  // namespace

void lowerNumberConstants(NumbersContext& context) {
    // By index: constants are appended.
    InstructionList& globals = context.module.section(Section::kGlobals);
    for (size_t g = 0; g < globals.size() && !context.error; ++g) {
        lowerConstant(context, *globals[g]);
    }
    // Others may depend on those that are known now.
    if (!context.replaced.empty()) foldSpecConstants(context.types, nullptr);
}

}  // namespace coopvk::rewrite

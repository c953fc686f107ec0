// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/component_kinds.hpp"
#include "ir/composites.hpp"
#include "ir/kind_rows.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

using enum ComponentKind;
using enum Like;

bool isMatrix(spv::Op type) {
    return type == OpTypeCooperativeMatrixKHR || type == OpTypeCooperativeMatrixNV;
}

bool isOf(const Module& module, ComponentKind kind, Id component) {
    switch (module.def(component).opcode) {
        case OpTypeInt:
            return kind == kInteger || kind == kNumber ||
                   (kind == kUnsigned && module.def(component).word(1) == 0);
        case OpTypeFloat:
            return kind == kFloat || kind == kNumber;
        case OpTypeBool:
            return kind == kBool;
        default:
            return false;
    }
}

bool haveOneShape(const Module& module, const Instruction& a, const Instruction& b) {
    if (!isMatrix(a.opcode) && !isMatrix(b.opcode)) {
        return memberCount(module, a.result) == memberCount(module, b.result);
    }
    bool same = a.opcode == b.opcode;
    for (size_t word = 1; word < a.operands.size(); ++word) {
        same &= a.word(word) == b.word(word) ||
                module.constantValue(a.word(word)) == module.constantValue(b.word(word));
    }
    return same;
}

// Whether two types differ in the signs of integers at most.
bool areAlike(const Module& module, Id a, Id b) {
    if (a == b) return true;
    const Id of[] = {componentOf(module, a), componentOf(module, b)};
    const Instruction &first = module.def(of[0]), &second = module.def(of[1]);
    const bool same = of[0] == of[1] || (first.opcode == OpTypeInt && second.opcode == OpTypeInt &&
                                         first.word(0) == second.word(0));
    return same && haveOneShape(module, module.def(a), module.def(b));
}

constexpr std::string_view kUnfit = "operand types do not fit Result Type";

std::string_view problemOfKinds(const KindRow& row) {
    if (row.operands == kFloat && row.result == kInteger) {
        return "converts floating-point numbers to integers";
    }
    if (row.operands == kFloat && row.result == kUnsigned) {
        return "converts floating-point numbers to unsigned integers";
    }
    if (row.result == kUnsigned) return "is for integers, and gives unsigned ones";
    if (row.result == kFloat && row.operands == kInteger) {
        return "converts integers to floating-point numbers";
    }
    if (row.operands == kInteger) return "is for integers";
    if (row.operands == kFloat) return "is for floating-point numbers";
    return row.operands == kBool ? "is for booleans" : "is for numbers";
}

bool isScalarOf(const Module& module, Id value, Id type) {
    return module.def(value).type == componentOf(module, type);
}

// Those of which one operand is unlike the others.
std::string_view problemOfSelection(const Module& module, const Instruction& i) {
    const Id condition = componentOf(module, module.def(i.word(0)).type);
    const bool fits = isOf(module, kBool, condition) && module.def(i.word(1)).type == i.type &&
                      module.def(i.word(2)).type == i.type;
    return fits ? "" : kUnfit;
}

std::string_view problemOfScaling(const Module& module, const Instruction& i) {
    const bool fits = module.def(i.word(0)).type == i.type && isScalarOf(module, i.word(1), i.type);
    return fits && isOf(module, kNumber, componentOf(module, i.type)) ? "" : kUnfit;
}

// Bits of a component, and of the whole where its type is no matrix.
struct Bits {
    uint64_t component = 0, all = 0;
};
Bits bitsOf(const Module& module, Id type) {
    const uint64_t width = module.def(componentOf(module, type)).word(0);
    return {width, width * memberCount(module, type).value_or(1)};
}

std::string_view problemOfCast(const Module& module, const Instruction& i) {
    const Id from = module.def(i.word(0)).type;
    const bool areNumbers = isOf(module, kNumber, componentOf(module, i.type)) &&
                            isOf(module, kNumber, componentOf(module, from));
    const Bits given = bitsOf(module, i.type), taken = bitsOf(module, from);
    const bool hasMatrix = isMatrix(module.def(i.type).opcode) || isMatrix(module.def(from).opcode);
    const bool fits = hasMatrix ? given.component == taken.component : given.all == taken.all;
    return areNumbers && fits ? "" : kUnfit;
}

std::string_view problemOfExponents(const Module& module, const Instruction& i) {
    const Id exponents = module.def(i.word(3)).type;
    const bool fits = module.def(i.word(2)).type == i.type &&
                      isOf(module, kFloat, componentOf(module, i.type)) &&
                      isOf(module, kInteger, componentOf(module, exponents)) &&
                      haveOneShape(module, module.def(i.type), module.def(exponents));
    return fits ? "" : kUnfit;
}

std::string_view problemIn(const Module& module, const Instruction& i, const KindRow& row) {
    const Id given = componentOf(module, i.type);
    if (given != 0 && !isOf(module, row.result, given)) return problemOfKinds(row);
    const std::span<const Operand> operands = operandsBehind(i, row.firstOperand);
    if (operands.empty()) return kUnfit;
    const Id like = row.like == kResult ? i.type : module.def(operands[0].word).type;
    for (const Operand& operand : operands) {
        if (!operand.isId) continue;
        const Id type = module.def(operand.word).type;
        const Id component = componentOf(module, type);
        if (row.like == kAny && !hasManyComponents(module, type)) continue;
        if (!isOf(module, row.operands, component)) return problemOfKinds(row);
        const uint32_t bits = module.def(component).word(0);
        if (bits > row.mostBits || bits < row.leastBits) {
            return row.leastBits == 0 ? "takes components of 32 bits at most"
                                      : "takes components of 32 bits";
        }
        if (row.like != kAny && !areAlike(module, type, like)) return kUnfit;
    }
    return {};
}

bool hasOperandOfMany(const Module& module, const Instruction& i) {
    if (hasManyComponents(module, i.type)) return true;
    return std::ranges::any_of(i.operands, [&](const Operand& o) {
        return o.isId && hasManyComponents(module, module.def(o.word).type);
    });
}

bool isLdexp(const Module& module, const Instruction& i) {
    return isExtInst(i.opcode) && i.word(1) == GLSLstd450Ldexp &&
           stringFromOperands(module.def(i.word(0)), 0) == "GLSL.std.450";
}

}  // namespace

Id componentOf(const Module& module, Id type) {
    const Instruction& def = module.def(type);
    switch (def.opcode) {
        case OpTypeInt:
        case OpTypeFloat:
        case OpTypeBool:
            return type;
        case OpTypeVector:
        case OpTypeCooperativeVectorNV:
        case OpTypeCooperativeMatrixKHR:
        case OpTypeCooperativeMatrixNV:
            return def.word(0);
        default:
            return 0;
    }
}

bool hasManyComponents(const Module& module, Id type) {
    constexpr uint32_t kMostOfCore = 4;
    const Instruction& def = module.def(type);
    return isMatrix(def.opcode) || def.opcode == OpTypeCooperativeVectorNV ||
           (def.opcode == OpTypeVector && def.word(1) > kMostOfCore);
}

std::string_view kindProblem(const Module& module, const Instruction& i) {
    const bool mayBeKnown = i.opcode == OpSelect || mayHaveKindRow(i.opcode);
    if (!mayBeKnown || !hasOperandOfMany(module, i)) return {};
    if (i.opcode == OpSelect) return problemOfSelection(module, i);
    if (i.opcode == OpBitcast) return problemOfCast(module, i);
    if (isOneOf(i.opcode, {OpVectorTimesScalar, OpMatrixTimesScalar})) {
        return problemOfScaling(module, i);
    }
    if (isLdexp(module, i)) return problemOfExponents(module, i);
    const KindRow* row = kindRow(module, i);
    return row == nullptr ? std::string_view() : problemIn(module, i, *row);
}

bool isOfFloats(const Module& module, const Instruction& i) {
    return isOf(module, kFloat, componentOf(module, i.type)) &&
           std::ranges::all_of(i.operands, [&](const Operand& o) {
               return o.isId && isOf(module, kFloat, componentOf(module, module.def(o.word).type));
           });
}

}  // namespace coopvk::rewrite

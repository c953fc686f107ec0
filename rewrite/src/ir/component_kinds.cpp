// SPDX-License-Identifier: Apache-2.0
#include "ir/component_kinds.hpp"

#include <algorithm>

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

// Whose types the operands must have.
enum class Like : uint8_t {
    kResult,     // that of the result, but for the signs of integers
    kEachOther,  // that of the first one
    kAny,        // some are scalars, or have another width
};

enum class ComponentKind : uint8_t { kInteger, kUnsigned, kFloat, kNumber, kBool };

// What an instruction takes and gives.
struct KindRow {
    ComponentKind result = ComponentKind::kNumber, operands = ComponentKind::kNumber;
    Like like = Like::kAny;
    uint32_t mostBits = 64;
    size_t firstOperand = 0;
    uint32_t leastBits = 0;
};

using enum ComponentKind;
using enum Like;
constexpr KindRow kOfIntegers = {kInteger, kInteger, kResult};
constexpr KindRow kOfUnsigned = {kUnsigned, kInteger, kResult};
constexpr KindRow kOfFloats = {kFloat, kFloat, kResult};
constexpr KindRow kOfBooleans = {kBool, kBool, kResult};
constexpr KindRow kOfBits = {kInteger, kInteger, kAny};
constexpr KindRow kComparesIntegers = {kBool, kInteger, kEachOther};
constexpr KindRow kComparesFloats = {kBool, kFloat, kEachOther};
// Their results are scalars or structures.
constexpr KindRow kCombinesFloats = {kFloat, kFloat, kEachOther};
constexpr KindRow kPairsIntegers = {kInteger, kInteger, kEachOther};
constexpr KindRow kCombinesBooleans = {kBool, kBool, kAny};
// Behind Scope and Operation.
constexpr KindRow kGroupsIntegers = {kInteger, kInteger, kAny, 64, 2};
constexpr KindRow kGroupsFloats = {kFloat, kFloat, kAny, 64, 2};
constexpr KindRow kGroupsBooleans = {kBool, kBool, kAny, 64, 2};

struct OpcodeKinds {
    spv::Op first, last;  // of adjacent opcodes
    KindRow row;
};

constexpr OpcodeKinds kKindsByOpcode[] = {
    {OpConvertFToU, OpConvertFToU, {kUnsigned, kFloat}},
    {OpConvertFToS, OpConvertFToS, {kInteger, kFloat}},
    {OpConvertSToF, OpConvertUToF, {kFloat, kInteger}},
    {OpUConvert, OpUConvert, {kUnsigned, kInteger}},
    {OpSConvert, OpSConvert, {kInteger, kInteger}},
    {OpFConvert, OpFConvert, {kFloat, kFloat}},
    {OpQuantizeToF16, OpQuantizeToF16, kOfFloats},
    {OpBitcast, OpBitcast, {}},
    {OpSNegate, OpSNegate, kOfIntegers},
    {OpFNegate, OpFNegate, kOfFloats},
    {OpIAdd, OpIAdd, kOfIntegers},
    {OpFAdd, OpFAdd, kOfFloats},
    {OpISub, OpISub, kOfIntegers},
    {OpFSub, OpFSub, kOfFloats},
    {OpIMul, OpIMul, kOfIntegers},
    {OpFMul, OpFMul, kOfFloats},
    {OpUDiv, OpUDiv, kOfUnsigned},
    {OpSDiv, OpSDiv, kOfIntegers},
    {OpFDiv, OpFDiv, kOfFloats},
    {OpUMod, OpUMod, kOfUnsigned},
    {OpSRem, OpSMod, kOfIntegers},
    {OpFRem, OpFMod, kOfFloats},
    {OpVectorTimesScalar, OpMatrixTimesScalar, {}},
    {OpDot, OpDot, kCombinesFloats},
    {OpIAddCarry, OpSMulExtended, kPairsIntegers},
    {OpAny, OpAll, kCombinesBooleans},
    {OpIsNan, OpIsInf, kComparesFloats},
    {OpLogicalEqual, OpLogicalNot, kOfBooleans},
    {OpIEqual, OpSLessThanEqual, kComparesIntegers},
    {OpFOrdEqual, OpFUnordGreaterThanEqual, kComparesFloats},
    {OpShiftRightLogical, OpShiftLeftLogical, kOfBits},
    {OpBitwiseOr, OpNot, kOfIntegers},
    {OpBitFieldInsert, OpBitFieldUExtract, kOfBits},
    {OpBitReverse, OpBitReverse, kOfIntegers},
    {OpBitCount, OpBitCount, kOfBits},
    {OpGroupNonUniformIAdd, OpGroupNonUniformIAdd, kGroupsIntegers},
    {OpGroupNonUniformFAdd, OpGroupNonUniformFAdd, kGroupsFloats},
    {OpGroupNonUniformIMul, OpGroupNonUniformIMul, kGroupsIntegers},
    {OpGroupNonUniformFMul, OpGroupNonUniformFMul, kGroupsFloats},
    {OpGroupNonUniformSMin, OpGroupNonUniformUMin, kGroupsIntegers},
    {OpGroupNonUniformFMin, OpGroupNonUniformFMin, kGroupsFloats},
    {OpGroupNonUniformSMax, OpGroupNonUniformUMax, kGroupsIntegers},
    {OpGroupNonUniformFMax, OpGroupNonUniformFMax, kGroupsFloats},
    {OpGroupNonUniformBitwiseAnd, OpGroupNonUniformBitwiseXor, kGroupsIntegers},
    {OpGroupNonUniformLogicalAnd, OpGroupNonUniformLogicalXor, kGroupsBooleans},
};

constexpr KindRow kExtendedFloats = {kFloat, kFloat, kResult, 64, 2};
constexpr KindRow kExtendedSmallFloats = {kFloat, kFloat, kResult, 32, 2};
constexpr KindRow kExtendedIntegers = {kInteger, kInteger, kResult, 64, 2};
constexpr KindRow kExtendedWords = {kInteger, kInteger, kResult, 32, 2, 32};
// Not of each component alone.
constexpr KindRow kExtendedGeometry = {kFloat, kFloat, kAny, 64, 2};

struct ExtendedKinds {
    GLSLstd450 first, last;
    KindRow row;
};

constexpr ExtendedKinds kExtended[] = {
    {GLSLstd450Round, GLSLstd450FAbs, kExtendedFloats},
    {GLSLstd450SAbs, GLSLstd450SAbs, kExtendedIntegers},
    {GLSLstd450FSign, GLSLstd450FSign, kExtendedFloats},
    {GLSLstd450SSign, GLSLstd450SSign, kExtendedIntegers},
    {GLSLstd450Floor, GLSLstd450Fract, kExtendedFloats},
    {GLSLstd450Radians, GLSLstd450Log2, kExtendedSmallFloats},
    {GLSLstd450Sqrt, GLSLstd450InverseSqrt, kExtendedFloats},
    {GLSLstd450Modf, GLSLstd450ModfStruct, kExtendedGeometry},
    {GLSLstd450FMin, GLSLstd450FMin, kExtendedFloats},
    {GLSLstd450UMin, GLSLstd450SMin, kExtendedIntegers},
    {GLSLstd450FMax, GLSLstd450FMax, kExtendedFloats},
    {GLSLstd450UMax, GLSLstd450SMax, kExtendedIntegers},
    {GLSLstd450FClamp, GLSLstd450FClamp, kExtendedFloats},
    {GLSLstd450UClamp, GLSLstd450SClamp, kExtendedIntegers},
    {GLSLstd450FMix, GLSLstd450FMix, kExtendedFloats},
    {GLSLstd450Step, GLSLstd450Fma, kExtendedFloats},
    {GLSLstd450Frexp, GLSLstd450FrexpStruct, kExtendedGeometry},
    {GLSLstd450Length, GLSLstd450Refract, kExtendedGeometry},
    {GLSLstd450FindILsb, GLSLstd450FindILsb, kExtendedIntegers},
    {GLSLstd450FindSMsb, GLSLstd450FindUMsb, kExtendedWords},
    {GLSLstd450NMin, GLSLstd450NClamp, kExtendedFloats},
};

constexpr FloatForm kFloatForms[] = {
    {OpSNegate, OpFNegate, "OpSNegate", "OpFNegate"},
    {OpIAdd, OpFAdd, "OpIAdd", "OpFAdd"},
    {OpISub, OpFSub, "OpISub", "OpFSub"},
    {OpIMul, OpFMul, "OpIMul", "OpFMul"},
    {OpSDiv, OpFDiv, "OpSDiv", "OpFDiv"},
    {OpUDiv, OpFDiv, "OpUDiv", "OpFDiv"},
};

// The rows by opcode; most instructions of a module are in no row. New opcodes are thousands.
constexpr size_t kOpcodeCount = 8192, kNone = std::size(kKindsByOpcode);
constexpr auto kRowOfOpcode = [] {
    std::array<uint8_t, kOpcodeCount> rows = {};
    rows.fill(kNone);
    for (size_t r = 0; r < std::size(kKindsByOpcode); ++r) {
        for (auto o = uint32_t(kKindsByOpcode[r].first); o <= uint32_t(kKindsByOpcode[r].last);
             ++o) {
            rows[o] = static_cast<uint8_t>(r);
        }
    }
    return rows;
}();

const KindRow* extendedRow(uint32_t instruction) {
    const auto* found = std::ranges::find_if(kExtended, [&](const ExtendedKinds& kinds) {
        return instruction >= uint32_t(kinds.first) && instruction <= uint32_t(kinds.last);
    });
    return found == std::end(kExtended) ? nullptr : &found->row;
}

// Whether it may be known, by its opcode alone.
bool mayHaveKindRow(spv::Op opcode) {
    return isExtInst(opcode) ||
           (size_t(opcode) < kOpcodeCount && kRowOfOpcode[size_t(opcode)] != kNone);
}

const KindRow* kindRow(const Module& module, const Instruction& i) {
    if (isExtInst(i.opcode)) {
        const bool isGlsl = stringFromOperands(module.def(i.word(0)), 0) == "GLSL.std.450";
        return isGlsl ? extendedRow(i.word(1)) : nullptr;
    }
    const auto opcode = static_cast<size_t>(i.opcode);
    const size_t row = opcode < kOpcodeCount ? kRowOfOpcode[opcode] : kNone;
    return row == kNone ? nullptr : &kKindsByOpcode[row].row;
}

}  // namespace

bool isComponentWise(GLSLstd450 instruction) {
    const KindRow* row = extendedRow(uint32_t(instruction));
    return instruction == GLSLstd450Ldexp || (row != nullptr && row->like == kResult);
}

const FloatForm* floatForm(spv::Op opcode) {
    const auto* found = std::ranges::find(kFloatForms, opcode, &FloatForm::ofIntegers);
    return found == std::end(kFloatForms) ? nullptr : found;
}

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

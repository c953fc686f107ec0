// SPDX-License-Identifier: Apache-2.0
#include "ir/component_kinds.hpp"

#include <algorithm>

#include "ir/kind_rows.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

namespace {

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

constexpr OpcodeKinds kOpcodes[] = {
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

// The rows by opcode; most instructions of a module are in no row.
constexpr size_t kOpcodeCount = 512, kNone = std::size(kOpcodes);
constexpr auto kRowOfOpcode = [] {
    std::array<uint8_t, kOpcodeCount> rows = {};
    rows.fill(kNone);
    for (size_t r = 0; r < std::size(kOpcodes); ++r) {
        for (auto o = uint32_t(kOpcodes[r].first); o <= uint32_t(kOpcodes[r].last); ++o) {
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

}  // namespace

const KindRow* kindRow(const Module& module, const Instruction& i) {
    if (isExtInst(i.opcode)) {
        const bool isGlsl = stringFromOperands(module.def(i.word(0)), 0) == "GLSL.std.450";
        return isGlsl ? extendedRow(i.word(1)) : nullptr;
    }
    const auto opcode = static_cast<size_t>(i.opcode);
    const size_t row = opcode < kOpcodeCount ? kRowOfOpcode[opcode] : kNone;
    return row == kNone ? nullptr : &kOpcodes[row].row;
}

bool mayHaveKindRow(spv::Op opcode) {
    return isExtInst(opcode) ||
           (size_t(opcode) < kOpcodeCount && kRowOfOpcode[size_t(opcode)] != kNone);
}

bool isComponentWise(GLSLstd450 instruction) {
    const KindRow* row = extendedRow(uint32_t(instruction));
    return instruction == GLSLstd450Ldexp || (row != nullptr && row->like == kResult);
}

const FloatForm* floatForm(spv::Op opcode) {
    const auto* found = std::ranges::find(kFloatForms, opcode, &FloatForm::ofIntegers);
    return found == std::end(kFloatForms) ? nullptr : found;
}

}  // namespace coopvk::rewrite

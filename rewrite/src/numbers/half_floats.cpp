// SPDX-License-Identifier: Apache-2.0
#include "numbers/half_floats.hpp"

#include "ir/arithmetic_decorations.hpp"
#include "lowering/words.hpp"
#include "numbers/half_code.hpp"

namespace coopvk::rewrite {

namespace {

using enum spv::Op;

// Instructions that are the same on f32. Their results are rounded if they are half floats.
constexpr spv::Op kComputed[] = {
    // Arithmetic; OpDot and OpFNegate are not here.
    OpFAdd, OpFSub, OpFMul, OpFDiv, OpFRem, OpFMod, OpVectorTimesScalar, OpMatrixTimesScalar,
    OpVectorTimesMatrix, OpMatrixTimesVector, OpMatrixTimesMatrix, OpOuterProduct, OpTranspose,
    // Comparisons.
    OpIsNan, OpIsInf, OpFOrdEqual, OpFUnordEqual, OpFOrdNotEqual, OpFUnordNotEqual, OpFOrdLessThan,
    OpFUnordLessThan, OpFOrdGreaterThan, OpFUnordGreaterThan, OpFOrdLessThanEqual,
    OpFUnordLessThanEqual, OpFOrdGreaterThanEqual, OpFUnordGreaterThanEqual,
    // Derivatives.
    OpDPdx, OpDPdy, OpFwidth, OpDPdxFine, OpDPdyFine, OpFwidthFine, OpDPdxCoarse, OpDPdyCoarse,
    OpFwidthCoarse,
    // Subgroups. The order of reductions is the device's, and so is when they round.
    OpGroupNonUniformAllEqual, OpSubgroupAllEqualKHR, OpGroupNonUniformFAdd, OpGroupNonUniformFMul,
    OpGroupNonUniformFMin, OpGroupNonUniformFMax};

constexpr spv::Op kMoved[] = {
    OpGroupNonUniformBroadcast,     OpGroupNonUniformBroadcastFirst, OpGroupNonUniformShuffle,
    OpGroupNonUniformShuffleXor,    OpGroupNonUniformShuffleUp,      OpGroupNonUniformShuffleDown,
    OpGroupNonUniformQuadBroadcast, OpGroupNonUniformQuadSwap,       OpGroupNonUniformRotateKHR,
    OpSubgroupReadInvocationKHR,    OpSubgroupFirstInvocationKHR};

bool hasHalves(const NumbersContext& context, const HalfCode& code, const Instruction& i) {
    return code.isHalf(i.type) || std::ranges::any_of(i.operands, [&](const Operand& operand) {
               return operand.isId && code.isHalf(context.module.def(operand.word).type);
           });
}

bool negateHalf(NumbersContext& context, Emitter& emit, const Instruction& i) {
    HalfCode code(context, emit);
    if (!code.isHalf(i.type)) return false;
    finish(context, emit, i, Bits(emit, code.integers(i.type)).flip(i.word(0), 0x8000));
    return true;
}

}  // namespace

bool lowerHalfArithmetic(NumbersContext& context, Emitter& emit, const Instruction& i) {
    HalfCode code(context, emit);
    if (!hasHalves(context, code, i)) return false;
    Operands operands = i.operands;
    for (Operand& operand : operands) {
        if (operand.isId) operand.word = code.decode(operand.word);
    }
    if (!code.isHalf(i.type)) {
        emit.op(i.opcode, i.type, std::move(operands), i.result);
        return true;
    }
    const Id value = emit.op(i.opcode, code.f32Type(i.type), std::move(operands));
    ArithmeticDecorations(context.module, i.result).addTo(value);
    finish(context, emit, i, code.encode(i.type, value));
    return true;
}

bool movesHalves(spv::Op opcode) { return std::ranges::find(kMoved, opcode) != std::end(kMoved); }

void addHalfArithmetic(OpcodeTable<NumbersFunction>& table) {
    table.add<lowerHalfArithmetic>(kComputed);
    table.add<negateHalf>({OpFNegate});
    table.add<lowerHalfGlsl>({OpExtInst});
}

void dropHalfModes(Module& module) {
    using enum spv::ExecutionMode;
    constexpr std::pair<spv::ExecutionMode, spv::Capability> kModes[] = {
        {DenormPreserve, spv::Capability::DenormPreserve},
        {DenormFlushToZero, spv::Capability::DenormFlushToZero},
        {SignedZeroInfNanPreserve, spv::Capability::SignedZeroInfNanPreserve},
        {RoundingModeRTE, spv::Capability::RoundingModeRTE},
        {RoundingModeRTZ, spv::Capability::RoundingModeRTZ}};
    InstructionList& modes = module.section(Section::kExecutionModes);
    for (const auto& [mode, capability] : kModes) {
        const auto isOfMode = [wanted = static_cast<uint32_t>(mode)](const InstructionPtr& i) {
            return i->opcode == OpExecutionMode && i->word(1) == wanted;
        };
        const auto isOfHalves = [&](const InstructionPtr& i) {
            return isOfMode(i) && i->word(2) == 16;
        };
        if (std::erase_if(modes, isOfHalves) != 0 && std::ranges::none_of(modes, isOfMode)) {
            module.removeCapability(capability);
        }
    }
}

}  // namespace coopvk::rewrite

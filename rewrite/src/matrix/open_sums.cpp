// SPDX-License-Identifier: Apache-2.0
#include "matrix/open_sums.hpp"

#include "matrix/packs.hpp"

namespace coopvk::rewrite {

namespace {

// Adding it changes no number, not even a zero of either sign.
constexpr double kMinusZero = -0.0;

// Closes sums of two f16.
Id addHalves(Emitter& emit, const MatrixType& matrix, std::span<const Id> sums) {
    std::vector<Id> even, odd;
    for (Id sum : sums) {
        const std::vector<Id> sides = emit.parts(sum);
        even.push_back(sides[0]);
        odd.push_back(sides[1]);
    }
    return emit.op(spv::Op::OpFAdd, matrix.pack,
                   {emit.join(matrix.pack, even), emit.join(matrix.pack, odd)});
}

}  // namespace

std::vector<Id> closeSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> sums) {
    TypeTable& types = emit.types();
    std::vector<Id> packs;
    const uint32_t width = matrix.fragment.packWidth;
    for (size_t first = 0; first < sums.size(); first += width) {
        const std::span<const Id> group = sums.subspan(first, width);
        packs.push_back(matrix.sums == Sums::kHalves
                            ? addHalves(emit, matrix, group)
                            : emit.op(spv::Op::OpFConvert, matrix.pack,
                                      {emit.join(types.vectorType(matrix.sum, width), group)}));
    }
    return packs;
}

std::vector<Id> openSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> packs) {
    std::vector<Id> sums;
    for (Id pack : packs) {
        for (Id component : emit.parts(pack)) sums.push_back(openSum(emit, matrix, component));
    }
    return sums;
}

Id closeSum(Emitter& emit, const MatrixType& matrix, Id sum, Id result) {
    const bool isPair = matrix.sums == Sums::kHalves;
    return emit.op(isPair ? spv::Op::OpFAdd : spv::Op::OpFConvert, matrix.component,
                   idOperands(emit.parts(sum)), result);
}

Id openSum(Emitter& emit, const MatrixType& matrix, Id component) {
    if (matrix.sums == Sums::kSingles) {
        return emit.op(spv::Op::OpFConvert, matrix.sum, {component});
    }
    const Id minusZero = emit.types().constantFloat(matrix.component, kMinusZero);
    return emit.construct(matrix.sum, std::initializer_list<Id>{component, minusZero});
}

bool lowerSumAccess(MatrixContext& context, Emitter& emit, Instruction& instruction) {
    const bool isLoad = instruction.opcode == spv::Op::OpLoad;
    const auto found = context.sumPointers.find(instruction.word(0));
    if (found == context.sumPointers.end()) return false;
    const MatrixType& matrix = *found->second;
    if (isLoad) {
        const Id sum = emit.op(spv::Op::OpLoad, matrix.sum, instruction.operands);
        closeSum(emit, matrix, sum, instruction.result);
        return true;
    }
    instruction.operands[1] = idOperand(openSum(emit, matrix, instruction.word(1)));
    return false;
}

}  // namespace coopvk::rewrite

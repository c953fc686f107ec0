// SPDX-License-Identifier: Apache-2.0
#include "matrix/open_sums.hpp"

#include "matrix/packs.hpp"

namespace coopvk::rewrite {

namespace {

// Added to a number, minus zero changes none, zeros of either sign included.
constexpr double kNothing = -0.0;

void define(Emitter& emit, spv::Op opcode, Id type, Id result, std::initializer_list<Id> ids) {
    Operands operands;
    for (Id id : ids) operands.push_back(idOperand(id));
    emit.add(makeInstruction(opcode, type, result, std::move(operands)));
}

std::vector<Id> parts(Emitter& emit, Id component, Id pack) {
    const uint32_t count = emit.types().components(emit.typeOf(pack));
    if (count == 1) return {pack};
    std::vector<Id> out;
    for (uint32_t i = 0; i < count; ++i) out.push_back(emit.extract(component, pack, {i}));
    return out;
}

Id together(Emitter& emit, Id component, std::span<const Id> scalars) {
    if (scalars.size() == 1) return scalars[0];
    const auto count = static_cast<uint32_t>(scalars.size());
    return emit.construct(emit.types().vectorType(component, count), scalars);
}

// Of two f16 each.
Id addHalves(Emitter& emit, const MatrixType& matrix, std::span<const Id> sums) {
    std::vector<Id> sides[2];
    for (Id sum : sums) {
        for (uint32_t side = 0; side < 2; ++side) {
            sides[side].push_back(emit.extract(matrix.component, sum, {side}));
        }
    }
    return emit.op(
        spv::Op::OpFAdd, matrix.pack,
        {together(emit, matrix.component, sides[0]), together(emit, matrix.component, sides[1])});
}

}  // namespace

std::vector<Id> extractSums(Emitter& emit, const MatrixType& matrix, Id value) {
    std::vector<Id> sums;
    sums.reserve(matrix.length());
    for (uint32_t e = 0; e < matrix.length(); ++e) {
        sums.push_back(emit.extract(matrix.sum, value, {e}));
    }
    return sums;
}

Id constructFromSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> sums, Id result) {
    if (result == 0) result = emit.module().takeId();
    emit.add(makeInstruction(spv::Op::OpCompositeConstruct, matrix.id, result, idOperands(sums)));
    return result;
}

std::vector<Id> closeSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> sums) {
    std::vector<Id> packs;
    const uint32_t width = matrix.fragment.packWidth;
    for (size_t first = 0; first < sums.size(); first += width) {
        const std::span<const Id> some = sums.subspan(first, width);
        packs.push_back(matrix.sums == Sums::kHalves ? addHalves(emit, matrix, some)
                                                     : emit.op(spv::Op::OpFConvert, matrix.pack,
                                                               {together(emit, matrix.sum, some)}));
    }
    return packs;
}

std::vector<Id> openSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> packs) {
    std::vector<Id> sums;
    for (Id pack : packs) {
        for (Id component : parts(emit, matrix.component, pack)) {
            sums.push_back(openSum(emit, matrix, component));
        }
    }
    return sums;
}

Id closeSum(Emitter& emit, const MatrixType& matrix, Id sum, Id result) {
    if (result == 0) result = emit.module().takeId();
    if (matrix.sums == Sums::kHalves) {
        const Id even = emit.extract(matrix.component, sum, {0});
        const Id odd = emit.extract(matrix.component, sum, {1});
        define(emit, spv::Op::OpFAdd, matrix.component, result, {even, odd});
    } else {
        define(emit, spv::Op::OpFConvert, matrix.component, result, {sum});
    }
    return result;
}

Id openSum(Emitter& emit, const MatrixType& matrix, Id component) {
    if (matrix.sums == Sums::kSingles) {
        return emit.op(spv::Op::OpFConvert, matrix.sum, {component});
    }
    const Id nothing = emit.types().constantFloat(matrix.component, kNothing);
    return emit.construct(matrix.sum, std::initializer_list<Id>{component, nothing});
}

bool lowerSumAccess(MatrixContext& context, Emitter& emit, const Instruction& instruction) {
    const bool isLoad = instruction.opcode == spv::Op::OpLoad;
    if (!isLoad && instruction.opcode != spv::Op::OpStore) return false;
    const auto found = context.sumPointers.find(instruction.word(0));
    if (found == context.sumPointers.end()) return false;
    const MatrixType& matrix = *found->second;
    Operands operands = instruction.operands;
    if (isLoad) {
        closeSum(emit, matrix, emit.op(spv::Op::OpLoad, matrix.sum, std::move(operands)),
                 instruction.result);
    } else {
        operands[1] = idOperand(openSum(emit, matrix, instruction.word(1)));
        emit.opVoid(spv::Op::OpStore, std::move(operands));
    }
    return true;
}

}  // namespace coopvk::rewrite

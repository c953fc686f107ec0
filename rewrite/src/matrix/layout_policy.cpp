// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "ir/entry_point.hpp"
#include "ir/memory_operands.hpp"
#include "lowering/number.hpp"
#include "matrix/layout.hpp"
#include "matrix/like_accumulators.hpp"
#include "matrix/matrix_types.hpp"

namespace coopvk::rewrite {

namespace {

// What the policy depends on.
struct Survey {
    // Accesses in row major order minus those in column major order; of loads by use.
    int rowMajorLoads[3] = {0, 0, 0};
    int rowMajorStores = 0;
    bool loadsColumnsOfB = false;  // loads a B in column major order
    bool multipliesIntoHalf = false;
    bool multipliesHalfIntoSingle = false;
    uint32_t rows = ~0u;       // largest power of two that divides the height of A and accumulators
    uint32_t columns = ~0u;    // largest power of two that divides the width of B
    uint32_t storedBits = 32;  // of the narrowest component that is stored
};

class Surveyor {
 public:
    Surveyor(const Module& module, const TypeTable& types) : module_(module), types_(types) {}

    Survey run() {
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) measure(*i);
        module_.visitBlocks([&](const Instruction& i) { visit(i); });
        return survey_;
    }

 private:
    void measure(const Instruction& type) {
        const std::optional<MatrixDimensions> d = matrixDimensions(module_, type);
        if (!d || !d->isOfSubgroup()) return;
        if (d->use == Use::kB)
            survey_.columns = std::min(survey_.columns, largestPowerOfTwoIn(d->columns));
        else
            survey_.rows = std::min(survey_.rows, largestPowerOfTwoIn(d->rows));
    }

    // 1: row major, -1: column major, 0: not known.
    int direction(Id layout) const {
        const std::optional<uint64_t> value = module_.constantValue(layout);
        return !value ? 0 : *value == 0 ? 1 : -1;
    }

    // The same for a tensor. Neighbours in its last dimension are neighbours in memory. Whether
    // they are neighbours in a row of the matrix depends on the view's permutation.
    int tensorDirection(const Instruction& i) const {
        const std::span<const Operand> further = operandsBehind(i, 3);
        const std::span<const Operand> addressing = further.subspan(memoryOperandCount(further));
        const auto hasView = static_cast<uint32_t>(spv::TensorAddressingOperandsMask::TensorView);
        if (addressing.size() < 2 || (addressing[0].word & hasView) == 0) return 1;
        const Instruction& view = module_.def(module_.def(addressing[1].word).type);
        const size_t dimensions = std::max<size_t>(view.operands.size(), 3) - 2;
        return module_.constantValue(view.word(dimensions + 1)) == dimensions - 1 ? 1 : -1;
    }

    void visitLoad(const Instruction& i, int direction) {
        const auto d = matrixDimensions(module_, module_.def(i.type));
        if (!d) return;
        survey_.rowMajorLoads[static_cast<size_t>(d->use)] += direction;
        survey_.loadsColumnsOfB |= d->use == Use::kB && direction < 0;
    }

    void visitStore(const Instruction& i, int direction) {
        const Instruction& type = module_.def(module_.def(i.word(1)).type);
        survey_.rowMajorStores += direction;
        const uint32_t bits = heldBits(types_, type.word(0));  // 0: the object is not a matrix
        if (bits != 0) survey_.storedBits = std::min(survey_.storedBits, bits);
    }

    void visit(const Instruction& i) {
        if (i.opcode == spv::Op::OpCooperativeMatrixLoadKHR) {
            visitLoad(i, direction(i.word(1)));
        } else if (i.opcode == spv::Op::OpCooperativeMatrixStoreKHR) {
            visitStore(i, direction(i.word(2)));
        } else if (i.opcode == spv::Op::OpCooperativeMatrixLoadTensorNV) {
            visitLoad(i, tensorDirection(i));
        } else if (i.opcode == spv::Op::OpCooperativeMatrixStoreTensorNV) {
            visitStore(i, tensorDirection(i));
        } else if (i.opcode == spv::Op::OpCooperativeMatrixMulAddKHR) {
            const Id component = module_.def(i.type).word(0);
            const Id factor = module_.def(module_.def(i.word(0)).type).word(0);
            if (!types_.isFloat(component)) return;
            survey_.multipliesIntoHalf |= types_.isHalf(component);
            survey_.multipliesHalfIntoSingle |=
                types_.width(component) == 32 && heldBits(types_, factor) == 16;
        }
    }

    const Module& module_;
    const TypeTable& types_;
    Survey survey_;
};

// On CPUs a subgroup is a vector register. A load becomes one load for each lane if lanes load from
// different addresses. With all lanes in one grid column, all lanes load the same element of B,
// which is one load. More lanes than a matrix has rows would be duplicates.
Grid cpuGrid(uint32_t subgroupSize, const Survey& survey) {
    const uint32_t rows = std::min(subgroupSize, survey.rows);
    return {rows, subgroupSize / rows};
}

// For B in row major order with pairs along K: where a lane has one column, a GPU loads both halves
// of a pair to their places in a register. With more columns in a lane, it would load pairs along N
// and split them. A grid of more columns has fewer rows, and so more of A in each lane than
// registers hold.
Grid gridOfColumns(uint32_t subgroupSize, const Survey& survey) {
    constexpr uint32_t kMaxColumns = 16;
    const uint32_t columns = std::min({subgroupSize, survey.columns, kMaxColumns});
    return {subgroupSize / columns, columns};
}

// With f16 in pairs along N, A takes fewer registers than B: more rows of lanes share B. Where
// products are sliced along K (chooseSlices()), f32 sums are faster so, too, and f16 sums are not.
bool prefersTallGrid(const Survey& survey, const LayoutPolicy& policy, const Target& target) {
    if (policy.halfPairsAlongK) return false;
    if (!hasManyRegisters(target.device)) return survey.multipliesIntoHalf;
    constexpr uint32_t kPairsOfColumns = 16;  // of a grid that is not tall
    return survey.multipliesIntoHalf ? survey.columns < kPairsOfColumns
                                     : survey.multipliesHalfIntoSingle;
}

void tune(LayoutPolicy& policy, const MatrixTuning& tuning, uint32_t subgroupSize) {
    if (tuning.gridRows) policy.grid = {*tuning.gridRows, subgroupSize / *tuning.gridRows};
    policy.rowBlock = tuning.rowBlock.value_or(policy.rowBlock);
    policy.columnBlock = tuning.columnBlock.value_or(policy.columnBlock);
}

// A grid of a power of two of invocations; one invocation where their number is not known.
Grid workgroupGrid(const Module& module) {
    const uint64_t invocations = invocationsOf(module);
    return invocations == 0 ? Grid{}
                            : makeGrid(std::bit_floor(static_cast<uint32_t>(invocations)), false);
}

Grid cellOf(const Grid& workgroup, uint32_t subgroupSize) {
    return makeGrid(std::min(subgroupSize, workgroup.rows * workgroup.columns), false);
}

}  // namespace

LayoutPolicy choosePolicy(const Module& module, const TypeTable& types, const Target& target) {
    const Survey survey = Surveyor(module, types).run();
    const int a = survey.rowMajorLoads[static_cast<size_t>(Use::kA)];
    const int b = survey.rowMajorLoads[static_cast<size_t>(Use::kB)];
    const int accumulators =
        survey.rowMajorLoads[static_cast<size_t>(Use::kAccumulator)] + survey.rowMajorStores;
    LayoutPolicy policy;
    policy.workgroup = workgroupGrid(module);
    policy.cell = cellOf(policy.workgroup, target.subgroupSize);
    // Mixed dot products read A and B in pairs along K.
    const bool dots = survey.multipliesHalfIntoSingle &&
                      target.device.shaderMixedFloatDotProductFloat16AccFloat32;
    policy.halfPairsAlongK = target.tuning.halfPairsAlongK.value_or(b < 0 || dots);
    // With blocks of 1, neighbouring lanes read neighbouring lines of A and B, which lie in
    // different banks of shared memory. Along a line, a lane reads at once what it holds together.
    policy.rowBlock = (a != 0 ? a : accumulators) > 0 ? 1 : 0;
    if (b < 0) policy.columnBlock = survey.rowMajorStores > 0 ? 32 / survey.storedBits : 1;
    policy.grid = makeGrid(target.subgroupSize, prefersTallGrid(survey, policy, target));
    if (target.device.isCpu)
        policy.grid = cpuGrid(target.subgroupSize, survey);
    else if (dots && b > 0 && !survey.loadsColumnsOfB)
        policy.grid = gridOfColumns(target.subgroupSize, survey);
    tune(policy, target.tuning, target.subgroupSize);
    policy.likeAccumulators = largeTypes(types, policy);
    policy.likeAccumulators.merge(typesLikeAccumulators(module));
    return policy;
}

}  // namespace coopvk::rewrite

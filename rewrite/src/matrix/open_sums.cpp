// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "ir/entry_point.hpp"
#include "ir/opcodes.hpp"
#include "ir/users.hpp"
#include "lowering/number.hpp"
#include "lowering/words.hpp"
#include "matrix/instructions.hpp"
#include "matrix/product.hpp"
#include "matrix/product_loops.hpp"

namespace coopvk::rewrite {

namespace {

// Adding it changes no number, not even a zero of either sign.
constexpr double kMinusZero = -0.0;

// Closes sums of two f16.
Id addHalves(Emitter& emit, const MatrixType& matrix, std::span<const Id> sums) {
    std::vector<Slot> even, odd;
    for (Id sum : sums) {
        even.push_back({sum, 0});
        odd.push_back({sum, 1});
    }
    return emit.op(OpFAdd, matrix.pack,
                   {gather(emit, matrix.component, even), gather(emit, matrix.component, odd)});
}

// Where devices may flush denormals of f16, sums to which nothing was added keep them, by bits: a
// matrix to which no product was added is no operand of arithmetic.

// Fields of f16 and f32; 2^-14 and one half as f32.
constexpr uint32_t kHalfSign = 0x8000, kHalfExponent = 0x7C00, kHalfMantissa = 0x03FF;
constexpr uint32_t kSingleSign = 0x80000000, kSmallestNormalHalf = 0x38800000,
                   kOneHalf = 0x3F000000;

Id closeHalvesByBits(Emitter& emit, const MatrixType& matrix, Id sum, std::optional<Id> result) {
    const std::vector<Id> parts = emit.parts(sum);
    const Id added = emit.op(OpFAdd, matrix.component, idOperands(parts));
    const U32 word(emit, emit.bitcast(emit.types().uint32(), sum));
    const Id isUntouched =
        emit.op(OpIEqual, emit.types().boolType(), {word >> 16, word.same(kHalfSign)});
    return emit.op(OpSelect, matrix.component, {isUntouched, parts[0], added}, result);
}

// Adding one half leaves the number of units, 2^-24, in the last bits.
Id closeSingleByBits(Emitter& emit, const MatrixType& matrix, Id sum, std::optional<Id> result) {
    TypeTable& types = emit.types();
    const Id pair = types.vectorType(matrix.component, 2);
    const U32 word(emit, emit.bitcast(types.uint32(), sum));
    const U32 magnitude = word & ~kSingleSign;
    const Id shifted = emit.exactOp(
        OpFAdd, matrix.sumType,
        {emit.bitcast(matrix.sumType, magnitude), types.constantFloat(matrix.sumType, 0.5)});
    const U32 units = U32(emit, emit.bitcast(types.uint32(), shifted)) + (0u - kOneHalf);
    const Id small = emit.bitcast(pair, units | (word >> 16 & kHalfSign));
    return emit.op(
        OpSelect, matrix.component,
        {(magnitude < kSmallestNormalHalf).id, emit.extract(matrix.component, small, {0}),
         emit.op(OpFConvert, matrix.component, {sum})},
        result);
}

Id openSingleByBits(Emitter& emit, const MatrixType& matrix, Id component) {
    TypeTable& types = emit.types();
    const Id pair = emit.construct(types.vectorType(matrix.component, 2),
                                   std::initializer_list<Id>{component, component});
    const U32 word(emit, emit.bitcast(types.uint32(), pair));
    const Id units = emit.op(OpConvertUToF, matrix.sumType, {word & kHalfMantissa});
    const Id small =
        emit.exactOp(OpFMul, matrix.sumType, {units, types.constantFloat(matrix.sumType, 0x1p-24)});
    const U32 sign = (word & kHalfSign) << 16;
    const U32 bits = U32(emit, emit.bitcast(types.uint32(), small)) | sign;
    const Bool isSmall = (word & kHalfExponent) < 1;
    return emit.select(isSmall.id, emit.bitcast(matrix.sumType, bits),
                       emit.op(OpFConvert, matrix.sumType, {component}));
}

}  // namespace

std::vector<Id> closeSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> sums) {
    TypeTable& types = emit.types();
    std::vector<Id> packs;
    const bool keeps = preservesHalfDenormals(emit.module());
    const uint32_t width = matrix.fragment.packWidth;
    for (size_t first = 0; first < sums.size(); first += width) {
        const std::span<const Id> group = sums.subspan(first, width);
        const auto close = [&](Id sum) { return closeSum(emit, matrix, sum); };
        packs.push_back(!keeps ? emit.join(matrix.pack, listFor(group, close))
                        : matrix.sumForm == SumForm::kHalves
                            ? addHalves(emit, matrix, group)
                            : emit.op(OpFConvert, matrix.pack,
                                      {emit.join(types.vectorType(matrix.sumType, width), group)}));
    }
    return packs;
}

std::vector<Id> openSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> packs) {
    std::vector<Id> sums;
    const uint32_t width = matrix.fragment.packWidth;
    for (Id pack : packs) {
        if (matrix.sumForm == SumForm::kHalves && width > 1) {
            TypeTable& types = emit.types();
            const Id zeros =
                types.constantSplat(matrix.pack, types.constantFloat(matrix.component, kMinusZero));
            for (uint32_t i = 0; i < width; ++i) {
                const Slot slots[] = {{pack, i}, {zeros, 0}};
                sums.push_back(gather(emit, matrix.component, slots));
            }
            continue;
        }
        for (Id component : emit.parts(pack)) sums.push_back(openSum(emit, matrix, component));
    }
    return sums;
}

Id closeSum(Emitter& emit, const MatrixType& matrix, Id sum, std::optional<Id> result) {
    const bool isPair = matrix.sumForm == SumForm::kHalves;
    if (!preservesHalfDenormals(emit.module())) {
        return isPair ? closeHalvesByBits(emit, matrix, sum, result)
                      : closeSingleByBits(emit, matrix, sum, result);
    }
    return emit.op(isPair ? OpFAdd : OpFConvert, matrix.component, idOperands(emit.parts(sum)),
                   result);
}

Id openSum(Emitter& emit, const MatrixType& matrix, Id component) {
    if (matrix.sumForm == SumForm::kSingles) {
        if (!preservesHalfDenormals(emit.module()))
            return openSingleByBits(emit, matrix, component);
        return emit.op(OpFConvert, matrix.sumType, {component});
    }
    const Id minusZero = emit.types().constantFloat(matrix.component, kMinusZero);
    return emit.construct(matrix.sumType, std::initializer_list<Id>{component, minusZero});
}

bool lowerSumAccess(MatrixContext& context, Emitter& emit, Instruction& instruction) {
    const auto found = context.sumPointers.find(instruction.word(0));
    if (found == context.sumPointers.end()) return false;
    const MatrixType& matrix = *found->second;
    if (instruction.opcode == OpLoad) {
        const Id sum = emit.op(OpLoad, matrix.sumType, instruction.operands);
        closeSum(emit, matrix, sum, instruction.result);
        return true;
    }
    instruction.operands[1] = idOperand(openSum(emit, matrix, instruction.word(1)));
    return false;
}

// Which accumulators have open sums.

namespace {

class AccumulatorSurvey {
 public:
    AccumulatorSurvey(const MatrixUses& uses, const TypeTable& types, const LayoutPolicy& policy,
                      const DevicePlan& device)
        : module_(types.module()),
          uses_(uses),
          types_(types),
          policy_(policy),
          device_(device),
          counts_(module_) {}

    std::set<Id> run() {
        for (const MatrixProduct& product : uses_.products()) {
            if (product.isInLoop && multipliesPairs(product) && fits(product)) {
                open_.insert(product.instruction->type);
            }
        }
        for (const MatrixProduct& product : uses_.products()) {
            if (product.roundsOnce) open_.erase(product.instruction->type);
        }
        if (open_.empty()) return {};
        for (const InstructionPtr& i : module_.section(Section::kGlobals)) {
            const bool isAllowed = hasNoValue(i->opcode) || isZero(module_, i->result);
            if (i->type != 0 && !isAllowed) open_.erase(i->type);
        }
        dropByPointers();
        return std::move(open_);
    }

 private:
    // How a matrix of scope Subgroup is distributed whose components are f16, or held as f16;
    // nullopt for all other types. Products of 8-bit floats are large: two f16 in place of a sum
    // may both exceed f16 where their sum does not.
    std::optional<Fragment> halves(Id type) const {
        const Instruction& def = module_.def(type);
        const std::optional<MatrixDimensions> d = matrixDimensions(module_, def);
        const Number* number = d ? numberOf(types_, def.word(0)) : nullptr;
        if (number == nullptr || !d->isOfSubgroup()) return {};
        const bool isHeldSo = number->isSmallFloat() && device_.openSums == SumForm::kSingles;
        if (!number->isHalf() && !isHeldSo) return {};
        return makeFragment(policy_, *d, 16);
    }

    // Whether all matrices are held as f16, the sums are f16, and A and B have pairs along K in
    // packs where arithmetic is in pairs. Products of scalars add to f32 as well as those of pairs.
    bool multipliesPairs(const MatrixProduct& product) const {
        const std::optional<Fragment> a = halves(product.a), b = halves(product.b);
        if (!a || !b) return false;
        const bool arePairs =
            a->packWidth == 2 && b->packWidth == 2 && b->packAxis == PackAxis::kRows;
        const Id sum = product.instruction->type;
        const bool isHalf = types_.isHalf(module_.def(sum).word(0)) && halves(sum);
        return isHalf && (arePairs || !device_.packsHalves) && product.c == sum;
    }

    bool fits(const MatrixProduct& product) {
        const Id sum = product.instruction->type;
        const uint64_t kept = std::max<uint64_t>(1, counts_.maxKept(*product.function, sum));
        return kept * halves(sum)->length() <= device_.maxOpenSums;
    }

    // Drops a type if a pointer to its component is used for more than OpLoad and OpStore.
    void dropByPointers() {
        if (uses_.elementPointers().empty()) return;
        const Users users(module_);
        for (const auto& [pointer, type] : uses_.elementPointers()) {
            const bool isAccessed = users.all(pointer, [&](const Usage& use) {
                const spv::Op opcode = use.user->opcode;
                const bool accesses = opcode == OpLoad || opcode == OpStore;
                return (accesses && use.operand == 0) || isNonSemantic(module_, *use.user);
            });
            if (!isAccessed) open_.erase(type);
        }
    }

    const Module& module_;
    const MatrixUses& uses_;
    const TypeTable& types_;
    const LayoutPolicy& policy_;
    const DevicePlan& device_;
    MatrixCounts counts_;
    std::set<Id> open_;
};

}  // namespace

std::set<Id> openAccumulators(const MatrixUses& uses, const TypeTable& types,
                              const PlannedTarget& target, const LayoutPolicy& policy) {
    const bool mayBeOpen = target.tuning.openSums.value_or(true);
    if (!mayBeOpen || target.device.openSums == SumForm::kClosed) return {};
    return AccumulatorSurvey(uses, types, policy, target.device).run();
}

}  // namespace coopvk::rewrite

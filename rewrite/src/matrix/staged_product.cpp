// SPDX-License-Identifier: Apache-2.0
#include "matrix/staged_product.hpp"

#include <algorithm>

#include "lowering/number.hpp"
#include "matrix/exchange.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

StagedProduct::StagedProduct(MatrixContext& context, FunctionBuilder& function,
                             const MulAdd& product, uint32_t depth, uint32_t words)
    : context_(context),
      types_(context.types),
      f_(function),
      emit_(function.emit()),
      p_(product),
      depth_(depth),
      memory_(context, emit_),
      position_(context.position(emit_.out(), LaneScope::kWorkgroup)) {
    memory_.use(words);
}

void StagedProduct::forEachSlice(const std::function<void(Id start)>& stage,
                                 const std::function<void()>& multiply, bool leavesLast) {
    const auto stageAt = [&](Id start) {
        memory_.barrier();
        stage(start);
        memory_.barrier();
    };
    const uint32_t slices = p_.a->columns / depth_ - (leavesLast ? 1 : 0);
    f_.loopAbove(1, slices, [&](Id slice) {
        stageAt(emit_.times(slice, depth_));
        multiply();
    });
    if (leavesLast) stageAt(emit_.constant(slices * depth_));
}

GridPosition& StagedProduct::positionOf(const MatrixType& m) {
    if (!m.fragment.run) return position_;
    const auto found = inRuns_.find(m.id);
    if (found != inRuns_.end()) return found->second;
    return inRuns_.emplace(m.id, context_.position(emit_.out(), m.fragment)).first->second;
}

void StagedProduct::forEachBlock(const MatrixType& matrix, Dimension k, Id start, Condition stores,
                                 const std::function<void(uint32_t block, Id inSlice)>& body) {
    const Axis& axis = matrix.fragment.axis(k);
    for (uint32_t block = 0; block < axis.count(); block += blockOf(axis)) {
        const Id index = positionOf(matrix).indexOn(emit_, k, axis, block);
        const Id inSlice = emit_.op(OpISub, types_.uint32(), {index, start});
        Condition stored = stores;
        if (depth_ < axis.size) {
            const Condition isIn = emit_.compare(OpULessThan, inSlice, emit_.constant(depth_));
            stored = emit_.both(stores, isIn);
        }
        f_.when(stored, [&] { body(block, inSlice); });
    }
}

namespace {

// The type of sums that are scalars of type `component`.
MatrixType scalarSums(TypeTable& types, const MatrixType& result, Id component) {
    MatrixType sum = result;
    sum.component = component;
    sum.number = numberOf(types, component);
    sum.fragment.packWidth = sum.packWidth = 1;
    sum.pack = component;
    sum.id = types.arrayType(component, sum.count);
    return sum;
}

// The most open sums of a lane, each of which takes a register: half of the registers that each of
// a workgroup's invocations has if the workgroup has a multiprocessor for itself.
uint32_t maxOpenSums(const DevicePlan& device, uint32_t invocations) {
    const uint32_t share = device.registersOfWorkgroup / std::max(1u, invocations);
    return std::min(device.registersOfLane, share) / 2;
}

// Whether sums are faster if they are open. Then both factors are pairs along K, and no instruction
// multiplies two numbers by one half of a pair, which NVIDIA's GPUs do at half the rate
// (docs/benchmarks.md, "Pairs along K"). GPUs with subgroups of several sizes have fewer registers
// for each lane of the larger ones, and functions that decode elements need registers, too.
bool prefersOpenSums(const MatrixContext& context, const MatrixType& result) {
    const DevicePlan& device = context.target.device;
    return device.opensWorkgroupSums &&
           !context.module.hasCapability(spv::Capability::CooperativeMatrixBlockLoadsNV) &&
           result.length() <= maxOpenSums(device, context.invocations);
}

MatrixType openSumsOf(TypeTable& types, const MatrixType& result) {
    MatrixType sum = result;
    sum.sumForm = SumForm::kHalves;
    sum.sumType = types.vectorType(result.component, 2);
    sum.id = types.arrayType(sum.sumType, sum.length());
    return sum;
}

}  // namespace

WorkgroupPlan planOf(const MatrixContext& context, const MulAdd& p) {
    TypeTable& types = context.types;
    WorkgroupPlan plan;
    plan.a.matrix = p.a;
    plan.b.matrix = p.b;
    plan.b.isA = false;
    plan.sum = *p.result;
    const auto areAll = [&](uint32_t bits) {
        return types.width(p.a->component) == bits && types.width(p.b->component) == bits;
    };
    const bool areHalves = !p.roundsOnce && types.isHalf(p.a->component) &&
                           types.isHalf(p.b->component) && types.isHalf(p.result->component);
    if (!types.isFloat(p.result->component)) {
        // Four bytes along K, for dot products.
        const bool bytes = areAll(8);
        plan.a.component = bytes ? p.a->component : types.intType(32, p.signs.a);
        plan.b.component = bytes ? p.b->component : types.intType(32, p.signs.b);
        plan.step = plan.a.alongK = plan.b.alongK = bytes ? 4 : 1;
    } else if (areHalves && context.target.device.packsHalves) {
        // Pairs of A along K, and of B along K or along N, for packed arithmetic.
        plan.a.component = plan.b.component = p.a->component;
        plan.step = plan.a.alongK = 2;
        const bool isOpen = prefersOpenSums(context, *p.result);
        (isOpen ? plan.b.alongK : plan.b.alongLine) = 2;
        if (isOpen) plan.sum = openSumsOf(types, *p.result);
    } else {
        plan.a.component = plan.b.component = types.floatType(32);
        plan.sum = scalarSums(types, *p.result, types.floatType(32));
    }
    return plan;
}

bool chooseDepth(MatrixContext& context, WorkgroupPlan& plan, const Instruction& at) {
    const auto wordsOf = [&](uint32_t depth) { return plan.a.words(depth) + plan.b.words(depth); };
    const uint32_t words = workgroupWords(context, at, wordsOf(kWorkgroupBlock));
    if (words == 0) return false;
    const uint32_t k = plan.a.k().size;
    plan.depth = kWorkgroupBlock;
    for (uint32_t depth = kWorkgroupBlock; depth <= k; depth += kWorkgroupBlock) {
        if (k % depth == 0 && wordsOf(depth) <= words) plan.depth = depth;
    }
    plan.b.first = plan.a.words(plan.depth);
    return true;
}

MatrixType stepType(TypeTable& types, const StagedOperand& operand, uint32_t step) {
    const Axis& line = operand.line();
    const Axis whole = {step, 1, step};
    MatrixType type;
    type.component = operand.component;
    type.number = numberOf(types, operand.component);
    type.use = operand.isA ? Use::kA : Use::kB;
    type.rows = operand.isA ? line.size : step;
    type.columns = operand.isA ? step : line.size;
    type.fragment.scope = LaneScope::kWorkgroup;
    type.fragment.rows = operand.isA ? line : whole;
    type.fragment.columns = operand.isA ? whole : line;
    type.fragment.packWidth = operand.alongK * operand.alongLine;
    const bool alongRows = operand.isA ? operand.alongLine > 1 : operand.alongK > 1;
    type.fragment.packAxis = alongRows ? PackAxis::kRows : PackAxis::kColumns;
    describePacks(type, types);
    type.id = types.arrayType(type.pack, type.fragment.packs());
    return type;
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/control_flow.hpp"
#include "matrix/instructions.hpp"
#include "matrix/matrix_uses.hpp"
#include "matrix/product_loops.hpp"
#include "matrix/slices/segments.hpp"

namespace coopvk::rewrite {

namespace {

struct SlicedTypes {
    std::set<Id> types;       // of A and B
    uint32_t wholeDepth = 0;  // columns of A
    uint32_t depth = 0;       // of them in a slice
    bool rolled = false;      // the driver shall not unroll the loop over slices
};

class SliceChooser {
 public:
    SliceChooser(const TypeTable& types, const PlannedTarget& target, const LayoutPolicy& policy,
                 const MatrixUses& uses)
        : module_(types.module()),
          types_(types),
          target_(target),
          policy_(policy),
          uses_(uses),
          survey_(uses_, types,
                  [&](const Instruction& type) { return !policy.isHeldApart(type.result); }, {}),
          open_(openAccumulators(uses_, types, target, policy)),
          matrices_(module_) {}

    std::optional<SlicedTypes> run() {
        for (const MatrixProduct& product : uses_.products()) {
            if (!add(product)) return std::nullopt;
        }
        // 4-bit components take many registers, unless words of them are read as bytes.
        chosen_.rolled |= module_.hasCapability(spv::Capability::Int4CooperativeMatrixINTEL) &&
                          !target_.device.prefersByteDots;
        const auto allows = [&](const MatrixAccess& load) { return loadAllows(load); };
        const auto allAllow = [&] { return std::ranges::all_of(uses_.loads(), allows); };
        while (hasLayoutOfColumn_ && !allAllow() && mayBeDeeper()) {
            chosen_.depth *= 2;
            chosen_.rolled = false;
        }
        if (chosen_.depth == 0 || !allAllow()) return std::nullopt;
        return std::move(chosen_);
    }

 private:
    // In a layout in which a lane has one column, it has so many rows of A that slices of whole
    // pointees, which are deeper than the plan's, spill fewer registers than none. Processors with
    // scalar registers spill none, and are faster without slices.
    bool mayBeDeeper() const {
        const uint32_t deeper = 2 * chosen_.depth;
        return !target_.device.sharesScalars && deeper != 0 && deeper < chosen_.wholeDepth &&
               chosen_.wholeDepth % deeper == 0;
    }

    // False if the product allows no slices, or others than those before it.
    bool add(const MatrixProduct& product) {
        const auto left = matrixDimensions(module_, module_.def(product.a));
        const auto right = matrixDimensions(module_, module_.def(product.b));
        if (!left || !left->isOfSubgroup() || !right || left->columns != right->rows) return false;
        if (!survey_.has(product.a) || !survey_.has(product.b)) return false;
        // The product of each slice would round to 16 bits.
        const Id sum = module_.def(product.instruction->type).word(0);
        if (product.roundsOnce && types_.isFloat(sum) && types_.width(sum) == 16) return false;
        const auto [depth, rolled] = slicesOf(product, *left, *right);
        const uint32_t k = left->columns;
        if (depth == 0 || k <= depth || k % depth != 0) return false;
        const bool isFirst = chosen_.depth == 0;
        if (!isFirst && (chosen_.depth != depth || chosen_.wholeDepth != k)) return false;
        chosen_.depth = depth;
        chosen_.wholeDepth = k;
        chosen_.rolled |= rolled;
        hasLayoutOfColumn_ |= isLayoutOfColumn(*right);
        chosen_.types.insert({product.a, product.b});
        return true;
    }

    Slices slicesOf(const MatrixProduct& product, const MatrixDimensions& left,
                    const MatrixDimensions& right) {
        const Id accumulator = product.instruction->type;
        const Id sum = module_.def(accumulator).word(0);
        const Slices slices = target_.device.slicesFor(
            {.lanes = target_.subgroupSize,
             .factorBits = std::min(survey_.bitsOf(product.a), survey_.bitsOf(product.b)),
             .sumBits = types_.width(sum),
             .depth = left.columns,
             .sums = sumsOfLane(accumulator),
             .areFloats = types_.isFloat(sum),
             .areOpen = open_.contains(accumulator),
             .haveDuplicates = uint64_t{left.rows} * right.columns < target_.subgroupSize,
             .arePairsAlongK = policy_.halfPairsAlongK,
             .haveMixedDots = target_.device.hasMixedDots,
             .haveLayout = isLayoutOfColumn(right)});
        return {target_.tuning.sliceDepth.value_or(slices.depth),
                target_.tuning.rollSlices.value_or(slices.rolled)};
    }

    bool isLayoutOfColumn(const MatrixDimensions& right) const {
        return policy_.elementLayout != ElementLayout::kFree &&
               right.columns <= policy_.grid.columns;
    }

    // The most components of a type of accumulator that a variable keeps in each lane.
    uint64_t sumsOfLane(Id type) {
        const auto [known, isNew] = sums_.try_emplace(type, 0);
        if (isNew) known->second = countSums(type);
        return known->second;
    }
    uint64_t countSums(Id type) {
        const auto d = matrixDimensions(module_, module_.def(type));
        uint64_t kept = 1;
        for (const auto& function : module_.functions()) {
            if (function->blocks.empty()) continue;
            kept = std::max(kept, matrices_.maxKept(*function, type));
        }
        return d ? kept * d->rows * d->columns / target_.subgroupSize : 0;
    }

    // Whether a load of a sliced type is from shared memory, and each of its slices starts at a
    // whole pointee.
    bool loadAllows(const MatrixAccess& access) const {
        if (!chosen_.types.contains(access.type)) return true;
        const Instruction& load = *access.instruction;
        const Instruction& type = module_.def(access.type);
        const auto d = matrixDimensions(module_, type);
        if (!access.along || !d || load.operands.size() < 3) return false;
        // From other memory, it is faster if lanes load long lines at once.
        if (module_.storage(load.word(0)) != spv::StorageClass::Workgroup) return false;
        const bool acrossLines = (access.along == Dimension::kColumns) == (d->use == Use::kB);
        const Id pointee = module_.pointee(load.word(0));
        const uint32_t bits = types_.width(pointee) * types_.components(pointee);
        const uint32_t step = chosen_.depth * types_.width(type.word(0));
        return acrossLines || (bits != 0 && step % bits == 0);
    }

    const Module& module_;
    const TypeTable& types_;
    const PlannedTarget& target_;
    const LayoutPolicy& policy_;
    const MatrixUses& uses_;
    const FactorSurvey survey_;
    const std::set<Id> open_;
    MatrixCounts matrices_;
    std::map<Id, uint64_t> sums_;  // of a lane, by type
    SlicedTypes chosen_;
    bool hasLayoutOfColumn_ = false;
};

// Chooses the types that may be loaded in slices, and the depth that suits the device; nullopt: it
// wants no slices, or a product or load allows none.
std::optional<SlicedTypes> chooseSlices(const TypeTable& types, const PlannedTarget& target,
                                        const LayoutPolicy& policy, const MatrixUses& uses) {
    return SliceChooser(types, target, policy, uses).run();
}

bool isInside(const Segment& s, Position at) { return s.begin <= at && at < s.end; }

// Whether the segment's blocks can be split at its ends, and no value that it computes is used
// outside.
bool canRepeat(const Function& function, const Users& users, const Segment& segment) {
    const Block& first = *function.blocks[segment.begin.block];
    const Block& last = *function.blocks[segment.end.block];
    if (isLoopHeader(first) || isLoopHeader(last)) return false;
    const auto isUsedInside = [&](const Usage& use) { return isInside(segment, use.position); };
    for (Position p = segment.begin; p < segment.end;) {
        const InstructionList& body = function.blocks[p.block]->body;
        if (p.at == body.size()) {
            p = {p.block + 1, 0};
        } else if (!users.all(body[p.at++]->result, isUsedInside)) {
            return false;
        }
    }
    return true;
}

struct SlicedSegment {
    Function* function;
    Segment segment;
    std::set<const Instruction*> executed;

    bool calls(const Function& callee) const {
        return std::ranges::any_of(executed, [&](const Instruction* i) {
            return i->opcode == OpFunctionCall && i->word(0) == callee.id();
        });
    }
};

// Finds segments that together execute all loads of sliced types, and all products.
class SegmentSearch {
 public:
    SegmentSearch(const Module& module, const FunctionFacts& facts, const std::set<Id>& sliced)
        : module_(module), sliced_(sliced), facts_(facts) {}

    // Empty where there are no such segments.
    std::vector<SlicedSegment> run() {
        for (const auto& function : module_.functions()) {
            const std::vector<Segment> segments = findSegments(facts_, *function);
            if (segments.empty()) continue;
            const Users users(*function);
            for (const Segment& segment : segments) consider(*function, users, segment);
        }
        return isComplete() ? std::move(found_) : std::vector<SlicedSegment>();
    }

 private:
    void consider(Function& function, const Users& users, const Segment& segment) {
        if (overlaps(function, segment) || !canRepeat(function, users, segment)) return;
        const auto executed = executedInSlices(module_, facts_, sliced_, function, segment);
        if (!executed) return;
        const SlicedSegment found = {&function, segment, *executed};
        if (std::ranges::any_of(found_, [&](const auto& f) { return areNested(found, f); })) return;
        found_.push_back(found);
        executed_.insert(executed->begin(), executed->end());
    }

    // A loop over slices around another one would add each product several times.
    static bool areNested(const SlicedSegment& one, const SlicedSegment& other) {
        return one.calls(*other.function) || other.calls(*one.function);
    }

    bool overlaps(const Function& function, const Segment& s) const {
        return std::ranges::any_of(found_, [&](const SlicedSegment& f) {
            return f.function == &function && f.segment.begin < s.end && s.begin < f.segment.end;
        });
    }

    bool isSliced(const Instruction& i) const {
        return i.opcode == OpCooperativeMatrixMulAddKHR ||
               (i.opcode == OpCooperativeMatrixLoadKHR && sliced_.contains(i.type));
    }

    // Whether no such instruction is executed elsewhere, and functions that segments call are
    // called only by them.
    bool isComplete() const {
        std::set<Id> called;
        for (const Instruction* i : executed_) {
            if (facts_.usesMatrices(*i)) called.insert(i->word(0));
        }
        bool isComplete = !found_.empty();
        module_.visitBlocks([&](const Instruction& i) {
            const bool isCall = i.opcode == OpFunctionCall;
            const bool matters = isCall ? called.contains(i.word(0)) : isSliced(i);
            if (matters && !executed_.contains(&i)) isComplete = false;
        });
        return isComplete;
    }

    const Module& module_;
    const std::set<Id>& sliced_;
    const FunctionFacts& facts_;
    std::vector<SlicedSegment> found_;
    std::set<const Instruction*> executed_;
};

// Sets DontUnroll on the innermost loop around a segment.
void keepLoopRolled(const BlockGraph& graph, const SlicedSegment& found) {
    const Loop* loop = graph.loopOf(found.segment.begin.block);
    while (loop != nullptr && !graph.isInside(*loop, found.segment.end.block)) loop = loop->around;
    if (loop == nullptr) return;
    Instruction& merge = *mergeOf(*found.function->blocks[loop->header]);
    constexpr auto kUnroll = static_cast<uint32_t>(spv::LoopControlMask::Unroll);
    if ((merge.word(2) & ~kUnroll) == 0) {
        merge.operands[2] = literal(spv::LoopControlMask::DontUnroll);
    }
}

struct SliceLoop {
    uint32_t count = 0;
    Id number = 0;  // u32 variable to which each iteration stores its number
    spv::LoopControlMask control = spv::LoopControlMask::MaskNone;
};

// Puts a loop around each of the segments of a function.
class Repeater {
 public:
    Repeater(TypeTable& types, Function& function, const SliceLoop& loop)
        : function_(function), loop_(loop), editor_(types, function) {}

    void run(std::span<const Segment> segments) {
        editor_.beginBlock(*function_.blocks.front());
        for (const Segment& segment : segments) {
            keepUntil(segment.begin);
            editor_.loop(
                loop_.count,
                [&](Id index) {
                    editor_.emit().store(loop_.number, index);
                    keepUntil(segment.end);
                },
                loop_.control);
        }
        keepUntil({function_.blocks.size(), 0});
        editor_.finish();
    }

 private:
    void keepUntil(Position end) {
        while (at_ < end) {
            InstructionList& body = function_.blocks[at_.block]->body;
            if (at_.at < body.size()) {
                editor_.keep(std::move(body[at_.at++]));
                continue;
            }
            editor_.endBlock();
            at_ = {at_.block + 1, 0};
            if (at_.block < function_.blocks.size()) {
                editor_.beginBlock(*function_.blocks[at_.block]);
            }
        }
    }

    Function& function_;
    const SliceLoop& loop_;
    FunctionEditor editor_;
    Position at_;
};

void repeatAll(TypeTable& types, std::vector<SlicedSegment> found, const SliceLoop& loop) {
    std::ranges::sort(found, {}, [](const SlicedSegment& f) { return f.segment.begin; });
    for (const auto& function : types.module().functions()) {
        std::vector<Segment> segments;
        for (const SlicedSegment& f : found) {
            if (f.function == function.get()) segments.push_back(f.segment);
        }
        if (!segments.empty()) Repeater(types, *function, loop).run(segments);
    }
}

// Reduces the columns of A, or the rows of B, to `depth`.
void narrow(TypeTable& types, Id matrix, uint32_t depth) {
    Instruction& type = *types.module().edit(matrix);
    const auto d = matrixDimensions(types.module(), type);
    const size_t size = d->use == Use::kA ? 3 : 2;
    type.operands[size] = idOperand(types.constantU32(depth));
}

}  // namespace

ProductSlices sliceProducts(TypeTable& types, const PlannedTarget& target,
                            const LayoutPolicy& policy, const MatrixUses& uses) {
    Module& module = types.module();
    const std::optional<SlicedTypes> chosen = chooseSlices(types, target, policy, uses);
    if (!chosen) return {};
    const FunctionFacts facts(module);
    const std::vector<SlicedSegment> found = SegmentSearch(module, facts, chosen->types).run();
    if (found.empty()) return {};
    const Id number =
        globalVariable(types, spv::StorageClass::Private, types.uint32(), "coopvk_slice");
    ProductSlices slices = {.number = number};
    for (const Id matrix : chosen->types) slices.depths[matrix] = chosen->depth;
    const SliceLoop loop = {
        chosen->wholeDepth / chosen->depth, slices.number,
        chosen->rolled ? spv::LoopControlMask::DontUnroll : spv::LoopControlMask::Unroll};
    for (const SlicedSegment& f : found) {
        if (chosen->rolled) keepLoopRolled(facts.graph(*f.function), f);
    }
    repeatAll(types, found, loop);
    for (const Id matrix : chosen->types) narrow(types, matrix, chosen->depth);
    types.rescan();
    return slices;
}

}  // namespace coopvk::rewrite

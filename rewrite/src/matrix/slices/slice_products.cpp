// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/control_flow.hpp"
#include "matrix/matrix_uses.hpp"
#include "matrix/slices/segments.hpp"

namespace coopvk::rewrite {

namespace {

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
        found_.push_back({&function, segment});
        executed_.insert(executed->begin(), executed->end());
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

// SPDX-License-Identifier: Apache-2.0
#include "matrix/slices/slice_products.hpp"

#include <algorithm>

#include "matrix/matrix_types.hpp"
#include "matrix/slices/repetition.hpp"

namespace coopvk::rewrite {

namespace {

using spv::Op;

struct Found {
    Function* function;
    Segment segment;
};

// Finds segments that together execute all loads of sliced types, and all products.
class Search {
 public:
    Search(Module& module, const std::set<Id>& sliced)
        : module_(module), sliced_(sliced), facts_(module), repetition_(module, facts_, sliced) {}

    // Empty where there are no such segments.
    std::vector<Found> run() {
        for (const auto& function : module_.functions()) {
            for (const Segment& segment : findSegments(facts_, *function)) {
                consider(*function, segment);
            }
        }
        return isComplete() ? std::move(found_) : std::vector<Found>();
    }

 private:
    void consider(Function& function, const Segment& segment) {
        if (overlaps(function, segment)) return;
        if (!canRepeat(function, segment) || !repetition_.holds(function, segment)) return;
        found_.push_back({&function, segment});
        executed_.insert(repetition_.executed().begin(), repetition_.executed().end());
    }

    bool overlaps(const Function& function, const Segment& s) const {
        return std::ranges::any_of(found_, [&](const Found& f) {
            return f.function == &function && f.segment.begin < s.end && s.begin < f.segment.end;
        });
    }

    bool isSliced(const Instruction& i) const {
        return i.opcode == Op::OpCooperativeMatrixMulAddKHR ||
               (i.opcode == Op::OpCooperativeMatrixLoadKHR && sliced_.contains(i.type));
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
            const bool isCall = i.opcode == Op::OpFunctionCall;
            const bool matters = isCall ? called.contains(i.word(0)) : isSliced(i);
            if (matters && !executed_.contains(&i)) isComplete = false;
        });
        return isComplete;
    }

    Module& module_;
    const std::set<Id>& sliced_;
    FunctionFacts facts_;
    Repetition repetition_;
    std::vector<Found> found_;
    std::set<const Instruction*> executed_;
};

// Reduces the columns of A, or the rows of B, to `depth`.
void narrow(TypeTable& types, Id matrix, uint32_t depth) {
    Instruction& type = *types.module().edit(matrix);
    const auto d = matrixDimensions(types.module(), type);
    const size_t size = d->use == Use::kA ? 3 : 2;
    type.operands[size] = idOperand(types.constantU32(depth));
}

}  // namespace

ProductSlices sliceProducts(TypeTable& types, const Target& target, const LayoutPolicy& policy) {
    Module& module = types.module();
    const SlicedTypes chosen = chooseSlices(types, target, policy);
    if (chosen.depth == 0) return {};
    std::vector<Found> found = Search(module, chosen.types).run();
    if (found.empty()) return {};
    const Id number =
        globalVariable(types, spv::StorageClass::Private, types.uint32(), "coopvk_slice");
    const ProductSlices slices = {chosen.types, chosen.depth, number};
    const SliceLoop loop = {
        chosen.wholeDepth / chosen.depth, slices.number,
        chosen.rolled ? spv::LoopControlMask::DontUnroll : spv::LoopControlMask::Unroll};
    // From the last one on, since a change moves the places behind it.
    std::ranges::sort(
        found, [](const Found& a, const Found& b) { return a.segment.begin > b.segment.begin; });
    for (const Found& f : found) {
        if (chosen.rolled) keepLoopRolled(*f.function, f.segment);
        repeat(types, *f.function, f.segment, loop);
    }
    for (const Id matrix : chosen.types) narrow(types, matrix, chosen.depth);
    types.rescan();
    return slices;
}

}  // namespace coopvk::rewrite

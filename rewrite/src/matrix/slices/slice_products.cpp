// SPDX-License-Identifier: Apache-2.0
#include "matrix/slices/slice_products.hpp"

#include <algorithm>

#include "matrix/matrix_types.hpp"
#include "matrix/slices/repetition.hpp"
#include "matrix/slices/slice_loop.hpp"
#include "matrix/slices/sliced_types.hpp"

namespace coopvk::rewrite {

namespace {

using spv::Op;

struct Found {
    Function* function;
    Segment segment;
};

// The segments that together execute all loads and products of those types.
class Search {
 public:
    Search(Module& module, const std::set<Id>& sliced)
        : module_(module), sliced_(sliced), facts_(module), repetition_(module, facts_, sliced) {}

    // Empty where there are none.
    std::vector<Found> run() {
        for (const auto& function : module_.functions()) {
            for (const Segment& segment : findSegments(module_, facts_, *function)) {
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
        met_.insert(repetition_.met().begin(), repetition_.met().end());
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

    // Nothing is executed elsewhere; of what segments call, only they are the callers.
    bool isComplete() const {
        std::set<Id> called;
        for (const Instruction* i : met_) {
            if (i->opcode == Op::OpFunctionCall && facts_.touchesMatrices(*i))
                called.insert(i->word(0));
        }
        bool isComplete = !found_.empty();
        module_.visitBlocks([&](const Instruction& i) {
            const bool isCall = i.opcode == Op::OpFunctionCall;
            const bool matters = isCall ? called.contains(i.word(0)) : isSliced(i);
            if (matters && !met_.contains(&i)) isComplete = false;
        });
        return isComplete;
    }

    Module& module_;
    const std::set<Id>& sliced_;
    FunctionFacts facts_;
    Repetition repetition_;
    std::vector<Found> found_;
    std::set<const Instruction*> met_;
};

// A has fewer columns, B fewer rows.
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
    // From the back: places ahead of a change stay.
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

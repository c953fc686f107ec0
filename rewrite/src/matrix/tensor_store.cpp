// SPDX-License-Identifier: Apache-2.0
#include "lowering/number.hpp"
#include "matrix/tensor_memory.hpp"
#include "matrix/tensor_transfer.hpp"

namespace coopvk::rewrite {

namespace {

class TensorStore : TensorTransfer {
 public:
    TensorStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store,
                const MatrixType& matrix, const TensorOperands& operands)
        : TensorTransfer(context, writer, store, matrix, operands),
          elements_(context, emit_, store, matrix, operands.pointer, operands.memory),
          object_(matrix, emit_, operands.object) {
        run_ = elements_.valid() ? longestRun(kTensorRunBytes * 8 / matrix.number->bits) : run_;
        if (run_.length > 1) runsFit_ = elements_.hasRuns(emit_, run_.length);
        if (runsFit_ == 0) run_ = {};
    }

    bool valid() const { return elements_.valid(); }

    void run() {
        writer_.guarded(writer_.isNoDuplicate(matrix_), [&] {
            byAddress(
                [&] {
                    TensorWalk walk(writer_, matrix_, kMostTensorAccesses, run_);
                    storeRuns(walk);
                },
                [&] {
                    TensorWalk walk(writer_, matrix_, kMostTensorAccesses);
                    store(walk, [&](const Visit& visit) { visitSeparable(walk, visit); });
                },
                [&] {
                    TensorWalk walk(writer_, matrix_, kMostTensorPlaces);
                    store(walk, [&](const Visit& visit) { visitAny(walk, visit); });
                });
        });
    }

 private:
    void store(const TensorWalk& walk, const std::function<void(const Visit&)>& visitAll) {
        HeldElements held = object_;
        const Id array = walk.isRolled() ? componentArray() : 0;
        if (array != 0) spill(held, array);
        visitAll([&](const TensorPart& place, Id element) {
            writer_.guarded(emit_.both(place.isKept, place.inside), [&] {
                const Slot one[] = {array == 0 ? slotOf(held, element) : Slot{}};
                const Id value =
                    array == 0 ? gather(emit_, matrix_.component, one)
                               : emit_.load(matrix_.component, componentPointer(array, element));
                elements_.store(emit_, place.index, value);
            });
        });
    }

    void storeRuns(TensorWalk& walk) {
        HeldElements held = object_;
        const Id array = walk.isRolled() ? componentArray() : 0;
        if (array != 0) spill(held, array);
        visitSeparable(walk, [&](const TensorPart& place, Id element) {
            writer_.guarded(place.inside, [&] {
                std::vector<Slot> components;
                for (uint32_t i = 0; i < run_.length; ++i) {
                    const Id at = inRun(element, i);
                    components.push_back(
                        array == 0
                            ? slotOf(held, at)
                            : Slot{emit_.load(matrix_.component, componentPointer(array, at)), 0});
                }
                elements_.storeRun(emit_, place.index, components);
            });
        });
    }

    TensorElements elements_;
    HeldElements object_;
};

}  // namespace

void lowerTensorStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store) {
    const MatrixType* matrix = tensorMatrix(context, store, store.word(1));
    if (matrix == nullptr) return;
    const std::optional<TensorOperands> operands = tensorOperands(context, store);
    if (!operands) return;
    if (operands->decode != 0 || operands->decodeVector != 0) {
        context.fail(ErrorCode::kInvalidModule, store, "a store takes no DecodeFunc");
        return;
    }
    TensorStore lowering(context, writer, store, *matrix, *operands);
    if (lowering.valid()) lowering.run();
}

}  // namespace coopvk::rewrite

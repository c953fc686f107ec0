// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeMatrixStoreTensorNV.
#include "matrix/instructions.hpp"
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
        chooseRuns(elements_);
    }

    bool valid() const { return elements_.valid(); }

    void run() {
        const auto storeRun = [&](const TensorPart& place, std::span<const Slot> components) {
            elements_.storeRun(emit_, place.index, components);
        };
        const auto storeOne = [&](const TensorPart& place, std::span<const Slot> components) {
            elements_.store(emit_, place.index, gather(emit_, matrix_.component, components));
        };
        const auto separable = [&](TensorWalk& walk, const Visit& visit) {
            visitSeparable(walk, visit);
        };
        const auto any = [&](TensorWalk& walk, const Visit& visit) { visitAny(walk, visit); };
        writer_.guarded(writer_.isNoDuplicate(matrix_), [&] {
            byAddress([&] { store(run_, kMaxTensorAccesses, separable, storeRun); },
                      [&] { store({}, kMaxTensorAccesses, separable, storeOne); },
                      [&] { store({}, kMaxTensorPlaces, any, storeOne); });
        });
    }

 private:
    // write(place, components) stores a run.
    void store(TensorRun run, uint32_t maxUnrolled,
               const std::function<void(TensorWalk&, const Visit&)>& visitAll,
               const std::function<void(const TensorPart&, std::span<const Slot>)>& write) {
        TensorWalk walk(writer_, matrix_, maxUnrolled, run);
        HeldElements held = object_;
        const Id array = walk.isRolled() ? componentArray() : 0;
        if (array != 0) spill(held, array);
        visitAll(walk, [&](const TensorPart& place, Id element) {
            writer_.guarded(emit_.both(place.isKept, place.inside), [&] {
                std::vector<Slot> components;
                for (uint32_t i = 0; i < run.length; ++i) {
                    const Id at = inRun(element, i);
                    components.push_back(
                        array == 0
                            ? slotOf(held, at)
                            : Slot{emit_.load(matrix_.component, componentPointer(array, at)), 0});
                }
                write(place, components);
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

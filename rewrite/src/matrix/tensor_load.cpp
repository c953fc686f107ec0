// SPDX-License-Identifier: Apache-2.0
#include "lowering/number.hpp"
#include "matrix/tensor_memory.hpp"
#include "matrix/tensor_transfer.hpp"

namespace coopvk::rewrite {

namespace {

class TensorLoad : TensorTransfer {
 public:
    TensorLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load,
               const MatrixType& matrix, const TensorOperands& operands)
        : TensorTransfer(context, writer, load, matrix, operands), operands_(operands) {
        if (operands.decode != 0) {
            const TensorLayoutType& layout =
                *context.tensors.layoutOf(context.module, operands.layout);
            decode_.emplace(context, emit_, load, matrix, layout, operands.decode,
                            operands.pointer);
            prepareVectors(layout);
        } else {
            elements_.emplace(context, emit_, load, matrix, operands.pointer, operands.memory);
            run_ =
                elements_->valid() ? longestRun(kTensorRunBytes * 8 / matrix.number->bits) : run_;
            if (run_.length > 1) runsFit_ = elements_->hasRuns(emit_, run_.length);
            if (runsFit_ == 0) run_ = {};
        }
    }

    bool valid() const {
        if (vectors_ && !vectors_->valid()) return false;
        return decode_ ? decode_->valid() : elements_->valid();
    }

    void run() {
        clampValue_ = clampValue();
        const Id result = writer_.variable(matrix_.id);
        byAddress([&] { runs(result); }, [&] { separable(result); }, [&] { any(result); });
        emit_.add(makeInstruction(spv::Op::OpLoad, matrix_.id, at_.result, {idOperand(result)}));
    }

 private:
    // Its low bits, as a component.
    Id clampValue() {
        const Id u32 = types_.uint32();
        std::vector<Slot> words = {{address_.clampValue(), 0}};
        if (types_.width(matrix_.component) == 64) words.push_back({emit_.constant(0), 0});
        return scalarOf(emit_, matrix_.component, regroup(emit_, words, u32, matrix_.component)[0]);
    }

    Id read(const TensorPart& place) {
        return decode_ ? decode_->call(emit_, place) : elements_->load(emit_, place.index);
    }

    // The function for vectors, where a lane holds as many neighbours as it makes. Long vectors are
    // left to the other one.
    void prepareVectors(const TensorLayoutType& layout) {
        const Module& module = context_.module;
        const Id function = operands_.decodeVector;
        if (function == 0) return;
        const uint32_t length = types_.components(module.def(function).type);
        if (length != 2 && length != 4) return;
        run_ = longestRun(length);
        if (run_.length != length) {
            run_ = {};
            return;
        }
        vectors_.emplace(context_, emit_, at_, matrix_, layout, function, operands_.pointer, true);
    }

    std::vector<Slot> readRun(const TensorPart& place) {
        if (!vectors_) return elements_->loadRun(emit_, place.index);
        const Id values[] = {vectors_->call(emit_, place)};
        return slotsOf(emit_, values);
    }

    // Runs are inside or outside as a whole.
    std::vector<Slot> readRunInside(const TensorPart& place) {
        if (place.inside == 0) return readRun(place);
        if (vectors_) {
            const Id type = types_.vectorType(matrix_.component, run_.length);
            const Id outside = emit_.splat(type, clampValue_);
            const Id values[] = {writer_.chosenValue(
                type, place.inside, [&] { return vectors_->call(emit_, place); },
                [&] { return outside; })};
            return slotsOf(emit_, values);
        }
        std::vector<Slot> components = readRun(place);
        for (Slot& slot : components) {
            const Id component = scalarOf(emit_, matrix_.component, slot);
            slot = {emit_.op(spv::Op::OpSelect, matrix_.component,
                             {place.inside, component, clampValue_}),
                    0};
        }
        return components;
    }

    void runs(Id result) {
        TensorWalk walk(writer_, matrix_, vectors_ ? kMostDecodeCalls : kMostTensorAccesses, run_);
        HeldElements held(matrix_);
        const Id array = walk.isRolled() ? componentArray() : 0;
        visitSeparable(walk, [&](const TensorPart& place, Id element) {
            const std::vector<Slot> components = readRunInside(place);
            for (uint32_t i = 0; i < components.size(); ++i) {
                const Id at = inRun(element, i);
                if (array == 0) {
                    slotOf(held, at) = components[i];
                } else {
                    emit_.store(componentPointer(array, at),
                                scalarOf(emit_, matrix_.component, components[i]));
                }
            }
        });
        if (array != 0) fill(held, array);
        emit_.store(result, held.construct(matrix_, emit_));
    }

    // Only where it is inside.
    Id readInside(const TensorPart& place) {
        if (place.inside == 0) return read(place);
        return writer_.chosenValue(
            matrix_.component, place.inside, [&] { return read(place); },
            [&] { return clampValue_; });
    }

    // What is outside has an address inside, too.
    Id readClamped(const TensorPart& place) {
        if (decode_ || place.inside == 0) return readInside(place);
        return emit_.op(spv::Op::OpSelect, matrix_.component,
                        {place.inside, read(place), clampValue_});
    }

    void separable(Id result) {
        // Beside calls for vectors, one call is enough: it is for layouts that seldom occur.
        const uint32_t mostCalls = vectors_ ? 1 : kMostDecodeCalls;
        TensorWalk walk(writer_, matrix_, decode_ ? mostCalls : kMostTensorAccesses);
        HeldElements held(matrix_);
        const Id array = walk.isRolled() ? componentArray() : 0;
        visitSeparable(walk, [&](const TensorPart& place, Id element) {
            const Id value = readClamped(place);
            if (array == 0) {
                slotOf(held, element) = {value, 0};
            } else {
                emit_.store(componentPointer(array, element), value);
            }
        });
        if (array != 0) fill(held, array);
        emit_.store(result, held.construct(matrix_, emit_));
    }

    void any(Id result) {
        TensorWalk walk(writer_, matrix_, kMostTensorPlaces);
        const Id array = componentArray();
        if (operands_.view != 0) {
            HeldElements object(matrix_, emit_, operands_.object);
            spill(object, array);
        }
        visitAny(walk, [&](const TensorPart& place, Id element) {
            writer_.guarded(place.isKept, [&] {
                emit_.store(componentPointer(array, element), readInside(place));
            });
        });
        HeldElements held(matrix_);
        fill(held, array);
        emit_.store(result, held.construct(matrix_, emit_));
    }

    const TensorOperands& operands_;
    std::optional<TensorElements> elements_;
    std::optional<TensorDecode> decode_, vectors_;
    Id clampValue_ = 0;
};

}  // namespace

void lowerTensorLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load) {
    const MatrixType* matrix = tensorMatrix(context, load, load.word(1));
    if (matrix == nullptr) return;
    if (matrix->id != load.type) {
        context.fail(ErrorCode::kInvalidModule, load, "the type of Object must be Result Type");
        return;
    }
    const std::optional<TensorOperands> operands = tensorOperands(context, load);
    if (!operands) return;
    TensorLoad lowering(context, writer, load, *matrix, *operands);
    if (lowering.valid()) lowering.run();
}

}  // namespace coopvk::rewrite

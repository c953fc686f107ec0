// SPDX-License-Identifier: Apache-2.0
#include "matrix/tensor_memory.hpp"

#include "matrix/tensor_transfer.hpp"

namespace coopvk::rewrite {

namespace {

// Elements whose accesses follow each other without a loop: of those with separable addresses, of
// all others, and of calls of decode functions, all of which drivers inline.
constexpr uint32_t kMostLoads = 512;
constexpr uint32_t kMostPlaces = 16;
constexpr uint32_t kMostCalls = 16;

class TensorLoad : TensorTransfer {
 public:
    TensorLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load,
               const MatrixType& matrix, const TensorOperands& operands)
        : TensorTransfer(context, writer, load, matrix, operands), operands_(operands) {
        if (operands.decode != 0) {
            decode_.emplace(context, emit_, load, matrix,
                            *context.tensors.layoutOf(context.module, operands.layout),
                            operands.decode, operands.pointer);
        } else {
            elements_.emplace(context, emit_, load, matrix, operands.pointer, operands.memory);
        }
    }

    bool valid() const { return decode_ ? decode_->valid() : elements_->valid(); }

    void run() {
        clampValue_ = clampValue();
        const Id result = writer_.variable(matrix_.id);
        byAddress([&] { separable(result); }, [&] { any(result); });
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
        TensorWalk walk(writer_, matrix_, decode_ ? kMostCalls : kMostLoads);
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
        TensorWalk walk(writer_, matrix_, kMostPlaces);
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
    std::optional<TensorDecode> decode_;
    Id clampValue_ = 0;
};

class TensorStore : TensorTransfer {
 public:
    TensorStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store,
                const MatrixType& matrix, const TensorOperands& operands)
        : TensorTransfer(context, writer, store, matrix, operands),
          elements_(context, emit_, store, matrix, operands.pointer, operands.memory),
          object_(matrix, emit_, operands.object) {}

    bool valid() const { return elements_.valid(); }

    void run() {
        writer_.guarded(writer_.isNoDuplicate(matrix_), [&] {
            byAddress(
                [&] {
                    TensorWalk walk(writer_, matrix_, kMostLoads);
                    store(walk, [&](const Visit& visit) { visitSeparable(walk, visit); });
                },
                [&] {
                    TensorWalk walk(writer_, matrix_, kMostPlaces);
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

    TensorElements elements_;
    HeldElements object_;
};

// nullptr, and an error, where the value is no matrix that tensors can hold.
const MatrixType* matrixOf(MatrixContext& context, const Instruction& at, Id object) {
    const MatrixType* matrix = context.matrixOfValue(object);
    if (matrix == nullptr) {
        context.fail(ErrorCode::kInvalidModule, at, "Object is not a cooperative matrix");
    } else if (matrix->isConverted()) {
        context.fail(ErrorCode::kUnsupported, at, "tensors of 4-bit components are not emulated");
        matrix = nullptr;
    }
    return matrix;
}

}  // namespace

void lowerTensorLoad(MatrixContext& context, MatrixWriter& writer, const Instruction& load) {
    const MatrixType* matrix = matrixOf(context, load, load.word(1));
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

void lowerTensorStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store) {
    const MatrixType* matrix = matrixOf(context, store, store.word(1));
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

void lowerTensorSetting(MatrixContext& context, Emitter& emit, const Instruction& i) {
    lowerTensorValue(context, context.tensors, emit, i);
}

void dropTensorDeclarations(Module& module) {
    using enum spv::Capability;
    for (const spv::Capability capability :
         {TensorAddressingNV, CooperativeMatrixTensorAddressingNV, CooperativeMatrixBlockLoadsNV,
          CooperativeMatrixDecodeVectorNV}) {
        module.removeCapability(capability);
    }
    module.removeExtension("SPV_NV_tensor_addressing");
    module.removeExtension("SPV_NV_cooperative_matrix_decode_vector");
}

}  // namespace coopvk::rewrite

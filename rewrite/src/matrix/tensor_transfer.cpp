// SPDX-License-Identifier: Apache-2.0
#include "matrix/tensor_transfer.hpp"

#include "lowering/number.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

namespace {

TensorAccess accessOf(const MatrixContext& context, const Instruction& at, const MatrixType& matrix,
                      const TensorOperands& operands) {
    TensorAccess access;
    access.layout = context.tensors.layoutOf(context.module, operands.layout);
    access.view = context.tensors.viewOf(context.module, operands.view);
    access.rows = matrix.rows;
    access.columns = matrix.columns;
    access.isStore = at.opcode == spv::Op::OpCooperativeMatrixStoreTensorNV;
    access.isDecoded = operands.decode != 0;
    return access;
}

}  // namespace

std::optional<TensorOperands> tensorOperands(MatrixContext& context, const Instruction& at) {
    TensorOperands operands;
    operands.pointer = at.word(0);
    operands.object = at.word(1);
    operands.layout = at.word(2);
    operands.memory = MemoryOperands(operandsBehind(at, 3));
    const std::span<const Operand> addressing = tensorAddressing(at);
    const auto fails = [&](std::string_view what) {
        context.fail(ErrorCode::kInvalidModule, at, what);
        return std::nullopt;
    };
    if (addressing.empty()) return fails("Tensor Addressing Operands are missing");
    using Mask = spv::TensorAddressingOperandsMask;
    size_t next = 1;
    uint32_t left = addressing[0].word;
    const auto take = [&](Mask bit, Id& id) {
        if ((left & static_cast<uint32_t>(bit)) == 0) return;
        left &= ~static_cast<uint32_t>(bit);
        if (next < addressing.size()) id = addressing[next++].word;
    };
    take(Mask::TensorView, operands.view);
    take(Mask::DecodeFunc, operands.decode);
    take(Mask::DecodeVectorFunc, operands.decodeVector);
    if (left != 0) return fails("Tensor Addressing Operands have bits that are not known");
    if (context.tensors.layoutOf(context.module, operands.layout) == nullptr) {
        return fails("TensorLayout is not a tensor layout");
    }
    if (operands.view != 0 && context.tensors.viewOf(context.module, operands.view) == nullptr) {
        return fails("TensorView is not a tensor view");
    }
    return operands;
}

const MatrixType* tensorMatrix(MatrixContext& context, const Instruction& at, Id object) {
    const MatrixType* matrix = context.matrixOfValue(object);
    if (matrix == nullptr) {
        context.fail(ErrorCode::kInvalidModule, at, "Object is not a cooperative matrix");
    } else if (matrix->hasFourBits()) {
        context.fail(ErrorCode::kUnsupported, at, "tensors of 4-bit components are not emulated");
        matrix = nullptr;
    }
    return matrix;
}

TensorTransfer::TensorTransfer(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                               const MatrixType& matrix, const TensorOperands& operands)
    : context_(context),
      types_(context.types),
      writer_(writer),
      emit_(writer.emit()),
      at_(at),
      matrix_(matrix),
      address_(context, writer.emit(), accessOf(context, at, matrix, operands), operands.layout,
               operands.view) {}

void TensorTransfer::byAddress(const std::function<void()>& runs,
                               const std::function<void()>& separable,
                               const std::function<void()>& any) {
    const Id isSeparable = address_.isSeparable();
    if (isSeparable == 0) return any();
    const auto parts = [&] {
        if (run_.length == 1) return separable();
        writer_.chosen(
            emit_.both(runsFit_, address_.hasRuns(run_.length)), [&] { inRuns(runs); }, separable);
    };
    writer_.chosen(isSeparable, parts, any);
}

Id TensorTransfer::condition() {
    const Id isSeparable = address_.isSeparable();
    if (isSeparable == 0 || run_.length == 1) return isSeparable;
    return emit_.both(emit_.both(isSeparable, runsFit_), address_.hasRuns(run_.length));
}

void TensorTransfer::inRuns(const std::function<void()>& emitRuns) {
    address_.setRuns(run_.length);
    emitRuns();
    address_.setRuns(1);
}

TensorRun TensorTransfer::longestRun(uint32_t max) const {
    const std::optional<bool> alongRow = address_.runsAlongRows();
    if (!alongRow) return {};
    const Axis& axis = *alongRow ? matrix_.fragment.columns : matrix_.fragment.rows;
    uint32_t length = max;
    while (axis.run() % length != 0) length /= 2;
    return {length, *alongRow};
}

void TensorTransfer::chooseRuns(TensorElements& elements) {
    if (elements.valid()) run_ = longestRun(kTensorRunBytes * 8 / matrix_.number->bits);
    if (run_.length > 1) runsFit_ = elements.hasRuns(emit_, run_.length);
    if (runsFit_ == 0) run_ = {};
}

Id TensorTransfer::inRun(Id first, uint32_t i) const {
    return emit_.plus(first, run_.alongRow ? i : i * matrix_.fragment.columns.count());
}

void TensorTransfer::visitSeparable(TensorWalk& walk, const Visit& visit) {
    walk.run([&](Id row) { return address_.ofRow(row); },
             [&](Id column) { return address_.ofColumn(column); },
             [&](const TensorPart& row, const TensorPart& column, Id element) {
                 visit(TensorAddress::join(emit_, row, column), element);
             });
}

void TensorTransfer::visitAny(TensorWalk& walk, const Visit& visit) {
    const auto coordinate = [](Id value) {
        TensorPart part;
        part.coordinate = value;
        return part;
    };
    walk.run(coordinate, coordinate,
             [&](const TensorPart& row, const TensorPart& column, Id element) {
                 visit(address_.ofElement(row.coordinate, column.coordinate), element);
             });
}

Id TensorTransfer::componentArray() {
    return writer_.variable(types_.arrayType(matrix_.component, matrix_.length()));
}

Id TensorTransfer::componentPointer(Id array, Id element) {
    return emit_.chain(matrix_.component, {array, element});
}

Slot& TensorTransfer::slotOf(HeldElements& held, Id element) {
    return held.slots[static_cast<size_t>(context_.module.constantValue(element).value_or(0))];
}

void TensorTransfer::spill(HeldElements& held, Id array) {
    for (uint32_t e = 0; e < matrix_.length(); ++e) {
        emit_.store(componentPointer(array, emit_.constant(e)),
                    scalarOf(emit_, matrix_.component, held.slots[e]));
    }
}

void TensorTransfer::fill(HeldElements& held, Id array) {
    for (uint32_t e = 0; e < matrix_.length(); ++e) {
        const Id pointer = componentPointer(array, emit_.constant(e));
        held.slots[e] = {emit_.load(matrix_.component, pointer), 0};
    }
}

// OpCooperativeMatrixStoreTensorNV.

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

// SPDX-License-Identifier: Apache-2.0
//
// What loads and stores by tensor addresses have in common; OpCooperativeMatrixStoreTensorNV.
#include "lowering/number.hpp"
#include "matrix/instructions.hpp"
#include "matrix/tensor_elements.hpp"

namespace coopvk::rewrite {

namespace {

TensorAccess accessOf(const MatrixContext& context, const Instruction& at, const MatrixType& matrix,
                      const TensorOperands& operands) {
    TensorAccess access;
    access.layout = context.tensors.layoutOf(context.module, operands.layout);
    if (operands.view) access.view = context.tensors.viewOf(context.module, *operands.view);
    access.rows = matrix.rows;
    access.columns = matrix.columns;
    access.isStore = at.opcode == OpCooperativeMatrixStoreTensorNV;
    access.isDecoded = operands.decode.has_value();
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
        context.invalid(at, what);
        return std::nullopt;
    };
    if (addressing.empty()) return fails("Tensor Addressing Operands are missing");
    using Mask = spv::TensorAddressingOperandsMask;
    size_t next = 1;
    uint32_t left = addressing[0].word;
    const auto take = [&](Mask bit, std::optional<Id>& id) {
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
    if (operands.view && context.tensors.viewOf(context.module, *operands.view) == nullptr) {
        return fails("TensorView is not a tensor view");
    }
    return operands;
}

const MatrixType* tensorMatrix(MatrixContext& context, const Instruction& at, Id object) {
    const MatrixType* matrix = context.matrixOfValue(object);
    if (matrix == nullptr) {
        context.invalid(at, "Object is not a cooperative matrix");
    } else if (matrix->hasFourBits()) {
        context.unsupported(at, "tensors of 4-bit components are not emulated");
        matrix = nullptr;
    }
    return matrix;
}

TensorTransfer::TensorTransfer(MatrixContext& context, MatrixWriter& writer, const Instruction& at,
                               const MatrixType& matrix, const TensorOperands& operands)
    : MatrixCode(context, writer),
      at_(at),
      matrix_(matrix),
      address_(context, writer.emit(), accessOf(context, at, matrix, operands), operands.layout,
               operands.view) {}

void TensorTransfer::byAddress(const std::function<void()>& runs,
                               const std::function<void()>& separable,
                               const std::function<void()>& any) {
    if (device().prefersShortCode) {
        const Condition isFastest = condition();
        if (isFastest.isNever()) return any();
        return writer_.choose(
            isFastest, [&] { run_.length == 1 ? separable() : inRuns(runs); }, any);
    }
    const Condition isSeparable = address_.isSeparable();
    if (isSeparable.isNever()) return any();
    const auto parts = [&] {
        if (run_.length == 1) return separable();
        writer_.choose(
            emit_.both(runsFit_, address_.hasRuns(run_.length)), [&] { inRuns(runs); }, separable);
    };
    writer_.choose(isSeparable, parts, any);
}

TensorWalk TensorTransfer::walkRuns(uint32_t most) {
    return {writer_, matrix_, most, run_, loops(false)};
}

uint32_t TensorTransfer::maxLoads(uint32_t length) const {
    const uint32_t most = device().maxTensorLoads;
    if (!device().prefersShortCode || matrix_.length() / length <= most) return most;
    const uint32_t width = matrix_.packWidth;
    const bool areWhole = length > 1 && stepInRun() == matrix_.packStep && length % width == 0;
    return std::max(1u, most / (areWhole ? length / width : length * width));
}

TensorWalk TensorTransfer::walkSeparable(uint32_t most) {
    const bool isRare = run_.length != 1 && !context_.tiles.hasTiles();
    const uint32_t unrolled = isRare ? std::min(most, device().maxRareAccesses) : most;
    // Loops of loads may be unrolled: RADV indexes the array by a ladder of branches in a loop.
    const bool isStore = at_.opcode == OpCooperativeMatrixStoreTensorNV;
    return {writer_, matrix_, unrolled, {}, loops(isRare && isStore)};
}

// A loop for few elements takes more registers than the same without one
// (docs/lab/2026-11-benchmarks.md, "Code size").
TensorWalk TensorTransfer::walkAny() {
    const uint32_t most = device().maxTensorPlaces;
    const bool isRare = !address_.isSeparable().isNever() && !context_.tiles.hasTiles() &&
                        matrix_.length() > 2 * most;
    return {writer_, matrix_, isRare ? 1 : most, {}, loops(isRare)};
}

Condition TensorTransfer::condition() {
    Condition condition = address_.isSeparable();
    if (run_.length != 1) {
        condition = emit_.both(emit_.both(condition, runsFit_), address_.hasRuns(run_.length));
    }
    return emit_.known(condition);
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
    while (axis.neighbours() % length != 0) length /= 2;
    return {length, *alongRow};
}

void TensorTransfer::chooseRuns(TensorElements& elements) {
    if (elements.valid()) run_ = longestRun(kTensorRunBytes * 8 / matrix_.number->bits);
    if (run_.length > 1) runsFit_ = elements.hasRuns(emit_, run_.length);
    if (runsFit_.isNever()) run_ = {};
}

Id TensorTransfer::clampValue() {
    std::vector<Slot> words = {{address_.clampValue(), 0}};
    if (types_.width(matrix_.component) == 64) words.push_back({emit_.constant(0), 0});
    const std::vector<Slot> components =
        unpackComponents(emit_, *matrix_.number, words, types_.uint32(), matrix_.component);
    return scalarOf(emit_, matrix_.component, components[0]);
}

Id TensorTransfer::inRun(Id first, uint32_t i) const { return emit_.plus(first, i * stepInRun()); }

void TensorTransfer::visitSeparable(TensorWalk& walk, const Visit& visit) {
    walk.run([&](Id row) { return address_.ofRow(row); },
             [&](Id column) { return address_.ofColumn(column); },
             [&](const TensorPart& row, const TensorPart& column, Id element) {
                 visit(TensorAddress::join(emit_, row, column), element);
             });
}

void TensorTransfer::visitRuns(TensorWalk& walk, TensorElements& elements, const Visit& visit) {
    const Id ahead = elements.runsAhead(emit_);
    visitSeparable(walk, [&](TensorPart place, Id element) {
        place.index = emit_.sum(ahead, emit_.over(place.index, run_.length));
        visit(place, element);
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

Slot& TensorTransfer::slotOf(HeldElements& held, Id element) {
    return held.slots[static_cast<size_t>(context_.module.constantValue(element).value_or(0))];
}

// OpCooperativeMatrixStoreTensorNV.

namespace {

class TensorStore : TensorTransfer {
 public:
    TensorStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store,
                const MatrixType& matrix, const TensorOperands& operands)
        : TensorTransfer(context, writer, store, matrix, operands),
          elements_(context, emit_, store, matrix, operands.pointer, operands.memory) {
        chooseRuns(elements_);
        const auto converted = context.storedConversions.find(object_);
        if (converted == context.storedConversions.end()) return;
        object_ = converted->second;
        held_ = context.matrixOfValue(object_);
    }

    bool valid() const { return elements_.valid(); }

    void run() {
        const uint32_t most =
            context_.tiles.hasTiles() ? device().maxTensorStoresOfTiles : device().maxTensorStores;
        constexpr auto kSeparable = &TensorStore::visitSeparable, kAny = &TensorStore::visitAny;
        writer_.when(writer_.isNoDuplicate(matrix_), [&] {
            byAddress([&] { store(walkRuns(most), &TensorStore::visitMemoryRuns, run_.length); },
                      [&] { store(walkSeparable(most), kSeparable, 1); },
                      [&] { store(walkAny(), kAny, 1); });
        });
    }

 private:
    void visitMemoryRuns(TensorWalk& walk, const Visit& visit) {
        visitRuns(walk, elements_, visit);
    }

    // Stores runs of `length` elements.
    void store(TensorWalk walk, void (TensorStore::*visitAll)(TensorWalk&, const Visit&),
               uint32_t length) {
        std::optional<ElementArray> array;
        HeldElements held(matrix_);
        if (walk.isRolled()) {
            array.emplace(context_, writer_, *held_, ElementArray::Variable::kShared);
            array->fill(object_);
        } else {
            held = HeldElements(*held_, emit_, object_);
        }
        (this->*visitAll)(walk, [&](const TensorPart& place, Id element) {
            writer_.when(emit_.both(place.isKept, place.inside), [&] {
                std::vector<Slot> packs, components;
                if (array) packs = array->loadPacks(element, stepInRun(), length);
                const auto heldAt = [&](uint32_t i) -> Slot {
                    if (!packs.empty()) return packs[i];
                    const Id at = inRun(element, i);
                    return array ? Slot{array->load(at), 0} : slotOf(held, at);
                };
                for (uint32_t i = 0; i < length; ++i) components.push_back(component(heldAt(i)));
                if (length > 1) return elements_.storeRun(emit_, place.index, components);
                elements_.store(emit_, place.index, gather(emit_, matrix_.component, components));
            });
        });
    }

    // Of the matrix that is stored, from one of what is held.
    Slot component(Slot held) {
        if (held_ == &matrix_) return held;
        return {emit_.converted(matrix_.component, scalarOf(emit_, held_->component, held)), 0};
    }

    TensorElements elements_;
    // What the lanes hold: the object, or what is converted to it.
    Id object_ = at_.word(1);
    const MatrixType* held_ = &matrix_;
};

}  // namespace

void lowerTensorStore(MatrixContext& context, MatrixWriter& writer, const Instruction& store) {
    const MatrixType* matrix = tensorMatrix(context, store, store.word(1));
    if (matrix == nullptr) return;
    const std::optional<TensorOperands> operands = tensorOperands(context, store);
    if (!operands) return;
    if (operands->decode || operands->decodeVector) {
        return context.invalid(store, "a store takes no DecodeFunc");
    }
    TensorStore lowering(context, writer, store, *matrix, *operands);
    if (lowering.valid()) lowering.run();
}

}  // namespace coopvk::rewrite

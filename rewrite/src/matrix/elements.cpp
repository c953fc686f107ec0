// SPDX-License-Identifier: Apache-2.0
//
// Composites and element-wise instructions.
#include "ir/opcodes.hpp"
#include "lowering/half_bits.hpp"
#include "lowering/number.hpp"
#include "lowering/packed.hpp"
#include "matrix/instructions.hpp"

namespace coopvk::rewrite {

namespace {

// The result has the bits of the operand's components in memory.
void castSmallFloats(Emitter& emit, const Instruction& i, const MatrixType& from,
                     const MatrixType& to) {
    const std::vector<Slot> slots = slotsOf(from, extractPacks(emit, from, i.word(0)));
    const std::vector<Slot> components =
        castComponents(emit, *from.number, *to.number, slots, from.component, to.component);
    constructFromPacks(emit, to, gatherPacks(emit, to, components), i.result);
}

// Whether arithmetic of two f16 at once is fast, and rounds to nearest even.
bool roundsByHalves(const MatrixContext& context, const MatrixType& from, const MatrixType& to) {
    return roundsHalvesFast(context.target.device) && from.packWidth == 2 &&
           context.types.isHalf(from.component) && to.hasSmallFloats() &&
           canRoundHalves(context.module, *to.number);
}

// Components that are held as f16 are converted from f16. A result is rounded to its format, then
// held as f16.
void convertSmallFloats(MatrixContext& context, Emitter& emit, const Instruction& i,
                        const MatrixType& from, const MatrixType& to) {
    TypeTable& types = emit.types();
    const ArithmeticDecorations decorations(emit.module(), i.result);
    const bool saturates = emit.module().decoration(i.result, kSaturated).has_value();
    std::vector<Id> packs = extractPacks(emit, from, i.word(0));
    for (Id& pack : packs) {
        const Id type = types.vectorType(to.component, from.packWidth);
        if (from.number == to.number) continue;
        if (!to.hasSmallFloats() && emit.typeOf(pack) == type) continue;
        if (roundsByHalves(context, from, to)) {
            pack = roundedHalves(emit, *to.number, pack, saturates);
            continue;
        }
        const Id rounded = types.vectorType(to.format, from.packWidth);
        pack = emit.op(i.opcode, rounded, {pack});
        decorations.addTo(pack);
        if (rounded != type) pack = emit.op(OpFConvert, type, {pack});
    }
    constructFromPacks(emit, to, gatherPacks(emit, to, slotsOf(from, packs)), i.result);
}

// The matrix with open sums that an index leads into; nullptr: it leads into another type.
const MatrixType* openMatrix(const MatrixContext& context, const PackedIndex& index) {
    const MatrixType* matrix = index.type == nullptr ? nullptr : context.matrix(index.type->id);
    return matrix != nullptr && matrix->isOpen() ? matrix : nullptr;
}

}  // namespace

bool lowerMatrixIndices(MatrixContext& context, Emitter& emit, Instruction& i) {
    const PackedIndex index = findPackedIndex(context, i);
    const MatrixType* matrix = openMatrix(context, index);
    if (matrix == nullptr || i.word(index.at) >= matrix->count) {
        return lowerPackedIndices(context, emit, i);
    }
    // The array has an open sum in place of the component.
    if (i.opcode == OpCompositeInsert) {
        i.operands[0] = idOperand(openSum(emit, *matrix, i.word(0)));
        return false;
    }
    closeSum(emit, *matrix, emit.op(i.opcode, matrix->sumType, i.operands), i.result);
    return true;
}

bool lowerMatrixChain(MatrixContext& context, Emitter& emit, Instruction& i) {
    const PackedIndex index = findPackedIndex(context, i);
    if (index.type != nullptr && context.matrix(index.type->id)->tiles) {
        return lowerTileChain(context, emit, i);
    }
    const MatrixType* matrix = openMatrix(context, index);
    if (matrix == nullptr) return lowerPackedChain(context, emit, i);
    i.operands[index.at] = idOperand(elementIndex(context, emit, i, index));
    const spv::StorageClass storage{context.module.def(i.type).word(0)};
    i.type = context.types.pointerType(storage, matrix->sumType);
    context.sumPointers.emplace(i.result, matrix);
    return false;
}

bool lowerMatrixConversion(MatrixContext& context, Emitter& emit, const Instruction& i) {
    const MatrixType* from = context.matrixOfValue(i.word(0));
    const MatrixType* to = context.matrix(i.type);
    if (from == nullptr || to == nullptr || (!from->isConverted() && !to->isConverted())) {
        return lowerElementWise(context, emit, i);
    }
    const bool casts = i.opcode == OpBitcast;
    if (from->shape != to->shape || (casts && from->number->bits != to->number->bits)) {
        context.invalid(i, "operand types do not fit Result Type");
        return true;
    }
    if (from->hasSmallFloats() || to->hasSmallFloats()) {
        casts ? castSmallFloats(emit, i, *from, *to)
              : convertSmallFloats(context, emit, i, *from, *to);
        return true;
    }
    // Components of 4 bits are held in 8 bits, extended as the conversion reads them. A result of 4
    // bits takes the low bits of its operand.
    const bool toSigned = i.opcode == OpSConvert || i.opcode == OpConvertSToF;
    const Id source =
        to->isConverted() ? i.word(0) : withSign(context, emit, *from, i.word(0), toSigned);
    std::vector<Id> packs = extractPacks(emit, *from, source);
    const Id type = context.types.vectorType(to->component, from->packWidth);
    const bool sameWidth =
        context.types.width(from->component) == context.types.width(to->component);
    for (Id& pack : packs) {
        pack = sameWidth ? emit.bitcast(type, pack) : emit.op(i.opcode, type, {pack});
        pack = withSign(emit, *to->number, pack, context.types.isSigned(to->component));
    }
    constructFromPacks(emit, *to, gatherPacks(emit, *to, slotsOf(*from, packs)), i.result);
    return true;
}

void lowerMatrixConstants(MatrixContext& context) {
    for (const InstructionPtr& i : context.module.section(Section::kGlobals)) {
        const MatrixType* type = context.matrix(i->type);
        if (type == nullptr || !type->isOpen()) continue;
        if (!isOneOf(i->opcode, {OpConstantComposite, OpConstantCompositeReplicateEXT,
                                 OpSpecConstantComposite, OpSpecConstantCompositeReplicateEXT})) {
            continue;
        }
        i->opcode = OpConstantNull;  // only zeros: a type with other constants has no open sums
        i->operands.clear();
    }
    lowerPackedConstants(context);
}

GridPosition& MatrixWriter::position(LaneScope scope) {
    std::optional<GridPosition>& position = positions_[static_cast<size_t>(scope)];
    if (!position) {
        position.emplace(matrices_.position(prologue(), scope));
        if (scope == LaneScope::kSubgroup) position->setLane(lane());
    }
    return *position;
}

// In a form that compilers do not simplify to the number, which they would keep.
Id MatrixWriter::derivedLane() {
    GridPosition& products = position(LaneScope::kSubgroup);
    const Id row = products.row(), column = products.column();
    const Id more = emit().addU32(emit().times(row, matrices_.policy.grid.columns + 1), column);
    return emit().op(OpISub, emit().typeOf(row), {more, row});
}

GridPosition& MatrixWriter::position(const MatrixType& m) {
    if (!m.fragment.run && !m.fragment.map) return position(m.fragment.scope);
    const auto found = ownPositions_.find(m.id);
    // In the layout of a GPU accumulators are mostly read behind the loops of products. There the
    // position is computed anew, so that it takes no registers in the loops.
    const bool isHere = m.fragment.map && m.use == Use::kAccumulator;
    if (found != ownPositions_.end() && !isHere) return found->second;
    InstructionList& out = isHere ? emit().out() : prologue();
    if (isHere) ownPositions_.erase(m.id);
    GridPosition& position =
        ownPositions_.emplace(m.id, matrices_.position(out, m.fragment)).first->second;
    const bool isDerived = isHere && matrices_.policy.derivesLanes;
    if (m.fragment.scope == LaneScope::kSubgroup)
        position.setLane(isDerived ? derivedLane() : lane());
    return position;
}

bool MatrixType::isConverted() const { return number->form != nullptr; }
bool MatrixType::hasFourBits() const { return number->bits == 4; }
bool MatrixType::hasSmallFloats() const { return number->isSmallFloat(); }

std::vector<Id> extractPacks(Emitter& emit, const MatrixType& matrix, Id value) {
    const std::vector<Id> parts = emit.parts(value);
    return matrix.isOpen() ? closeSums(emit, matrix, parts) : parts;
}

Id constructFromPacks(Emitter& emit, const MatrixType& matrix, std::span<const Id> packs,
                      std::optional<Id> result) {
    if (matrix.isOpen()) return emit.construct(matrix.id, openSums(emit, matrix, packs), result);
    return emit.construct(matrix.id, packs, result);
}

Id withSign(MatrixContext& context, Emitter& emit, const MatrixType& matrix, Id value,
            bool isSigned) {
    if (!matrix.hasFourBits() || matrix.isInWords ||
        context.types.isSigned(matrix.component) == isSigned) {
        return value;
    }
    std::vector<Id> packs = extractPacks(emit, matrix, value);
    for (Id& pack : packs) pack = withSign(emit, *matrix.number, pack, isSigned);
    return constructFromPacks(emit, matrix, packs);
}

std::vector<Id> MatrixContext::packsOf(Emitter& emit, const PackedType& type, Id value) {
    return extractPacks(emit, matrices.at(type.id), value);
}

void MatrixContext::fromPacks(Emitter& emit, const PackedType& type, std::span<const Id> packs,
                              Id result) {
    constructFromPacks(emit, matrices.at(type.id), packs, result);
}

HeldElements::HeldElements(const MatrixType& matrix, Emitter& emit, Id value)
    : HeldElements(matrix) {
    slots = slotsOf(matrix, extractPacks(emit, matrix, value));
}

Id HeldElements::scalar(Emitter& emit, const MatrixType& matrix, uint32_t row, uint32_t column) {
    Slot& slot = at(row, column);
    slot = {scalarOf(emit, matrix.component, slot), 0};
    return slot.value;
}

Id HeldElements::construct(const MatrixType& matrix, Emitter& emit,
                           std::optional<Id> result) const {
    return constructFromPacks(emit, matrix, gatherPacks(emit, matrix, slots), result);
}

namespace {

// Whether packs are components or vectors of them. Then a loop can reach each component in the
// matrix itself, which is one load or store.
bool canHoldPacks(const MatrixContext& context, const MatrixType& matrix) {
    return !context.tiles.hasTiles() && !matrix.tiles && !matrix.isInWords && !matrix.isOpen() &&
           context.types.scalarOf(matrix.pack) == matrix.component;
}

}  // namespace

ElementArray::ElementArray(MatrixContext& context, MatrixWriter& writer, const MatrixType& matrix,
                           Variable variable)
    : emit_(writer.emit()),
      matrix_(matrix),
      isOfCpu_(context.target.device.prefersShortCode),
      holdsPacks_(canHoldPacks(context, matrix)) {
    const Id type =
        holdsPacks_ ? matrix.id : context.types.arrayType(matrix.component, matrix.length());
    variable_ = variable == Variable::kShared ? writer.sharedVariable(type) : writer.variable(type);
}

Id ElementArray::pointer(Id element) {
    if (!holdsPacks_) return emit_.chain(matrix_.component, {variable_, element});
    const Id line = this->line(element);
    const Id pack = packOf(element, line);
    const uint32_t width = matrix_.packWidth;
    if (width == 1) return emit_.chain(matrix_.component, {variable_, pack});
    return emit_.chain(matrix_.component, {variable_, pack, emit_.modulo(line, width)});
}

// The number of an element's pack, as PackedType::place().
Id ElementArray::packOf(Id element, Id line) {
    const Id first = emit_.times(emit_.over(line, matrix_.packWidth), matrix_.packStep);
    return emit_.addU32(first, emit_.modulo(element, matrix_.packStep));
}

// The pack `pack` of neighbours, of which the first pack has the number `first`.
Id ElementArray::packPointer(Id first, uint32_t pack) {
    return emit_.chain(matrix_.pack, {variable_, emit_.plus(first, pack * matrix_.packStep)});
}

// Lanes of a CPU reach an array one after the other, and a component by loading and storing its
// pack.
bool ElementArray::takesPacks(uint32_t step, size_t count) const {
    return isOfCpu_ && holdsPacks_ && matrix_.packWidth > 1 && step == matrix_.packStep &&
           count % matrix_.packWidth == 0;
}

std::vector<Slot> ElementArray::loadPacks(Id first, uint32_t step, uint32_t count) {
    if (!takesPacks(step, count)) return {};
    std::vector<Id> packs;
    const Id pack = packOf(first, line(first));
    for (uint32_t i = 0; i < count / matrix_.packWidth; ++i) {
        packs.push_back(emit_.load(matrix_.pack, packPointer(pack, i)));
    }
    return slotsOf(emit_, packs);
}

bool ElementArray::storePacks(Id first, uint32_t step, std::span<const Slot> components) {
    if (!takesPacks(step, components.size())) return false;
    const Id pack = packOf(first, line(first));
    const uint32_t width = matrix_.packWidth;
    for (uint32_t i = 0; i < components.size() / width; ++i) {
        emit_.store(packPointer(pack, i),
                    gather(emit_, matrix_.component, components.subspan(i * width, width)));
    }
    return true;
}

void ElementArray::fill(Id matrix) {
    if (holdsPacks_) return emit_.store(variable_, matrix);
    const HeldElements held(matrix_, emit_, matrix);
    for (uint32_t e = 0; e < matrix_.length(); ++e) {
        store(emit_.constant(e), scalarOf(emit_, matrix_.component, held.slots[e]));
    }
}

Id ElementArray::whole(std::optional<Id> result) {
    if (holdsPacks_) {
        return emit_.op(OpLoad, matrix_.id, {variable_}, result);
    }
    HeldElements held(matrix_);
    for (uint32_t e = 0; e < matrix_.length(); ++e) held.slots[e] = {load(emit_.constant(e)), 0};
    return held.construct(matrix_, emit_, result);
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "matrix/composite.hpp"

#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "matrix/open_sums.hpp"
#include "matrix/packs.hpp"

namespace coopvk::rewrite {

namespace {

// Position in `operands` of the index into a matrix, on the way from `type`; nullopt if the
// indices lead into no matrix.
std::optional<size_t> findMatrixIndex(const MatrixContext& context, Id type,
                                      const Operands& operands, size_t first,
                                      const MatrixType*& matrix) {
    const auto isMatrix = [&](Id id) { return context.matrix(id) != nullptr; };
    const std::optional<size_t> at = findIndexInto(context.module, type, operands, first, isMatrix);
    matrix = context.matrix(type);
    return at;
}

// An element that the matrix has not in this layout: the text leaves the outcome open, a driver
// must still get a module that it can compile.
bool dropBeyondLength(Emitter& emit, const Instruction& i, Id composite) {
    if (i.opcode == spv::Op::OpCompositeExtract) {
        emit.add(makeInstruction(spv::Op::OpUndef, i.type, i.result, {}));
    } else {
        emit.add(makeInstruction(spv::Op::OpCopyObject, i.type, i.result, {idOperand(composite)}));
    }
    return true;
}

// A component whose sum is open, taken out or put in. The array has a sum where the matrix had the
// component.
bool lowerSumIndices(Emitter& emit, Instruction& i, const MatrixType& matrix) {
    if (i.opcode == spv::Op::OpCompositeInsert) {
        i.operands[0] = idOperand(openSum(emit, matrix, i.word(0)));
        return false;
    }
    closeSum(emit, matrix, emit.op(i.opcode, matrix.sum, i.operands), i.result);
    return true;
}

bool lowerLiteralIndices(MatrixContext& context, Emitter& emit, Instruction& i, Id composite,
                         size_t first) {
    const MatrixType* matrix = nullptr;
    const std::optional<size_t> at =
        findMatrixIndex(context, context.module.def(composite).type, i.operands, first, matrix);
    if (!at) return false;
    const uint32_t element = i.word(*at);
    if (element >= matrix->length()) return dropBeyondLength(emit, i, composite);
    if (matrix->sums != Sums::kClosed) return lowerSumIndices(emit, i, *matrix);
    const Fragment& f = matrix->fragment;
    const uint32_t row = element / f.columns.count();
    const uint32_t column = element % f.columns.count();
    i.operands[*at].word = f.packOf(row, column);
    if (f.packWidth > 1) {
        i.operands.insert(i.operands.begin() + static_cast<std::ptrdiff_t>(*at) + 1,
                          literal(f.componentOf(row, column)));
    }
    return false;  // changed in place; the instruction itself stays
}

void lowerChain(MatrixContext& context, Emitter& emit, Instruction& i, size_t first) {
    const MatrixType* matrix = nullptr;
    const Id pointerType = emit.typeOf(i.word(0));
    const std::optional<size_t> at = findMatrixIndex(
        context, context.module.def(pointerType).word(1), i.operands, first, matrix);
    if (!at) return;
    TypeTable& types = context.types;
    const Fragment& f = matrix->fragment;
    const Id element = i.word(*at);
    if (!types.isInteger(emit.typeOf(element))) {
        context.fail(ErrorCode::kInvalidModule, i, "an index is not an integer scalar");
        return;
    }
    // Division by constants wants unsigned numbers; elements are never negative.
    const Id type = types.intType(types.width(emit.typeOf(element)), false);
    const auto constant = [&](uint32_t value) { return types.constant(type, value); };
    const std::optional<uint64_t> known = context.module.constantValue(element);
    // Constants beyond the length: undefined behaviour, but nothing a driver should trip over.
    const Id e = known ? types.constant(type, *known % f.length()) : emit.bitcast(type, element);
    if (matrix->sums != Sums::kClosed) {
        i.operands[*at] = idOperand(e);
        const spv::StorageClass storage{context.module.def(i.type).word(0)};
        i.type = types.pointerType(storage, matrix->sum);
        context.sumPointers.emplace(i.result, matrix);
        return;
    }
    if (f.packWidth == 1) {
        i.operands[*at] = idOperand(e);
        return;
    }
    Id pack = 0;
    Id component = 0;
    if (f.packAxis == PackAxis::kColumns) {
        pack = emit.divInt(type, e, constant(f.packWidth));
        component = emit.modInt(type, e, constant(f.packWidth));
    } else {
        const Id row = emit.divInt(type, e, constant(f.columns.count()));
        const Id column = emit.modInt(type, e, constant(f.columns.count()));
        const Id packRow = emit.divInt(type, row, constant(f.packWidth));
        pack = emit.addInt(type, emit.mulInt(type, packRow, constant(f.columns.count())), column);
        component = emit.modInt(type, row, constant(f.packWidth));
    }
    i.operands[*at] = idOperand(pack);
    i.operands.insert(i.operands.begin() + static_cast<std::ptrdiff_t>(*at) + 1,
                      idOperand(component));
}

void lowerConstruct(MatrixContext& context, Emitter& emit, const Instruction& i,
                    const MatrixType& type) {
    if (i.operands.size() != 1 || emit.typeOf(i.word(0)) != type.component) {
        context.fail(ErrorCode::kInvalidModule, i,
                     "a matrix is constructed from one scalar of its component type");
        return;
    }
    const std::vector<Id> packs(type.fragment.packs(), emit.splat(type.pack, i.word(0)));
    constructFromPacks(emit, type, packs, i.result);
}

}  // namespace

bool lowerComposite(MatrixContext& context, Emitter& emit, Instruction& instruction) {
    switch (instruction.opcode) {
        case spv::Op::OpCompositeConstruct:
        case spv::Op::OpCompositeConstructReplicateEXT: {
            const MatrixType* type = context.matrix(instruction.type);
            if (type == nullptr) return false;
            lowerConstruct(context, emit, instruction, *type);
            return true;
        }
        case spv::Op::OpCompositeExtract:
            return lowerLiteralIndices(context, emit, instruction, instruction.word(0), 1);
        case spv::Op::OpCompositeInsert:
            return lowerLiteralIndices(context, emit, instruction, instruction.word(1), 2);
        case spv::Op::OpAccessChain:
        case spv::Op::OpInBoundsAccessChain:
        case spv::Op::OpPtrAccessChain:
        case spv::Op::OpInBoundsPtrAccessChain:
            lowerChain(context, emit, instruction, firstChainIndex(instruction.opcode));
            return false;
        case spv::Op::OpLoad:
        case spv::Op::OpStore:
            return lowerSumAccess(context, emit, instruction);
        default:
            return false;
    }
}

void lowerMatrixConstant(MatrixContext& context, Instruction& constant) {
    const MatrixType* type = context.matrix(constant.type);
    const bool isSpec = constant.opcode == spv::Op::OpSpecConstantComposite ||
                        constant.opcode == spv::Op::OpSpecConstantCompositeReplicateEXT;
    const bool isComposite = constant.opcode == spv::Op::OpConstantComposite ||
                             constant.opcode == spv::Op::OpConstantCompositeReplicateEXT;
    if (type == nullptr || (!isSpec && !isComposite)) return;
    if (constant.operands.size() != 1 ||
        context.module.def(constant.word(0)).type != type->component) {
        context.fail(ErrorCode::kInvalidModule, constant,
                     "a matrix constant has one constituent of its component type");
        return;
    }
    if (type->sums != Sums::kClosed) {  // a zero: others keep sums closed
        constant.opcode = spv::Op::OpConstantNull;
        constant.operands.clear();
        return;
    }
    Id pack = constant.word(0);
    if (isSpec && type->fragment.packWidth > 1) {
        const std::vector<Id> constituents(type->fragment.packWidth, pack);
        pack = context.module.takeId();
        context.module.append(Section::kGlobals,
                              makeInstruction(spv::Op::OpSpecConstantComposite, type->pack, pack,
                                              idOperands(constituents)));
    } else if (!isSpec) {
        pack = context.types.constantSplat(type->pack, pack);
    }
    constant.opcode = isSpec ? spv::Op::OpSpecConstantComposite : spv::Op::OpConstantComposite;
    constant.operands.assign(type->fragment.packs(), idOperand(pack));
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "native/elements.hpp"

#include "lowering/packed_composites.hpp"

namespace coopvk::rewrite {

namespace {

Id tileLength(NativeFunction& f, const PackedType& type) {
    return f.emit().op(spv::Op::OpCooperativeMatrixLengthKHR, f.types.uint32(), {type.pack});
}

// The matrix that a literal index leads into, in a variable, and a pointer to that element:
// only the driver knows which tile the element is in.
Id elementPointer(NativeFunction& f, const PackedType& matrix, Id variable, uint32_t element) {
    Emitter& emit = f.emit();
    const Id length = tileLength(f, matrix);
    const Id index = f.types.constantU32(element);
    const Id tile = emit.op(spv::Op::OpUDiv, f.types.uint32(), {index, length});
    const Id inTile = emit.op(spv::Op::OpUMod, f.types.uint32(), {index, length});
    const Id type = f.types.pointerType(spv::StorageClass::Function, matrix.component);
    return emit.op(spv::Op::OpAccessChain, type, {variable, tile, inTile});
}

Id variableFor(NativeFunction& f, const PackedType& matrix) {
    Id& id = f.variableOf[matrix.id];
    if (id != 0) return id;
    id = f.context.module.takeId();
    const Id type = f.types.pointerType(spv::StorageClass::Function, matrix.id);
    f.variables.push_back(
        makeInstruction(spv::Op::OpVariable, type, id, {literal(spv::StorageClass::Function)}));
    f.context.module.setDef(f.variables.back().get());
    return id;
}

Id matrixAt(NativeFunction& f, const PackedType& matrix, Id composite,
            std::span<const Operand> indices) {
    if (indices.empty()) return composite;
    Operands operands = {idOperand(composite)};
    operands.insert(operands.end(), indices.begin(), indices.end());
    return f.emit().op(spv::Op::OpCompositeExtract, matrix.id, std::move(operands));
}

}  // namespace

bool lowerNativeLength(NativeFunction& f, const Instruction& length) {
    const TiledType* type = f.context.plan.type(length.word(0));
    if (type == nullptr || !type->isTiled()) return false;
    f.emit().add(makeInstruction(
        spv::Op::OpIMul, length.type, length.result,
        {idOperand(tileLength(f, *type)), idOperand(f.types.constantU32(type->count))}));
    return true;
}

bool lowerNativeChain(NativeFunction& f, Instruction& chain) {
    Emitter& emit = f.emit();
    const auto [matrix, at] = findPackedIndex(f.context, chain);
    if (matrix == nullptr) return false;
    const Id index = emit.typeOf(chain.word(at));
    if (f.types.width(index) != 32) {
        f.context.fail(ErrorCode::kUnsupported, chain, "an element index of other than 32 bits");
        return false;
    }
    const Id element = emit.bitcast(f.types.uint32(), chain.word(at));
    const Id length = tileLength(f, *matrix);
    const Id tile = emit.op(spv::Op::OpUDiv, f.types.uint32(), {element, length});
    const Id inTile = emit.op(spv::Op::OpUMod, f.types.uint32(), {element, length});
    chain.operands[at] = idOperand(tile);
    chain.operands.insert(chain.operands.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                          idOperand(inTile));
    return false;
}

bool lowerNativeExtract(NativeFunction& f, const Instruction& extract) {
    Emitter& emit = f.emit();
    const auto [matrix, at] = findPackedIndex(f.context, extract);
    if (matrix == nullptr) return false;
    const Id whole =
        matrixAt(f, *matrix, extract.word(0), std::span(extract.operands).subspan(1, at - 1));
    emit.opVoid(spv::Op::OpStore, {idOperand(variableFor(f, *matrix)), idOperand(whole)});
    const Id pointer = elementPointer(f, *matrix, variableFor(f, *matrix), extract.word(at));
    emit.add(makeInstruction(spv::Op::OpLoad, extract.type, extract.result, {idOperand(pointer)}));
    return true;
}

bool lowerNativeInsert(NativeFunction& f, const Instruction& insert) {
    Emitter& emit = f.emit();
    const auto [matrix, at] = findPackedIndex(f.context, insert);
    if (matrix == nullptr) return false;
    const auto outer = std::span(insert.operands).subspan(2, at - 2);
    const Id whole = matrixAt(f, *matrix, insert.word(1), outer);
    emit.opVoid(spv::Op::OpStore, {idOperand(variableFor(f, *matrix)), idOperand(whole)});
    const Id pointer = elementPointer(f, *matrix, variableFor(f, *matrix), insert.word(at));
    emit.opVoid(spv::Op::OpStore, {idOperand(pointer), idOperand(insert.word(0))});
    const Operands loaded = {idOperand(variableFor(f, *matrix))};
    if (outer.empty()) {
        emit.add(makeInstruction(spv::Op::OpLoad, insert.type, insert.result, loaded));
        return true;
    }
    const Id changed = emit.op(spv::Op::OpLoad, matrix->id, Operands(loaded));
    Operands operands = {idOperand(changed), insert.operands[1]};
    operands.insert(operands.end(), outer.begin(), outer.end());
    emit.add(makeInstruction(spv::Op::OpCompositeInsert, insert.type, insert.result,
                             std::move(operands)));
    return true;
}

}  // namespace coopvk::rewrite

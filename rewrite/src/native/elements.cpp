// SPDX-License-Identifier: Apache-2.0
#include "lowering/packed_composites.hpp"
#include "native/instructions.hpp"

namespace coopvk::rewrite {

namespace {

Id tileLength(NativeFunction& f, const PackedType& type) {
    return f.emit().op(spv::Op::OpCooperativeMatrixLengthKHR, f.types.uint32(), {type.pack});
}

// The tile of an element and the index in the tile. Only the driver knows a tile's length.
PackIndices locateInTiles(NativeFunction& f, const PackedType& matrix, Id element) {
    const Id length = tileLength(f, matrix);
    return {f.emit().op(spv::Op::OpUDiv, f.types.uint32(), {element, length}),
            f.emit().op(spv::Op::OpUMod, f.types.uint32(), {element, length})};
}

// The element at literal indices, in a variable with a copy of its matrix.
struct Element {
    const PackedType* matrix = nullptr;  // nullptr: the indices are not into a tiled matrix
    Id variable = 0;
    Id pointer = 0;
    std::span<const Operand> outer = {};  // indices to the matrix
};

Element elementAt(NativeFunction& f, const Instruction& i, size_t composite) {
    const auto [matrix, at] = findPackedIndex(f.context, i);
    if (matrix == nullptr) return {};
    Emitter& emit = f.emit();
    const auto outer = std::span(i.operands).subspan(composite + 1, at - composite - 1);
    Id whole = i.word(composite);
    if (!outer.empty()) {
        Operands operands = {idOperand(whole)};
        append(operands, outer);
        whole = emit.op(spv::Op::OpCompositeExtract, matrix->id, std::move(operands));
    }
    Id& variable = f.variables[matrix->id];
    if (variable == 0) variable = f.writer.variable(matrix->id);
    emit.store(variable, whole);
    const auto [tile, inTile] = locateInTiles(f, *matrix, f.types.constantU32(i.word(at)));
    return {matrix, variable, emit.chain(matrix->component, {variable, tile, inTile}), outer};
}

}  // namespace

bool lowerNativeLength(NativeFunction& f, const Instruction& length) {
    const PackedType* type = f.context.packed(length.word(0));
    if (type == nullptr) return false;
    f.emit().op(spv::Op::OpIMul, length.type,
                {tileLength(f, *type), f.types.constantU32(type->count)}, length.result);
    return true;
}

bool lowerNativeChain(NativeFunction& f, Instruction& chain) {
    const auto [matrix, at] = findPackedIndex(f.context, chain);
    if (matrix == nullptr) return false;
    if (f.types.width(f.emit().typeOf(chain.word(at))) != 32) {
        return f.context.fail(ErrorCode::kUnsupported, chain,
                              "an element index does not have 32 bits");
    }
    const Id element = f.emit().bitcast(f.types.uint32(), chain.word(at));
    const auto [tile, inTile] = locateInTiles(f, *matrix, element);
    chain.operands[at] = idOperand(tile);
    chain.operands.insert(chain.operands.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                          idOperand(inTile));
    return false;
}

bool lowerNativeExtract(NativeFunction& f, const Instruction& extract) {
    const Element element = elementAt(f, extract, 0);
    if (element.matrix == nullptr) return false;
    f.emit().op(spv::Op::OpLoad, extract.type, {element.pointer}, extract.result);
    return true;
}

bool lowerNativeInsert(NativeFunction& f, const Instruction& insert) {
    const Element element = elementAt(f, insert, 1);
    if (element.matrix == nullptr) return false;
    Emitter& emit = f.emit();
    emit.store(element.pointer, insert.word(0));
    if (element.outer.empty()) {
        emit.op(spv::Op::OpLoad, insert.type, {element.variable}, insert.result);
        return true;
    }
    const Id changed = emit.load(element.matrix->id, element.variable);
    Operands operands = {idOperand(changed), insert.operands[1]};
    append(operands, element.outer);
    emit.op(insert.opcode, insert.type, std::move(operands), insert.result);
    return true;
}

}  // namespace coopvk::rewrite

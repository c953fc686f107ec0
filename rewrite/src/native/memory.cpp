// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/memory_operands.hpp"
#include "lowering/element_pointer.hpp"
#include "matrix/matrix_uses.hpp"
#include "native/context.hpp"

namespace coopvk::rewrite {

namespace {

// Pointer to the first element of a tile.
Id tilePointer(const TiledType& type, const TileAccess& access, const TilePointer& pointer,
               uint32_t tile) {
    const uint32_t row = tile / type.gridColumns() * type.tileRows;
    const uint32_t column = tile % type.gridColumns() * type.tileColumns;
    return access.columnMajor ? pointer(column, row) : pointer(row, column);
}

void addAccess(Operands& operands, const TileAccess& access) {
    append(operands, {idOperand(access.layout), idOperand(access.stride)});
    append(operands, access.memory);
}

// Alignment of the tiles' pointers, in bytes. The matrix and its stride are aligned to 16 bytes, or
// to a line if that is less; tiles start at multiples of their line's length.
uint32_t tileAlignment(const TileAccess& access, const TypeTable& types, const TiledType& type) {
    const uint32_t line =
        (access.columnMajor ? type.tileRows : type.tileColumns) * types.width(type.component) / 8;
    return std::min(powerOfTwoIn(line), 16u);
}

// `layout`: position of MemoryLayout. nullopt after an error.
std::optional<TileAccess> accessOf(NativeFunction& f, const Instruction& at, const TiledType& type,
                                   size_t layout) {
    const std::optional<uint64_t> value = f.context.module.constantValue(at.word(layout));
    if (!value || *value > 1 || at.operands.size() < layout + 2) {
        f.context.unsupported(at, "MemoryLayout is not row major or column major");
        return std::nullopt;
    }
    TileAccess access;
    access.layout = at.word(layout);
    access.columnMajor = *value == 1;
    access.stride = at.word(layout + 1);
    const MemoryOperands memory(operandsBehind(at, layout + 2));
    const uint32_t alignment = tileAlignment(access, f.types, type);
    access.memory = at.result != 0 ? memory.forLoad(alignment) : memory.forStore(alignment);
    return access;
}

// Pointers into a matrix in the module's memory. `access` becomes that of these pointers.
TilePointer tilesAt(NativeFunction& f, const Instruction& at, const TiledType& type,
                    TileAccess& access, ElementPointer& pointer) {
    const Id stride = pointer.stride(f.emit(), access.stride);
    if (pointer.changesStride()) access.stride = stride;
    return [&f, &at, &type, &pointer, stride](uint32_t line, uint32_t inner) -> Id {
        Emitter& emit = f.emit();
        const uint32_t bytes = inner * f.types.width(type.component) / 8;
        if (bytes % pointer.pointeeBytes() != 0) {
            f.context.unsupported(at, "a tile would start inside a pointee");
            return 0;
        }
        const Id index = pointer.indexType();
        const Id down = emit.mulInt(index, f.types.constant(index, line), stride);
        const Id along = f.types.constant(index, bytes / pointer.pointeeBytes());
        const Id place = emit.addInt(index, emit.addInt(index, pointer.origin(), down), along);
        return pointer.at(emit, place);
    };
}

}  // namespace

void loadTiles(NativeContext& context, Emitter& emit, const TiledType& type,
               const TileAccess& access, const TilePointer& pointer, Id result) {
    std::vector<Id> tiles;
    for (uint32_t t = 0; t < type.count; ++t) {
        Operands operands = {idOperand(tilePointer(type, access, pointer, t))};
        addAccess(operands, access);
        tiles.push_back(emit.op(OpCooperativeMatrixLoadKHR, type.pack, std::move(operands)));
    }
    context.fromPacks(emit, type, tiles, result);
}

void storeTiles(NativeContext& context, Emitter& emit, const TiledType& type,
                const TileAccess& access, const TilePointer& pointer, Id value) {
    const std::vector<Id> tiles = context.packsOf(emit, type, value);
    for (uint32_t t = 0; t < type.count; ++t) {
        Operands operands = {idOperand(tilePointer(type, access, pointer, t)), idOperand(tiles[t])};
        addAccess(operands, access);
        emit.opVoid(OpCooperativeMatrixStoreKHR, std::move(operands));
    }
}

bool lowerNativeLoad(NativeFunction& f, const Instruction& load) {
    const TiledType* type = f.context.plan.type(load.type);
    if (type == nullptr || !type->isTiled()) return false;
    std::optional<TileAccess> access = accessOf(f, load, *type, 1);
    ElementPointer pointer(f.context, f.emit(), load.word(0), load, type->component);
    if (!access || !pointer.valid()) return true;
    const TilePointer tiles = tilesAt(f, load, *type, *access, pointer);
    loadTiles(f.context, f.emit(), *type, *access, tiles, load.result);
    return true;
}

bool lowerNativeStore(NativeFunction& f, const Instruction& store) {
    const TiledType* type = f.context.matrixOfValue(store.word(1));
    if (type == nullptr || !type->isTiled()) return false;
    std::optional<TileAccess> access = accessOf(f, store, *type, 2);
    ElementPointer pointer(f.context, f.emit(), store.word(0), store, type->component);
    if (!access || !pointer.valid()) return true;
    const TilePointer tiles = tilesAt(f, store, *type, *access, pointer);
    storeTiles(f.context, f.emit(), *type, *access, tiles, store.word(1));
    return true;
}

// Mesa 26.1 does not support OpCopyMemory and OpUndef of matrices.
bool lowerNativeCopy(NativeFunction& f, const Instruction& copy) {
    Emitter& emit = f.emit();
    const Id type = f.context.module.pointee(copy.word(1));
    if (f.context.counts.in(type) == 0 || copy.operands.size() != 2) return false;
    emit.store(copy.word(0), emit.load(type, copy.word(1)));
    return true;
}

bool lowerNativeUndef(NativeFunction& f, const Instruction& undef) {
    if (f.context.counts.in(undef.type) == 0) return false;
    f.context.module.append(Section::kGlobals,
                            makeInstruction(OpConstantNull, undef.type, undef.result, {}));
    return true;
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "native/lower.hpp"

#include <algorithm>

#include "ir/opcodes.hpp"
#include "lowering/context.hpp"
#include "lowering/memory.hpp"
#include "lowering/number.hpp"
#include "lowering/packed.hpp"
#include "lowering/words.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

namespace {

// Pointer to the first element of a tile.
Id tilePointer(const TiledType& type, const TileAccess& access, const TilePointer& pointer,
               uint32_t tile) {
    const uint32_t row = tile / type.gridColumns() * type.tileRows;
    const uint32_t column = tile % type.gridColumns() * type.tileColumns;
    return access.columnMajor ? pointer(column, row) : pointer(row, column);
}

// Alignment of the tiles' pointers, in bytes. The matrix and its stride are aligned to 16 bytes, or
// to a line if that is less; tiles start at multiples of their line's length.
uint32_t tileAlignment(const TileAccess& access, const TypeTable& types, const TiledType& type) {
    const uint32_t line =
        (access.columnMajor ? type.tileRows : type.tileColumns) * types.width(type.component) / 8;
    return std::min(powerOfTwoIn(line), 16u);
}

// Tiles of a matrix in the module's memory.
struct TilesInMemory {
    TileAccess access;
    TilePointer pointer;
};

// `layout`: position of MemoryLayout. nullopt after an error.
std::optional<TilesInMemory> tilesOf(NativeFunction& f, const Instruction& at,
                                     const TiledType& type, size_t layout) {
    std::optional<MatrixPlace> place =
        MatrixPlace::of(f.context, f.emit(), at,
                        ElementPointer(f.context, f.emit(), at.word(0), at, type.component),
                        operandsBehind(at, layout));
    if (!place) return std::nullopt;
    TileAccess access;
    access.layout = at.word(layout);
    access.columnMajor = place->areColumns;
    access.stride = place->pointer().changesStride() ? place->stride : at.word(layout + 1);
    const uint32_t alignment = tileAlignment(access, f.types, type);
    const MemoryOperands& operands = place->memory.operands();
    access.memory = at.result != 0 ? operands.forLoad(alignment) : operands.forStore(alignment);
    const auto pointer = [&f, &at, &type, matrix = *place](uint32_t line, uint32_t inner) {
        const ElementPointer& elements = matrix.pointer();
        const uint32_t bytes = inner * f.types.width(type.component) / 8;
        if (bytes % elements.pointeeBytes() != 0) {
            f.context.unsupported(at, "a tile would start inside a pointee");
            return Id{0};
        }
        const Id index = elements.indexType();
        const Id start = matrix.lineAt(f.emit(), f.types.constant(index, line));
        const Id along = f.types.constant(index, bytes / elements.pointeeBytes());
        return elements.at(f.emit(), f.emit().addInt(index, start, along));
    };
    return TilesInMemory{std::move(access), pointer};
}

void loadTiles(NativeContext& context, Emitter& emit, const TiledType& type,
               const TileAccess& access, const TilePointer& pointer, Id result) {
    const std::vector<Id> tiles = listOf(type.count, [&](uint32_t t) {
        return access.load(emit, type.pack, tilePointer(type, access, pointer, t));
    });
    context.fromPacks(emit, type, tiles, result);
}

void storeTiles(NativeContext& context, Emitter& emit, const TiledType& type,
                const TileAccess& access, const TilePointer& pointer, Id value) {
    const std::vector<Id> tiles = context.packsOf(emit, type, value);
    for (uint32_t t = 0; t < type.count; ++t) {
        access.store(emit, tilePointer(type, access, pointer, t), tiles[t]);
    }
}

bool lowerNativeLoad(NativeFunction& f, const Instruction& load) {
    const TiledType* type = f.context.plan.type(load.type);
    if (type == nullptr || !type->isTiled()) return false;
    const auto tiles = tilesOf(f, load, *type, 1);
    if (tiles) loadTiles(f.context, f.emit(), *type, tiles->access, tiles->pointer, load.result);
    return true;
}

bool lowerNativeStore(NativeFunction& f, const Instruction& store) {
    const TiledType* type = f.context.matrixOfValue(store.word(1));
    if (type == nullptr || !type->isTiled()) return false;
    const auto tiles = tilesOf(f, store, *type, 2);
    if (tiles) storeTiles(f.context, f.emit(), *type, tiles->access, tiles->pointer, store.word(1));
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

// The rows of a matrix, or the columns of a B matrix: the array of an invocation holds one.
struct StagedLines {
    uint32_t count, length;
    bool columnMajor;
};

StagedLines linesOf(const TiledType& type) {
    if (type.use == Use::kB) return {type.columns, type.rows, true};
    return {type.rows, type.columns, false};
}

// A matrix in shared memory, its lines one after the other. Barriers follow all accesses.
class StagedMatrix {
 public:
    StagedMatrix(NativeFunction& f, const TiledType& type, const StagedLines& lines)
        : f_(f),
          type_(type),
          lines_(lines),
          area_(f.context.staging.access(f.writer, type.component)),
          access_{DriverLines::shared(f.emit(), lines.length, lines.columnMajor),
                  lines.columnMajor} {}

    void write(Id value) {
        storeTiles(f_.context, f_.emit(), type_, access_, pointer(), value);
        area_.barrier();
    }
    void read(Id result) {
        loadTiles(f_.context, f_.emit(), type_, access_, pointer(), result);
        area_.barrier();
    }
    // `line`: u32.
    void writeLine(Id line, std::span<const Id> values) {
        const Id start = startOf(line);
        for (uint32_t x = 0; x < lines_.length; ++x) {
            area_.store(f_.emit().plus(start, x), values[x]);
        }
        area_.barrier();
    }
    std::vector<Id> readLine(Id line) {
        const Id start = startOf(line);
        const std::vector<Id> values =
            listOf(lines_.length, [&](uint32_t x) { return area_.load(f_.emit().plus(start, x)); });
        area_.barrier();
        return values;
    }

 private:
    Id startOf(Id line) { return f_.emit().times(line, lines_.length); }
    TilePointer pointer() {
        return [this](uint32_t line, uint32_t inner) {
            return area_.pointer(f_.types.constantU32(line * lines_.length + inner));
        };
    }

    NativeFunction& f_;
    const TiledType& type_;
    StagedLines lines_;
    AreaAccess area_;
    TileAccess access_;
};

bool linesFit(NativeFunction& f, const Instruction& at, const TiledType* type, Id arrayType) {
    const Instruction& array = f.context.module.def(arrayType);
    const std::optional<uint64_t> length = f.context.module.constantValue(array.word(1));
    if (type == nullptr || array.opcode != OpTypeArray || !length) {
        return f.context.fail(ErrorCode::kInvalidModule, at,
                              "converts between a cooperative matrix and an array of scalars");
    }
    return linesOf(*type).count <= f.context.target.subgroupSize ||
           f.context.fail(ErrorCode::kUnsupported, at,
                          "a matrix has more lines than the subgroup has invocations");
}

// The array's bits as another array type.
Id castArray(NativeFunction& f, Id type, Id value, std::optional<Id> result = {}) {
    const Id defined = result ? *result : f.context.module.takeId();
    const Instruction cast{OpBitCastArrayQCOM, type, defined, {idOperand(value)}};
    lowerBitCastArray(f.context, f.emit(), cast);
    return defined;
}

// Conversions of use, and between matrices and arrays, through shared memory. reserveStaging()
// reserves it for all of the module.
void reserveStaging(NativeContext& context) {
    const auto reserve = [&](Id typeId, bool byLines) {
        const TiledType* type = context.plan.type(typeId);
        if (type == nullptr) return;
        // Each invocation writes a line, even if the matrix has fewer.
        const uint32_t lines = byLines ? context.target.subgroupSize : linesOf(*type).count;
        context.staging.reserve(type->component, lines * linesOf(*type).length);
    };
    context.module.visitBlocks([&](const Instruction& i) {
        if (i.opcode == OpCooperativeMatrixConvertNV) reserve(i.type, false);
        if (i.opcode == OpCompositeConstructCoopMatQCOM) reserve(i.type, true);
        if (i.opcode == OpCompositeExtractCoopMatQCOM) {
            reserve(context.module.def(i.word(0)).type, true);
        }
    });
}

void lowerNativeUse(NativeFunction& f, const Instruction& conversion) {
    const TiledType* from = f.context.matrixOfValue(conversion.word(0));
    const TiledType* to = f.context.plan.type(conversion.type);
    if (from == nullptr || to == nullptr || from->component != to->component ||
        from->rows != to->rows || from->columns != to->columns) {
        return f.context.invalid(conversion,
                                 "conversion between matrices of different components or sizes");
    }
    const StagedLines rows{from->rows, from->columns, false};
    StagedMatrix(f, *from, rows).write(conversion.word(0));
    StagedMatrix(f, *to, rows).read(conversion.result);
}

void lowerConstructFromLines(NativeFunction& f, const Instruction& construct) {
    const TiledType* type = f.context.plan.type(construct.type);
    Emitter& emit = f.emit();
    if (!linesFit(f, construct, type, emit.typeOf(construct.word(0)))) return;
    const StagedLines lines = linesOf(*type);
    const Id array =
        castArray(f, f.types.arrayType(type->component, lines.length), construct.word(0));
    if (f.context.error) return;
    const std::vector<Id> values = emit.parts(array);
    StagedMatrix staged(f, *type, lines);
    staged.writeLine(f.writer.lane(), values);
    staged.read(construct.result);
}

void lowerExtractLines(NativeFunction& f, const Instruction& extract) {
    const TiledType* type = f.context.matrixOfValue(extract.word(0));
    if (!linesFit(f, extract, type, extract.type)) return;
    const StagedLines lines = linesOf(*type);
    StagedMatrix staged(f, *type, lines);
    staged.write(extract.word(0));
    // Invocations without a line read any line.
    const Id line = f.emit().modulo(f.writer.lane(), lines.count);
    const std::vector<Id> values = staged.readLine(line);
    const Id array = f.emit().construct(f.types.arrayType(type->component, lines.length), values);
    castArray(f, extract.type, array, extract.result);
}

}  // namespace

void NativeContext::checkKept(const Instruction& i) {
    const bool isOfDrivers =
        movesValues(i.opcode) || isArithmetic(i.opcode) || isConversion(i.opcode) ||
        isOneOf(i.opcode, {OpCooperativeMatrixLoadKHR, OpCooperativeMatrixStoreKHR,
                           OpCooperativeMatrixMulAddKHR, OpCooperativeMatrixLengthKHR,
                           OpMatrixTimesScalar}) ||
        isNonSemantic(module, i);
    if (isOfDrivers) return;
    bool touches = plan.type(i.type) != nullptr;
    for (const Operand& operand : i.operands) {
        touches = touches || (operand.isId && matrixOfValue(operand.word) != nullptr);
    }
    if (touches) fail(ErrorCode::kUnsupported, i, "takes no cooperative matrix");
}

std::vector<Id> NativeContext::packsOf(Emitter& emit, const PackedType& type, Id value) {
    if (packed(type.id) == nullptr) return {value};
    return PackedContext::packsOf(emit, type, value);
}

void NativeContext::fromPacks(Emitter& emit, const PackedType& type, std::span<const Id> tiles,
                              Id result) {
    if (packed(type.id) != nullptr) return PackedContext::fromPacks(emit, type, tiles, result);
    emit.op(OpCopyObject, type.id, idOperands(tiles), result);
}

namespace {

bool lowerTiledMulAdd(NativeContext& context, Emitter& emit, const Instruction& mulAdd) {
    const auto typeOf = [&](size_t operand) { return context.matrixOfValue(mulAdd.word(operand)); };
    const TiledType *a = typeOf(0), *b = typeOf(1), *c = typeOf(2);
    const TiledType* result = context.plan.type(mulAdd.type);
    if (!a->isTiled() && !b->isTiled() && !c->isTiled()) return false;
    const std::vector<Id> as = context.packsOf(emit, *a, mulAdd.word(0));
    const std::vector<Id> bs = context.packsOf(emit, *b, mulAdd.word(1));
    std::vector<Id> sums = context.packsOf(emit, *c, mulAdd.word(2));
    // K is the outer loop, so that consecutive products do not depend on each other.
    for (uint32_t k = 0; k < a->gridColumns(); ++k) {
        for (uint32_t t = 0; t < sums.size(); ++t) {
            const uint32_t row = t / result->gridColumns();
            const uint32_t column = t % result->gridColumns();
            Operands operands = {idOperand(as[row * a->gridColumns() + k]),
                                 idOperand(bs[k * b->gridColumns() + column]), idOperand(sums[t])};
            append(operands, operandsBehind(mulAdd, 3));
            sums[t] = emit.op(OpCooperativeMatrixMulAddKHR, result->pack, std::move(operands));
        }
    }
    context.fromPacks(emit, *result, sums, mulAdd.result);
    return true;
}

OpcodeTable<NativeFunction> nativeTable() {
    OpcodeTable<NativeFunction> table;
    table.add<lowerNativeLoad>({OpCooperativeMatrixLoadKHR});
    table.add<lowerNativeStore>({OpCooperativeMatrixStoreKHR});
    table.add<lowerTiledMulAdd>({OpCooperativeMatrixMulAddKHR});
    table.add<lowerNativeLength>({OpCooperativeMatrixLengthKHR});
    table.add<lowerNativeUse>({OpCooperativeMatrixConvertNV});
    table.add<lowerConstructFromLines>({OpCompositeConstructCoopMatQCOM});
    table.add<lowerExtractLines>({OpCompositeExtractCoopMatQCOM});
    table.add<lowerBitCastArray>({OpBitCastArrayQCOM});
    table.add<lowerExtractSubArray>({OpExtractSubArrayQCOM});
    table.add<lowerNativeCopy>({OpCopyMemory});
    table.add<lowerNativeUndef>({OpUndef, kOpPoison});
    addPackedComposites(table);
    table.add<lowerNativeExtract>({OpCompositeExtract});
    table.add<lowerNativeInsert>({OpCompositeInsert});
    table.add<lowerTileChain>(kTypedChains);
    table.add<lowerElementWise>(kArithmetic);
    table.add<lowerElementWise>(kConversions);
    table.add<lowerElementWise>({OpMatrixTimesScalar});
    return table;
}

// Redefines types of several tiles as arrays of new types.
void lowerTypes(NativeContext& context) {
    TypeTable& types = context.types;
    for (auto& [id, type] : context.plan.types) {
        type.pack = id;
        type.count = type.gridRows() * type.gridColumns();
        type.shape = {type.rows, type.columns, static_cast<uint32_t>(type.use)};
        type.hasOpenCount = true;
        if (!type.isTiled()) continue;
        Instruction& definition = *context.module.edit(id);
        Operands tile = definition.operands;
        tile[2] = idOperand(types.constantU32(type.tileRows));
        tile[3] = idOperand(types.constantU32(type.tileColumns));
        type.pack = types.matrixType(std::move(tile));
        definition.opcode = OpTypeArray;
        definition.operands = {idOperand(type.pack), idOperand(types.constantU32(type.count))};
    }
}

}  // namespace

std::optional<Error> lowerToNative(TypeTable& types, const PlannedTarget& target, NativePlan plan,
                                   uint32_t subgroups) {
    NativeContext context(types, target, std::move(plan), subgroups);
    Module& module = context.module;
    reserveStaging(context);
    if (!context.staging.fits()) {
        return Error{ErrorCode::kUnsupported,
                     "conversions of matrices need more shared memory than the shader leaves"};
    }
    lowerTypes(context);
    lowerPackedConstants(context);
    const LengthConstants lengths = takeLengths(context);
    const OpcodeTable<NativeFunction> table = nativeTable();
    for (const auto& function : module.functions()) {
        if (!context.error) readLengths(context, lengths, *function);
        if (context.error) return context.error;
        NativeFunction lowering(context, *function);
        table.lower(lowering, *function);
    }
    if (context.error) return context.error;
    context.dropValueDecorations();
    context.addNewFunctions();
    module.removeDeclarations(info(Extension::kQcomCooperativeMatrixConversion));
    if (context.plan.types.empty()) return context.error;
    module.addCapability(spv::Capability::CooperativeMatrixKHR);
    module.addExtension("SPV_KHR_cooperative_matrix");
    return context.error;
}

}  // namespace coopvk::rewrite

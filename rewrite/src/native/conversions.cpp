// SPDX-License-Identifier: Apache-2.0
#include "native/conversions.hpp"

#include "lowering/array_conversion.hpp"
#include "native/memory.hpp"

namespace coopvk::rewrite {

namespace {

// The rows of a matrix; for B its columns: what one lane's array holds.
struct Lines {
    uint32_t count, length;
    bool columnMajor;
};

Lines linesOf(const TiledType& type) {
    if (type.use == Use::kB) return {type.columns, type.rows, true};
    return {type.rows, type.columns, false};
}

TileAccess stagingAccess(NativeFunction& f, const Lines& lines) {
    TileAccess access;
    access.columnMajor = lines.columnMajor;
    access.layout = f.types.constantU32(lines.columnMajor ? 1 : 0);
    access.stride = f.types.constantU32(lines.length);
    access.memory = f.context.staging.access();
    return access;
}

TilePointer stagingPointer(NativeFunction& f, const TiledType& type, const Lines& lines) {
    return [&f, &type, lines](uint32_t line, uint32_t inner) {
        return f.context.staging.at(f.writer, type.component,
                                    f.types.constantU32(line * lines.length + inner));
    };
}

// The matrix and its array type as its lines want it: components, `length` of them.
Id componentArray(NativeFunction& f, const TiledType& type, const Lines& lines) {
    return f.types.arrayType(type.component, lines.length);
}

bool linesFit(NativeFunction& f, const Instruction& at, const TiledType* type, Id arrayType) {
    const Instruction& array = f.context.module.def(arrayType);
    const std::optional<uint64_t> length = f.context.module.constantValue(array.word(1));
    if (type == nullptr || array.opcode != spv::Op::OpTypeArray || !length) {
        f.context.fail(ErrorCode::kInvalidModule, at,
                       "converts between a cooperative matrix and an array of scalars");
        return false;
    }
    if (linesOf(*type).count > f.context.target.subgroupSize) {
        f.context.fail(ErrorCode::kUnsupported, at, "a matrix of more lines than lanes");
        return false;
    }
    return true;
}

// Same bits as another array type.
Id castArray(NativeFunction& f, Id type, Id value, Id result = 0) {
    if (result == 0) result = f.context.module.takeId();
    const Instruction cast{spv::Op::OpBitCastArrayQCOM, type, result, {idOperand(value)}};
    lowerBitCastArray(f.context, f.emit(), cast);
    return result;
}

}  // namespace

void lowerNativeRole(NativeFunction& f, const Instruction& conversion) {
    const TiledType* from = f.context.matrixOfValue(conversion.word(0));
    const TiledType* to = f.context.plan.type(conversion.type);
    if (from == nullptr || to == nullptr || from->component != to->component ||
        from->rows != to->rows || from->columns != to->columns) {
        f.context.fail(ErrorCode::kInvalidModule, conversion,
                       "conversion between matrices of different components or sizes");
        return;
    }
    const Lines lines{from->rows, from->columns, false};
    Emitter& emit = f.emit();
    storeTiles(f.context, emit, *from, stagingAccess(f, lines), stagingPointer(f, *from, lines),
               conversion.word(0));
    f.context.staging.barrier(f.writer);
    loadTiles(f.context, emit, *to, stagingAccess(f, lines), stagingPointer(f, *to, lines),
              conversion.result);
    f.context.staging.barrier(f.writer);
}

void lowerConstructFromLines(NativeFunction& f, const Instruction& construct) {
    const TiledType* type = f.context.plan.type(construct.type);
    Emitter& emit = f.emit();
    if (!linesFit(f, construct, type, emit.typeOf(construct.word(0)))) return;
    const Lines lines = linesOf(*type);
    const Id array = castArray(f, componentArray(f, *type, lines), construct.word(0));
    if (f.context.error) return;
    const Id start =
        emit.mulInt(f.types.uint32(), f.writer.lane(), f.types.constantU32(lines.length));
    for (uint32_t x = 0; x < lines.length; ++x) {
        const Id index = emit.addInt(f.types.uint32(), start, f.types.constantU32(x));
        const Id pointer = f.context.staging.at(f.writer, type->component, index);
        const Id value = emit.extract(type->component, array, {x});
        Operands store = {idOperand(pointer), idOperand(value)};
        append(store, f.context.staging.access());
        emit.opVoid(spv::Op::OpStore, std::move(store));
    }
    f.context.staging.barrier(f.writer);
    loadTiles(f.context, emit, *type, stagingAccess(f, lines), stagingPointer(f, *type, lines),
              construct.result);
    f.context.staging.barrier(f.writer);
}

void lowerExtractLines(NativeFunction& f, const Instruction& extract) {
    const TiledType* type = f.context.matrixOfValue(extract.word(0));
    Emitter& emit = f.emit();
    if (!linesFit(f, extract, type, extract.type)) return;
    const Lines lines = linesOf(*type);
    storeTiles(f.context, emit, *type, stagingAccess(f, lines), stagingPointer(f, *type, lines),
               extract.word(0));
    f.context.staging.barrier(f.writer);
    // Lanes beyond the last line read some line.
    const Id line =
        emit.modInt(f.types.uint32(), f.writer.lane(), f.types.constantU32(lines.count));
    const Id start = emit.mulInt(f.types.uint32(), line, f.types.constantU32(lines.length));
    std::vector<Id> values;
    for (uint32_t x = 0; x < lines.length; ++x) {
        const Id index = emit.addInt(f.types.uint32(), start, f.types.constantU32(x));
        const Id pointer = f.context.staging.at(f.writer, type->component, index);
        Operands load = {idOperand(pointer)};
        append(load, f.context.staging.access());
        values.push_back(emit.op(spv::Op::OpLoad, type->component, std::move(load)));
    }
    f.context.staging.barrier(f.writer);
    const Id array = emit.construct(componentArray(f, *type, lines), values);
    castArray(f, extract.type, array, extract.result);
}

// What must pass through shared memory, and how much of it at once.
void reserveStaging(NativeContext& context) {
    const auto reserve = [&](Id typeId, bool byLines) {
        const TiledType* type = context.plan.type(typeId);
        if (type == nullptr) return;
        // Every lane writes a line, also where the matrix has fewer.
        const uint32_t lines = byLines ? context.target.subgroupSize : linesOf(*type).count;
        context.staging.reserve(type->component, lines * linesOf(*type).length);
    };
    for (const auto& function : context.module.functions()) {
        for (const auto& block : function->blocks) {
            for (const InstructionPtr& i : block->body) {
                if (i->opcode == spv::Op::OpCooperativeMatrixConvertNV) reserve(i->type, false);
                if (i->opcode == spv::Op::OpCompositeConstructCoopMatQCOM) reserve(i->type, true);
                if (i->opcode == spv::Op::OpCompositeExtractCoopMatQCOM) {
                    reserve(context.module.def(i->word(0)).type, true);
                }
            }
        }
    }
}

}  // namespace coopvk::rewrite

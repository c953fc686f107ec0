// SPDX-License-Identifier: Apache-2.0
#include "matrix/row_conversion.hpp"

#include "ir/function_builder.hpp"
#include "matrix/line_memory.hpp"

namespace coopvk::rewrite {

namespace {

// A one-dimensional array of numbers.
struct Array {
    Id type = 0;
    Id element = 0;  // 0: not such an array
    uint32_t length = 0;
};

// More than any matrix has, and little enough to unroll.
constexpr uint64_t kMaxLength = 4096;

Array arrayType(const LoweringContext& context, Id type) {
    const Instruction& def = context.module.def(type);
    const std::optional<uint64_t> length = context.module.constantValue(def.word(1));
    const bool isScalar =
        context.types.components(def.word(0)) == 1 && context.types.width(def.word(0)) != 0;
    if (def.opcode != spv::Op::OpTypeArray || !length || *length == 0 || *length > kMaxLength ||
        !isScalar) {
        return {};
    }
    return {type, def.word(0), static_cast<uint32_t>(*length)};
}

std::vector<Slot> elementsOf(Emitter& emit, const Array& array, Id value) {
    std::vector<Slot> slots;
    for (uint32_t i = 0; i < array.length; ++i) {
        slots.push_back({emit.extract(array.element, value, {i}), 0});
    }
    return slots;
}

void constructArray(Emitter& emit, const Array& array, std::span<const Slot> slots, Id result) {
    std::vector<Id> values;
    for (size_t i = 0; i < array.length; ++i) {
        values.push_back(gather(emit, array.element, slots.subspan(i, 1)));
    }
    emit.add(
        makeInstruction(spv::Op::OpCompositeConstruct, array.type, result, idOperands(values)));
}

// Neighbours in packs of 32 bits, so that they travel together.
std::vector<Slot> packed(Emitter& emit, Id component, std::vector<Slot> slots) {
    const uint32_t parts = 32 / std::min(32u, emit.types().width(component));
    for (size_t first = 0; first + parts <= slots.size(); first += parts) {
        const Id pack = gather(emit, component, std::span(slots).subspan(first, parts));
        for (uint32_t i = 0; i < parts && parts > 1; ++i) slots[first + i] = {pack, i};
    }
    return slots;
}

// What both directions check: the lines of the matrix fit the subgroup, and each is as large as the
// array.
std::optional<MatrixLines> matchLines(LoweringContext& context, const Instruction& at,
                                      const MatrixType* matrix, const Array& array) {
    if (matrix == nullptr || array.element == 0) {
        context.fail(ErrorCode::kInvalidModule, at,
                     "converts between a cooperative matrix and an array of scalars");
        return std::nullopt;
    }
    const bool areColumns = matrix->use == Use::kB;
    const MatrixLines lines{areColumns, areColumns ? matrix->columns : matrix->rows,
                            areColumns ? matrix->rows : matrix->columns};
    const TypeTable& types = context.types;
    const bool packedWords = types.isInteger(array.element) && types.width(array.element) == 32;
    if (array.element != matrix->component && !packedWords) {
        context.fail(ErrorCode::kInvalidModule, at,
                     "the array has neither the matrix's components nor 32-bit integers");
    } else if (uint64_t{array.length} * types.width(array.element) !=
               uint64_t{lines.length} * types.width(matrix->component)) {
        context.fail(
            ErrorCode::kInvalidModule, at,
            std::format("an array of {} x {} bits is no line of {} x {} bits", array.length,
                        types.width(array.element), lines.length, types.width(matrix->component)));
    } else if (lines.count > context.target.subgroupSize) {
        context.fail(ErrorCode::kUnsupported, at,
                     std::format("a matrix of {} lines in a subgroup of {}", lines.count,
                                 context.target.subgroupSize));
    } else if (!context.target.device.subgroupShuffle) {
        context.fail(ErrorCode::kUnsupported, at,
                     "converting matrices to arrays needs subgroup shuffles");
    } else {
        return lines;
    }
    return std::nullopt;
}

}  // namespace

void lowerConstructFromRows(LoweringContext& context, FunctionWriter& writer,
                            const Instruction& construct) {
    const MatrixType* matrix = context.matrix(construct.type);
    const Array array = arrayType(context, context.module.def(construct.word(0)).type);
    const std::optional<MatrixLines> lines = matchLines(context, construct, matrix, array);
    if (!lines) return;
    Emitter& emit = writer.emit();
    TypeTable& types = context.types;
    const Id u32 = types.uint32();
    const Fragment& f = matrix->fragment;
    const std::vector<Slot> elements =
        regroup(emit, elementsOf(emit, array, construct.word(0)), array.element, matrix->component);
    if (goThroughMemory(context, *lines, matrix->component)) {
        constructThroughMemory(context, writer, *matrix, *lines, elements, construct.result);
        return;
    }
    const std::vector<Slot> line = packed(emit, matrix->component, elements);

    // Each lane asks the lanes whose lines it holds, then drops what it does not hold of them.
    Exchange exchange(context, writer, matrix->component);
    const Axis& dealt = lines->areColumns ? f.columns : f.rows;
    HeldElements held = lines->areColumns ? HeldElements(wholeAxis(f.rows.size), f.columns)
                                          : HeldElements(f.rows, wholeAxis(f.columns.size));
    const Id gridLane =
        lines->areColumns ? writer.columnLane(dealt.lanes) : writer.rowLane(dealt.lanes);
    const Id start = emit.mulInt(u32, gridLane, types.constantU32(dealt.block));
    for (uint32_t local = 0; local < dealt.count(); ++local) {
        const Id lane = emit.addInt(u32, start, types.constantU32(dealt.base(local)));
        for (uint32_t x = 0; x < lines->length; ++x) {
            Slot& slot = lines->areColumns ? held.at(x, local) : held.at(local, x);
            slot = exchange.fromLane(line[x], lane);
        }
    }
    if (lines->areColumns && f.rows.lanes > 1) held = exchange.dealRows(held, f.rows);
    if (!lines->areColumns && f.columns.lanes > 1) held = exchange.dealColumns(held, f.columns);
    constructHeld(*matrix, emit, held, construct.result);
}

void lowerExtractRows(LoweringContext& context, FunctionWriter& writer,
                      const Instruction& extract) {
    const MatrixType* matrix = context.matrixOfValue(extract.word(0));
    const Array array = arrayType(context, extract.type);
    const std::optional<MatrixLines> lines = matchLines(context, extract, matrix, array);
    if (!lines) return;
    Emitter& emit = writer.emit();
    TypeTable& types = context.types;
    const Id u32 = types.uint32();
    if (goThroughMemory(context, *lines, matrix->component)) {
        const std::vector<Slot> own =
            extractThroughMemory(context, writer, *matrix, *lines, extract.word(0));
        constructArray(emit, array, regroup(emit, own, matrix->component, array.element),
                       extract.result);
        return;
    }
    Exchange exchange(context, writer, matrix->component);
    HeldElements held = holdValue(*matrix, emit, extract.word(0));
    const Axis& dealt = lines->areColumns ? held.columns : held.rows;
    const Axis& along = lines->areColumns ? held.rows : held.columns;

    // Line i stands at local place `local` of grid row (or column) `from`. Lanes beyond the last
    // line read some line.
    const Id line = emit.modInt(u32, writer.lane(), types.constantU32(dealt.size));
    const Id turn = emit.divInt(u32, line, types.constantU32(dealt.block));
    const Id from = emit.modInt(u32, turn, types.constantU32(dealt.lanes));
    const Id block = emit.divInt(u32, line, types.constantU32(dealt.lanes * dealt.block));
    const Id local = emit.addInt(u32, emit.mulInt(u32, block, types.constantU32(dealt.block)),
                                 emit.modInt(u32, line, types.constantU32(dealt.block)));
    std::map<uint32_t, Id> lanes;
    std::vector<Slot> elements;
    for (uint32_t x = 0; x < lines->length; ++x) {
        const uint32_t alongLane = x / along.block % along.lanes;
        const uint32_t alongLocal = x / (along.lanes * along.block) * along.block + x % along.block;
        Id& lane = lanes[alongLane];
        if (lane == 0) {
            const Id other = types.constantU32(alongLane);
            lane = lines->areColumns ? exchange.laneAt(other, from) : exchange.laneAt(from, other);
        }
        std::vector<Slot> candidates;
        for (uint32_t l = 0; l < dealt.count(); ++l) {
            const Slot& own = lines->areColumns ? held.at(alongLocal, l) : held.at(l, alongLocal);
            candidates.push_back(exchange.fromLane(own, lane));
        }
        elements.push_back(exchange.pick(candidates, local));
    }
    constructArray(emit, array, regroup(emit, elements, matrix->component, array.element),
                   extract.result);
}

void lowerBitCastArray(LoweringContext& context, Emitter& emit, const Instruction& cast) {
    const Array to = arrayType(context, cast.type);
    const Array from = arrayType(context, context.module.def(cast.word(0)).type);
    const TypeTable& types = context.types;
    if (to.element == 0 || from.element == 0 ||
        uint64_t{to.length} * types.width(to.element) !=
            uint64_t{from.length} * types.width(from.element)) {
        context.fail(ErrorCode::kInvalidModule, cast, "casts arrays of different sizes");
        return;
    }
    const std::vector<Slot> slots = elementsOf(emit, from, cast.word(0));
    constructArray(emit, to, regroup(emit, slots, from.element, to.element), cast.result);
}

namespace {

// function(array, start): the elements from a dynamic index on, by way of a variable.
Id subArrayHelper(LoweringContext& context, const Array& from, const Array& to, Id indexType) {
    const std::vector<uint32_t> key = {static_cast<uint32_t>(spv::Op::OpExtractSubArrayQCOM),
                                       from.type, to.type, indexType};
    Id& helper = context.helpers[key];
    if (helper != 0) return helper;
    TypeTable& types = context.types;
    // The array's own type may carry a layout, which variables here must not have.
    const Id plain = types.arrayType(from.element, from.length);
    const Id parameters[] = {from.type, indexType};
    FunctionBuilder function(context.types, context.newFunctions,
                             std::format("coopvk_subarray_{}_of_{}", to.length, from.length),
                             to.type, parameters);
    helper = function.id();
    Emitter& emit = function.emit();
    const Id variable = function.variable(plain);
    const std::vector<Slot> all = elementsOf(emit, from, function.parameter(0));
    std::vector<Id> values;
    for (const Slot& slot : all) values.push_back(slot.value);
    const Id copy = emit.construct(plain, values);
    emit.opVoid(spv::Op::OpStore, {idOperand(variable), idOperand(copy)});
    const Id pointer = types.pointerType(spv::StorageClass::Function, from.element);
    std::vector<Id> parts;
    for (uint32_t i = 0; i < to.length; ++i) {
        const Id index =
            emit.addInt(indexType, function.parameter(1), types.constant(indexType, i));
        const Id element = emit.op(spv::Op::OpAccessChain, pointer, {variable, index});
        parts.push_back(emit.op(spv::Op::OpLoad, from.element, {element}));
    }
    function.finish(emit.construct(to.type, parts));
    return helper;
}

}  // namespace

void lowerExtractSubArray(LoweringContext& context, Emitter& emit, const Instruction& extract) {
    const Array to = arrayType(context, extract.type);
    const Array from = arrayType(context, context.module.def(extract.word(0)).type);
    const Id start = extract.word(1);
    if (to.element == 0 || from.element != to.element || to.length > from.length ||
        !context.types.isInteger(emit.typeOf(start))) {
        context.fail(ErrorCode::kInvalidModule, extract,
                     "extracts from an array that is smaller or has other elements");
        return;
    }
    if (const std::optional<uint64_t> first = context.module.constantValue(start)) {
        // Beyond the end anything may come out, but it must compile.
        std::vector<Slot> slots;
        for (uint32_t i = 0; i < to.length; ++i) {
            const auto at = static_cast<uint32_t>((*first + i) % from.length);
            slots.push_back({emit.extract(from.element, extract.word(0), {at}), 0});
        }
        constructArray(emit, to, slots, extract.result);
        return;
    }
    const Id helper = subArrayHelper(context, from, to, emit.typeOf(start));
    emit.add(makeInstruction(spv::Op::OpFunctionCall, to.type, extract.result,
                             {idOperand(helper), idOperand(extract.word(0)), idOperand(start)}));
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "matrix/product.hpp"

#include "ir/arithmetic_decorations.hpp"
#include "ir/opcodes.hpp"
#include "lowering/number.hpp"
#include "matrix/instructions.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

namespace {

// Takes each step along K for all rows: then neighbouring multiplications do not depend on each
// other, and all rows use a value of B while it is in a register. `rowByRow`: all steps of a row
// before the next row, for CPUs, which have too few registers for so many sums.
Id emitUnrolled(FunctionBuilder& function, const MulAdd& p, RowProduct& product, bool rowByRow) {
    Emitter& emit = function.emit();
    const std::vector<Id> a = extractPacks(emit, *p.a, function.parameter(0));
    const bool open = product.sumsStayOpen();
    const std::vector<Id> c =
        open ? emit.parts(function.parameter(2)) : extractPacks(emit, *p.c, function.parameter(2));
    const uint32_t rows = p.result->fragment.rows.count();
    const auto rowOf = [rows](const std::vector<Id>& all, uint32_t row) {
        const size_t count = all.size() / rows;
        return std::span(all).subspan(row * count, count);
    };
    std::vector<RowProduct::Row> started =
        listOf(rows, [&](uint32_t i) { return product.begin(rowOf(a, i), rowOf(c, i)); });
    const uint32_t steps = product.steps();
    for (uint32_t n = 0; n < rows * steps; ++n) {
        product.step(started[rowByRow ? n / steps : n % rows], rowByRow ? n % steps : n / rows);
    }
    std::vector<Id> result;
    for (RowProduct::Row& row : started) {
        std::ranges::copy(product.end(row), std::back_inserter(result));
    }
    return function.finish(open ? emit.construct(p.result->id, result)
                                : constructFromPacks(emit, *p.result, result));
}

// Loops over the lane's rows at run time; A, C and the result are in local arrays, of open sums if
// the product takes such, else of packs.
Id emitLooped(FunctionBuilder& function, const MulAdd& p, RowProduct& row) {
    Emitter& emit = function.emit();
    const uint32_t rows = p.result->fragment.rows.count();
    const auto isHeld = [&](const MatrixType& m) { return row.sumsStayOpen() || !m.isOpen(); };
    const auto arrayOf = [&](const MatrixType& m) {
        return isHeld(m) ? m.id : emit.types().arrayType(m.pack, m.packs());
    };
    const auto perRow = [&](const MatrixType& m) {
        return (isHeld(m) ? m.heldCount() : m.packs()) / rows;
    };
    const auto placeOf = [&](const MatrixType& m, Id rowIndex, uint32_t part) {
        return emit.plus(emit.times(rowIndex, perRow(m)), part);
    };
    const auto loadRow = [&](Id variable, const MatrixType& m, Id rowIndex) {
        return listOf(perRow(m), [&](uint32_t part) {
            return function.load(function.element(variable, placeOf(m, rowIndex, part)));
        });
    };
    const auto begin = [&](const MatrixType& m, Id value) {
        const Id variable = function.variable(arrayOf(m));
        if (!isHeld(m)) value = emit.construct(arrayOf(m), extractPacks(emit, m, value));
        function.store(variable, value);
        return variable;
    };
    const Id a = begin(*p.a, function.parameter(0));
    const Id c = begin(*p.c, function.parameter(2));
    const Id result = function.variable(arrayOf(*p.result));
    function.loop(rows, [&](Id rowIndex) {
        const std::vector<Id> start = loadRow(c, *p.c, rowIndex);
        const std::vector<Id> parts = row.whole(loadRow(a, *p.a, rowIndex), start);
        for (uint32_t part = 0; part < parts.size(); ++part) {
            const Id place = placeOf(*p.result, rowIndex, part);
            function.store(function.element(result, place), parts[part]);
        }
    });
    const Id sums = function.load(result);
    return function.finish(
        isHeld(*p.result) ? sums : constructFromPacks(emit, *p.result, emit.parts(sums)));
}

// Each of these emits the body, finishes the function and returns its id; the last two return 0
// with context.error.
// Scope Subgroup: each lane multiplies its rows of A by its columns of B.
Id emitProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product) {
    const std::unique_ptr<RowProduct> row = makeRow(context, function.emit(), product);
    row->prepareB(function.parameter(1));
    const uint32_t products = product.result->fragment.length() * product.a->columns;
    return products <= context.target.device.unrolledInLane
               ? emitUnrolled(function, product, *row, context.target.device.multipliesRowByRow)
               : emitLooped(function, product, *row);
}

}  // namespace

// OpCooperativeMatrixMulAddKHR.

namespace {

std::string componentName(const TypeTable& types, const MatrixType& matrix, bool isSigned) {
    if (types.isFloat(matrix.component)) return std::string(matrix.number->name);
    return std::format("{}{}", isSigned ? "s" : "u", types.width(matrix.component));
}

std::string helperName(const MatrixContext& context, const MulAdd& p) {
    const TypeTable& t = context.types;
    return std::format("coopvk_muladd_{}_{}_{}_{}x{}x{}{}",
                       componentName(t, *p.result, p.signs.result),
                       componentName(t, *p.a, p.signs.a), componentName(t, *p.b, p.signs.b),
                       p.result->rows, p.result->columns, p.a->columns, p.saturating ? "_sat" : "");
}

// What is wrong with the types; empty: nothing.
std::string_view mismatch(const MulAdd& p, const TypeTable& types) {
    if (p.a->use != Use::kA || p.b->use != Use::kB || p.c->use != Use::kAccumulator ||
        p.result->use != Use::kAccumulator) {
        return "operands must have the uses A, B and accumulator";
    }
    const LaneScope scope = p.result->fragment.scope;
    if (p.a->fragment.scope != scope || p.b->fragment.scope != scope ||
        p.c->fragment.scope != scope) {
        return "operands have different scopes";
    }
    if (p.a->columns != p.b->rows || p.a->rows != p.result->rows ||
        p.b->columns != p.result->columns || p.c->rows != p.result->rows ||
        p.c->columns != p.result->columns) {
        return "M, N and K of the operands differ";
    }
    const bool isFloat = types.isFloat(p.result->component);
    for (const MatrixType* operand : {p.a, p.b, p.c}) {
        if (types.isFloat(operand->component) != isFloat) {
            return "operands mix integer and floating-point components";
        }
    }
    return {};
}

const MatrixType& sumsOfSmallFloats(MatrixContext& context, const MatrixType& result) {
    const Id f32 = context.types.floatType(32);
    return typeWith(context, result, f32, *numberOf(context.types, f32));
}

// A factor in the form in which products read it.
Id factorOf(MatrixContext& context, MatrixWriter& writer, const MatrixType*& matrix, Id value) {
    if (!matrix->likeAccumulator && !matrix->fragment.map) return value;
    MatrixType usual = *matrix;
    usual.likeAccumulator = false;
    usual.fragment.map.reset();
    usual.columnLength = 0;
    usual.shape[2] = static_cast<uint32_t>(usual.use);
    matrix = &typeWith(context, usual, usual.format, *usual.number);
    const Id converted = context.module.takeId();
    const InstructionPtr conversion =
        makeInstruction(OpCooperativeMatrixConvertNV, matrix->id, converted, {idOperand(value)});
    lowerRoleConversion(context, writer, *conversion);
    return converted;
}

// The function that computes a product, or a part of it; 0 with an error.
Id helperFor(MatrixContext& context, const MulAdd& product, const Instruction& mulAdd,
             ProductPart part) {
    constexpr std::string_view kNames[] = {"", "_opened", "_end"};
    const std::vector<uint32_t> key = {static_cast<uint32_t>(mulAdd.opcode),
                                       product.a->id,
                                       product.b->id,
                                       product.c->id,
                                       product.result->id,
                                       product.operands,
                                       product.roundsOnce ? 1u : 0u,
                                       static_cast<uint32_t>(part)};
    return context.helper(key, [&] {
        std::vector<Id> parameters = {product.a->id, product.b->id, product.c->id};
        if (part == ProductPart::kEnd) parameters = {product.c->id};
        const std::string name =
            helperName(context, product) + std::string(kNames[static_cast<size_t>(part)]);
        FunctionBuilder function(context.types, context.newFunctions, name, product.result->id,
                                 parameters);
        if (product.result->tiles) {
            return emitTileProduct(context, function, product, mulAdd, part);
        }
        return product.result->fragment.scope == LaneScope::kWorkgroup
                   ? emitWorkgroupProduct(context, function, product, mulAdd)
                   : emitProduct(context, function, product);
    });
}

// The function that lowerMulAdd() calls.
Id helperFor(MatrixContext& context, const MulAdd& product, const Instruction& mulAdd) {
    if (!product.result->tiles || !context.openedProducts.contains(mulAdd.result)) {
        return helperFor(context, product, mulAdd, ProductPart::kWhole);
    }
    context.productEnds[mulAdd.result] = helperFor(context, product, mulAdd, ProductPart::kEnd);
    return helperFor(context, product, mulAdd, ProductPart::kOpened);
}

}  // namespace

void lowerMulAdd(MatrixContext& context, MatrixWriter& writer, const Instruction& mulAdd) {
    Emitter& emit = writer.emit();
    MulAdd product;
    product.a = context.matrixOfValue(mulAdd.word(0));
    product.b = context.matrixOfValue(mulAdd.word(1));
    product.c = context.matrixOfValue(mulAdd.word(2));
    product.result = context.matrix(mulAdd.type);
    if (!product.a || !product.b || !product.c || !product.result) {
        return context.invalid(mulAdd, "operands are not cooperative matrices");
    }
    if (const std::string_view what = mismatch(product, context.types); !what.empty()) {
        return context.invalid(mulAdd, what);
    }
    const auto isSigned = [&](size_t m) { return hasOperand(mulAdd, kSignedMatrices[m]); };
    product.operands = mulAdd.word(3);
    product.signs = {isSigned(0), isSigned(1), isSigned(2), isSigned(3)};
    product.roundsOnce = forbidsContraction(context.module, mulAdd.result);
    product.saturating = saturates(mulAdd);
    if (product.c->hasFourBits() || product.result->hasFourBits()) {
        return context.unsupported(mulAdd, "4-bit components are for A and B only");
    }
    const MatrixType* result = product.result;
    // Sums are f32, and rounded to the format at the end.
    if (result->hasSmallFloats()) product.result = &sumsOfSmallFloats(context, *result);
    Id a = factorOf(context, writer, product.a, mulAdd.word(0));
    Id b = factorOf(context, writer, product.b, mulAdd.word(1));
    a = withSign(context, emit, *product.a, a, product.signs.a);
    b = withSign(context, emit, *product.b, b, product.signs.b);

    const Id helper = helperFor(context, product, mulAdd);
    if (helper == 0) return;
    const bool rounds = product.result != result;
    const Id sums = emit.call(product.result->id, helper, std::array{a, b, mulAdd.word(2)},
                              rounds ? std::nullopt : std::optional(mulAdd.result));
    if (!rounds) return;
    const InstructionPtr round =
        makeInstruction(OpFConvert, mulAdd.type, mulAdd.result, {idOperand(sums)});
    lowerMatrixConversion(context, emit, *round);
}

bool lowerProductEnd(MatrixContext& context, MatrixWriter& writer, const Instruction& copy) {
    const auto end = context.productEnds.find(copy.word(0));
    if (end == context.productEnds.end()) return false;
    writer.emit().call(copy.type, end->second, std::array{copy.word(0)}, copy.result);
    return true;
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "matrix/product.hpp"

#include "matrix/open_sums.hpp"
#include "matrix/row_product.hpp"

namespace coopvk::rewrite {

namespace {

uint32_t packsPerRow(const MatrixType& m) {
    return m.fragment.columns.count() / m.fragment.packWidth;
}

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
    std::vector<RowProduct::Row> started;
    for (uint32_t i = 0; i < rows; ++i) {
        started.push_back(product.begin(rowOf(a, i), rowOf(c, i)));
    }
    if (rowByRow) {
        for (RowProduct::Row& row : started) {
            for (uint32_t k = 0; k < product.steps(); ++k) product.step(row, k);
        }
    } else {
        for (uint32_t k = 0; k < product.steps(); ++k) {
            for (RowProduct::Row& row : started) product.step(row, k);
        }
    }
    std::vector<Id> result;
    for (RowProduct::Row& row : started) {
        const std::vector<Id> packs = product.end(row);
        result.insert(result.end(), packs.begin(), packs.end());
    }
    return function.finish(open ? emit.construct(p.result->id, result)
                                : constructFromPacks(emit, *p.result, result));
}

// Loops over the lane's rows at run time; A, C and the result are in local arrays.
Id emitLooped(FunctionBuilder& function, const MulAdd& p, RowProduct& row) {
    Emitter& emit = function.emit();
    const auto placeOf = [&](const MatrixType& m, Id rowIndex, uint32_t pack) {
        return emit.plus(emit.times(rowIndex, packsPerRow(m)), pack);
    };
    const auto loadRow = [&](Id variable, const MatrixType& m, Id rowIndex) {
        std::vector<Id> packs;
        for (uint32_t pack = 0; pack < packsPerRow(m); ++pack) {
            packs.push_back(function.load(function.element(variable, placeOf(m, rowIndex, pack))));
        }
        return packs;
    };
    const Id a = function.variable(p.a->id);
    const Id c = function.variable(p.c->id);
    const Id result = function.variable(p.result->id);
    function.store(a, function.parameter(0));
    function.store(c, function.parameter(2));
    function.loop(p.result->fragment.rows.count(), [&](Id rowIndex) {
        const std::vector<Id> start = loadRow(c, *p.c, rowIndex);
        const std::vector<Id> packs = row.whole(loadRow(a, *p.a, rowIndex), start);
        for (uint32_t pack = 0; pack < packs.size(); ++pack) {
            const Id place = placeOf(*p.result, rowIndex, pack);
            function.store(function.element(result, place), packs[pack]);
        }
    });
    return function.finish(function.load(result));
}

}  // namespace

Id emitProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product) {
    const std::unique_ptr<RowProduct> row = makeRow(context, function.emit(), product);
    row->prepareB(function.parameter(1));
    const uint32_t products = product.result->fragment.length() * product.a->columns;
    return products <= kMaxUnrolledInLane
               ? emitUnrolled(function, product, *row, context.target.device.isCpu)
               : emitLooped(function, product, *row);
}

}  // namespace coopvk::rewrite

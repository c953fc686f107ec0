// SPDX-License-Identifier: Apache-2.0
//
// Cases that make one matrix from another: reductions, conversions to other uses, and functions
// that are called for each element.
#include <algorithm>
#include <cmath>
#include <map>

#include "compare/cases/element_operations.hpp"
#include "compare/cases/matrix2_cases.hpp"

namespace coopvk::compare {
namespace {

struct FlexibleVariant {
    uint32_t workgroup;
    MatrixType from, to;
    MatrixProgram::Step step;
    std::string name;
    bool sums = false;  // of random floats
};

using DrawMatrix = std::function<Matrix(Rng& rng)>;

Plan planOf(const FlexibleVariant& v, const DeviceShape& device, uint64_t seed,
            const DrawMatrix& draw) {
    Rng rng(seed, v.name);
    const bool columns = rng.coin();
    const Block from = placed(v.from.component, v.from.rows, v.from.columns, columns, 16),
                to = placed(v.to.component, v.to.rows, v.to.columns, !columns, 0);
    const Matrix in = draw(rng);
    Plan plan;
    plan.assembly = spirvOf(MatrixProgram{Dialect::kNv2,
                                          Storage::kBuffer,
                                          v.workgroup ? v.workgroup : device.subgroupSize,
                                          {{v.from, from}},
                                          {v.to, to},
                                          v.step,
                                          scopeOf(v.workgroup)});
    plan.labels = {"input", "result"};
    plan.buffers = {rng.bytes(from.end()), rng.bytes(to.end())};
    scatter(in, from, plan.buffers[0]);
    plan.output = 1;
    plan.result = to;
    plan.freedom.rounds = !v.sums;
    plan.freedom.inIntervals = v.sums;
    return plan;
}

void add(std::vector<Case>& cases, const MatrixRow& row, const char* operation,
         const FlexibleVariant& v, const DrawMatrix& draw) {
    cases.push_back(
        {v.name, nameOf(row), operation, row.native, row.emulated,
         [=](const DeviceShape& device, uint64_t seed) { return planOf(v, device, seed, draw); }});
}

// Elements of the source that one of the result is made of.
uint64_t termsOf(Reduce::Of of, const MatrixType& type) {
    switch (of) {
        case Reduce::Of::kRows:
            return type.columns;
        case Reduce::Of::kColumns:
            return type.rows;
        case Reduce::Of::kAll:
            return uint64_t{type.rows} * type.columns;
        default:
            return 4;
    }
}

// Which element of the result an element goes to.
size_t rangeOfElement(Reduce::Of of, const Matrix& in, uint32_t row, uint32_t column) {
    switch (of) {
        case Reduce::Of::kRows:
            return row;
        case Reduce::Of::kColumns:
            return column;
        case Reduce::Of::kAll:
            return 0;
        default:
            return size_t{row / 2} * in.columns + column / 2;
    }
}

// Each element of the result gets so few units that each sum of them is exact.
Matrix fewUnits(Rng& rng, Reduce::Of of, const MatrixType& type) {
    Matrix matrix(type.component, type.rows, type.columns);
    const auto size = static_cast<int64_t>(termsOf(of, type));
    const uint32_t most = exactIntegers(type.component);
    std::map<size_t, uint32_t> units;
    for (uint32_t r = 0; r < type.rows; ++r)
        for (uint32_t c = 0; c < type.columns; ++c) {
            uint32_t& count = units[rangeOfElement(of, matrix, r, c)];
            if (count == most || rng.range(1, size) > most) continue;
            ++count;
            matrix.at(r, c) = encode(type.component, rng.coin() ? 1 : -1);
        }
    return matrix;
}

struct ReduceRow {
    Reduce::Of of;
    std::string_view name;
    // Sizes in those of the row.
    uint32_t rows, columns, resultRows, resultColumns;
};
constexpr ReduceRow kReduceRows[] = {
    {Reduce::Of::kRows, "rows", 1, 1, 1, 1},       {Reduce::Of::kColumns, "columns", 1, 1, 1, 1},
    {Reduce::Of::kAll, "all", 1, 1, 1, 1},         {Reduce::Of::k2x2, "2x2", 2, 2, 1, 1},
    {Reduce::Of::kRows, "rows", 1, 2, 1, 1},       {Reduce::Of::kRows, "rows", 1, 1, 1, 2},
    {Reduce::Of::kColumns, "columns", 2, 1, 1, 1}, {Reduce::Of::kColumns, "columns", 1, 1, 2, 1},
    {Reduce::Of::kAll, "all", 2, 1, 1, 2},
};

struct ByRow {
    Reduce::By by;
    Fill fill;
    std::string_view name;
};
constexpr ByRow kByRows[] = {
    {Reduce::By::kSum, Fill::kExact, "sum, exact"},
    {Reduce::By::kSum, Fill::kRandom, "sum, random"},
    {Reduce::By::kGreatest, Fill::kRandom, "greatest"},
};

std::string sizeOf(const MatrixType& type) {
    return std::to_string(type.rows) + "x" + std::to_string(type.columns);
}

}  // namespace

void addReductions(const MatrixRow& row, Component component, std::vector<Case>& cases) {
    for (const ReduceRow& reduce : kReduceRows) {
        for (const ByRow& by : kByRows) {
            const MatrixType from = {component, row.m * reduce.rows, row.n * reduce.columns,
                                     Use::kAccumulator};
            const MatrixType to = {component, row.m * reduce.resultRows,
                                   row.n * reduce.resultColumns, Use::kAccumulator};
            if (by.by == Reduce::By::kSum && by.fill == Fill::kRandom &&
                !tells(component, termsOf(reduce.of, from)))
                continue;
            FlexibleVariant v = {row.workgroup, from, to, Reduce{reduce.of, by.by}, {}};
            if (by.by == Reduce::By::kSum && by.fill == Fill::kRandom && info(component).isFloat())
                v.sums = true;
            v.name = nameOf(row, from) + "/reduction/" + std::string(reduce.name) + " to " +
                     sizeOf(to) + ", " + std::string(by.name);
            add(cases, row, "reduction", v, [=](Rng& rng) {
                if (by.fill == Fill::kExact && !hasArithmetic(component))
                    return fewUnits(rng, reduce.of, from);
                return randomMatrix(rng, component, from.rows, from.columns, by.fill);
            });
        }
    }
}

void addUseConversions(const MatrixRow& row, const MatrixType& from, const MatrixType& to,
                       std::vector<Case>& cases) {
    if (from.use != Use::kAccumulator || to.use == Use::kAccumulator) return;
    const auto addOne = [&](const Instruction& instruction, const std::string& what,
                            bool transposes) {
        if (to.rows != (transposes ? from.columns : from.rows) ||
            to.columns != (transposes ? from.rows : from.columns))
            return;
        const bool saturates = instruction.saturates;
        const FlexibleVariant v = {row.workgroup, from, to, instruction,
                                   nameOf(row, from) + "/use-conversion/" + what + nameOf(to) +
                                       (saturates ? ", saturated" : "")};
        add(cases, row, "use-conversion", v, [=](Rng& rng) {
            return drawForConversion(rng, from.component, to.component, from.rows, from.columns);
        });
    };
    for (const Instruction& instruction : conversions(from.component, to.component))
        addOne(instruction, "to ", false);
    if (from.component != to.component) return;
    addOne({"OpCooperativeMatrixConvertNV"}, "to ", false);
    if (to.use == Use::kB) addOne({"OpCooperativeMatrixTransposeNV"}, "transposed to ", true);
}

void addPerElement(const MatrixRow& row, const MatrixType& type, std::vector<Case>& cases) {
    const FlexibleVariant v = {row.workgroup, type, type, PerElement{},
                               nameOf(row, type) + "/per-element/row and column"};
    const Component component = type.component;
    add(cases, row, "per-element", v, [=](Rng& rng) {
        return randomMatrix(rng, component, type.rows, type.columns, Fill::kExact);
    });
}

}  // namespace coopvk::compare

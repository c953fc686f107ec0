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

struct Variant {
    uint32_t workgroup;
    MatrixType from, to;
    MatrixProgram::Step step;
    std::string name;
};

using Draw = std::function<Matrix(Rng& rng)>;
using Reference = std::function<std::vector<Expected>(const Matrix& in)>;

Plan plan(const Variant& v, const DeviceShape& device, uint64_t seed, const Draw& draw,
          const Reference& reference) {
    Rng rng(seed, v.name);
    const bool columns = rng.coin();
    const Block from = placed(v.from.component, v.from.rows, v.from.columns, columns, 16),
                to = placed(v.to.component, v.to.rows, v.to.columns, !columns, 0);
    const Matrix in = draw(rng);
    Plan plan;
    plan.program = MatrixProgram{
        Dialect::kNv2,       Storage::kBuffer, v.workgroup ? v.workgroup : device.subgroupSize,
        {{v.from, from}},    {v.to, to},       v.step,
        scopeOf(v.workgroup)};
    plan.assembly = spirvOf(plan.program);
    plan.labels = {"input", "result"};
    plan.buffers = {rng.bytes(from.end()), rng.bytes(to.end())};
    scatter(in, from, plan.buffers[0]);
    plan.output = 1;
    plan.result = to;
    plan.expected = reference(in);
    return plan;
}

void add(std::vector<Case>& cases, const MatrixRow& row, const char* operation, const Variant& v,
         const Draw& draw, const Reference& reference) {
    cases.push_back({v.name, nameOf(row), operation, row.native, row.emulated,
                     [=](const DeviceShape& device, uint64_t seed) {
                         return plan(v, device, seed, draw, reference);
                     }});
}

// Elements of the source that one of the result is made of.
struct Range {
    uint32_t row, rows, column, columns;
};
Range rangeOf(Reduce::Of of, const Matrix& in, uint32_t row, uint32_t column) {
    switch (of) {
        case Reduce::Of::kRows:
            return {row, 1, 0, in.columns};
        case Reduce::Of::kColumns:
            return {0, in.rows, column, 1};
        case Reduce::Of::kAll:
            return {0, in.rows, 0, in.columns};
        default:
            return {2 * row, 2, 2 * column, 2};
    }
}

Expected sumOf(const Matrix& in, const Range& r, Fill fill) {
    FloatSum real(in.component);
    uint64_t integer = 0;  // modulo 2^64
    for (uint32_t i = 0; i < r.rows; ++i)
        for (uint32_t j = 0; j < r.columns; ++j) {
            const uint64_t bits = in.at(r.row + i, r.column + j);
            if (info(in.component).isFloat())
                real.add(decode(in.component, bits));
            else
                integer += bits;
        }
    return info(in.component).isFloat()
               ? real.expected(fill)
               : exactly(in.component, maskBits(integer, info(in.component).bits));
}

Expected greatestOf(const Matrix& in, const Range& r) {
    const bool isFloat = info(in.component).isFloat();
    const auto isLess = [&](uint64_t a, uint64_t b) {
        return isFloat ? decode(in.component, a) < decode(in.component, b)
                       : toInteger(in.component, a) < toInteger(in.component, b);
    };
    uint64_t greatest = in.at(r.row, r.column);
    for (uint32_t i = 0; i < r.rows; ++i)
        for (uint32_t j = 0; j < r.columns; ++j)
            greatest = std::max(greatest, in.at(r.row + i, r.column + j), isLess);
    return exactly(in.component, greatest);
}

uint64_t termsOf(Reduce::Of of, const MatrixType& type) {
    const Range range = rangeOf(of, Matrix(type.component, type.rows, type.columns), 0, 0);
    return uint64_t{range.rows} * range.columns;
}

// Which of the ranges an element is in.
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

// Each range has so few units that each sum of them is exact.
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
            Variant v = {row.workgroup, from, to, Reduce{reduce.of, by.by}, {}};
            v.name = nameOf(row, from) + "/reduction/" + std::string(reduce.name) + " to " +
                     sizeOf(to) + ", " + std::string(by.name);
            add(
                cases, row, "reduction", v,
                [=](Rng& rng) {
                    if (by.fill == Fill::kExact && !hasArithmetic(component))
                        return fewUnits(rng, reduce.of, from);
                    return randomMatrix(rng, component, from.rows, from.columns, by.fill);
                },
                [=](const Matrix& in) {
                    std::vector<Expected> expected;
                    for (uint32_t r = 0; r < to.rows; ++r)
                        for (uint32_t c = 0; c < to.columns; ++c) {
                            const Range range = rangeOf(reduce.of, in, r, c);
                            expected.push_back(by.by == Reduce::By::kSum ? sumOf(in, range, by.fill)
                                                                         : greatestOf(in, range));
                        }
                    return expected;
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
        const Variant v = {row.workgroup, from, to, instruction,
                           nameOf(row, from) + "/use-conversion/" + what + nameOf(to) +
                               (saturates ? ", saturated" : "")};
        add(
            cases, row, "use-conversion", v,
            [=](Rng& rng) {
                return drawForConversion(rng, from.component, to.component, from.rows,
                                         from.columns);
            },
            [=](const Matrix& in) {
                std::vector<Expected> expected;
                for (uint32_t r = 0; r < to.rows; ++r)
                    for (uint32_t c = 0; c < to.columns; ++c) {
                        const uint64_t bits = transposes ? in.at(c, r) : in.at(r, c);
                        expected.push_back(
                            from.component == to.component
                                ? exactly(to.component, bits)
                                : converted(from.component, to.component, bits, saturates));
                    }
                return expected;
            });
    };
    for (const Instruction& instruction : conversions(from.component, to.component))
        addOne(instruction, "to ", false);
    if (from.component != to.component) return;
    addOne({"OpCooperativeMatrixConvertNV"}, "to ", false);
    if (to.use == Use::kB) addOne({"OpCooperativeMatrixTransposeNV"}, "transposed to ", true);
}

void addPerElement(const MatrixRow& row, const MatrixType& type, std::vector<Case>& cases) {
    const Variant v = {row.workgroup, type, type, PerElement{},
                       nameOf(row, type) + "/per-element/row and column"};
    const Component component = type.component;
    add(
        cases, row, "per-element", v,
        [=](Rng& rng) {
            return randomMatrix(rng, component, type.rows, type.columns, Fill::kExact);
        },
        [=](const Matrix& in) {
            std::vector<Expected> expected;
            for (uint32_t r = 0; r < in.rows; ++r)
                for (uint32_t c = 0; c < in.columns; ++c) {
                    const uint32_t more = kPerElementPitch * r + c + kPerElementMore;
                    const uint64_t bits = in.at(r, c);
                    // Formats without arithmetic are rounded once.
                    expected.push_back(
                        info(component).isFloat()
                            ? correctlyRounded(component, decode(component, bits) + more)
                            : exactly(component, maskBits(bits + more, info(component).bits)));
                }
            return expected;
        });
}

}  // namespace coopvk::compare

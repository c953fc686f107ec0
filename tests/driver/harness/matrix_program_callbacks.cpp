// SPDX-License-Identifier: Apache-2.0
//
// Statements that call functions of the program: reductions, per-element operations.
#include <algorithm>
#include <format>

#include "matrix_program.hpp"

namespace coopvk::test {
namespace {

using Made = std::optional<Statement>;

struct Combine {
    const char* name;
    const char* body;
    int64_t (*run)(int64_t x, int64_t y);
    bool isForFloats = true;
};
constexpr Combine kCombines[] = {
    {"sum", "return x + y;", [](int64_t x, int64_t y) { return x + y; }},
    {"greatest", "return max(x, y);", [](int64_t x, int64_t y) { return std::max(x, y); }},
    {"least", "E r = x; if (y < x) r = y; return r;",
     [](int64_t x, int64_t y) { return std::min(x, y); }},
    {"different", "return x ^ y;", [](int64_t x, int64_t y) { return x ^ y; }, false},
};

struct Element {
    uint32_t row, column;
    int64_t x, y;    // of the matrix, and of another one
    uint32_t n;      // a uniform number
    int64_t memory;  // input `column % 61`
};
struct PerElement {
    const char* name;
    const char* body;
    int64_t (*run)(const Element& e);
};
constexpr PerElement kPerElement[] = {
    {"placed", "return x + E(int(row % 4) - int(column % 4));",
     [](const Element& e) { return e.x + int64_t{e.row % 4} - int64_t{e.column % 4}; }},
    {"masked", "return column >= row + n ? E(0) : x;",
     [](const Element& e) { return e.column >= e.row + e.n ? 0 : e.x; }},
    {"paired", "return x + x - y;", [](const Element& e) { return e.x + e.x - e.y; }},
    {"read", "return x + INPUT[column % 61];", [](const Element& e) { return e.x + e.memory; }},
    {"looped",
     "if (x < y) return y - x;\nE s = x;\n"
     "for (uint i = 0; i < row % 3; ++i) s += E(column % 4 + n);\nreturn s;",
     [](const Element& e) {
         return e.x < e.y ? e.y - e.x : e.x + int64_t{e.row % 3} * (e.column % 4 + e.n);
     }},
};

enum Reduce : size_t { kRow, kColumn, kAll, k2x2 };
constexpr const char* kReduceNames[] = {"Row", "Column", "RowAndColumn", "2x2"};

bool suits(const MatrixType& to, const MatrixType& from, size_t reduce) {
    if (from.use != Use::kAccumulator || from.isFactor != to.isFactor ||
        from.ofWorkgroup != to.ofWorkgroup)
        return false;
    switch (reduce) {
        case kRow:
            return to.rows == from.rows;
        case kColumn:
            return to.columns == from.columns;
        case k2x2:
            return to.rows * 2 == from.rows && to.columns * 2 == from.columns;
        default:
            return true;
    }
}

bool reduceTo(Values& to, const Values& from, size_t reduce, const Combine& combine) {
    bool isExact = true;
    for (uint32_t row = 0; row < to.type.rows; ++row) {
        for (uint32_t column = 0; column < to.type.columns; ++column) {
            uint32_t r0 = 0, r1 = from.type.rows, c0 = 0, c1 = from.type.columns;
            if (reduce == kRow) r0 = row, r1 = row + 1;
            if (reduce == kColumn) c0 = column, c1 = column + 1;
            if (reduce == k2x2) r0 = 2 * row, r1 = r0 + 2, c0 = 2 * column, c1 = c0 + 2;
            int64_t value = from.at(r0, c0), most = 0;
            for (uint32_t r = r0; r < r1; ++r) {
                for (uint32_t c = c0; c < c1; ++c) {
                    if (r != r0 || c != c0) value = combine.run(value, from.at(r, c));
                    most += std::abs(from.at(r, c));
                }
            }
            if (info(to.type.component).isFloat())
                isExact = isExact && fit(to.type.component, most);
            to.at(row, column) = value;
        }
    }
    return fit(to) && isExact;
}

Made reduction(ProgramWriter& w, const Variables& all) {
    const auto i =
        w.variable(all, [](const MatrixType& type) { return type.use == Use::kAccumulator; });
    if (!i) return std::nullopt;
    const MatrixType& to = all[*i].type;
    const size_t reduce = w.pick(std::size(kReduceNames));
    const auto j = w.variable(all, [&](const MatrixType& from) { return suits(to, from, reduce); });
    if (!j) return std::nullopt;
    const Combine& combine = kCombines[w.pick(std::size(kCombines))];
    if (!combine.isForFloats && info(to.component).isFloat()) return std::nullopt;
    const char* vendor = w.chance(2) ? "NV" : "EXT";
    return Statement{std::format("coopMatReduce{0}({1}, {2}, gl_CooperativeMatrixReduce{3}{0}, "
                                 "{4}{5});\n",
                                 vendor, all[*i].name, all[*j].name, kReduceNames[reduce],
                                 combine.name, to.suffix()),
                     [i = *i, j = *j, reduce, &combine](Machine& m) {
                         const Values from = m.variables[j];
                         return reduceTo(m.variables[i], from, reduce, combine);
                     }};
}

Made perElement(ProgramWriter& w, const Variables& all) {
    const size_t i = *w.variable(all, [](const MatrixType&) { return true; });
    const MatrixType type = all[i].type;
    const auto same = [&](const MatrixType& other) { return other == type; };
    const size_t j = *w.variable(all, same), k = *w.variable(all, same);
    const PerElement& function = kPerElement[w.pick(std::size(kPerElement))];
    const auto n = static_cast<uint32_t>(w.pick(4));
    std::vector<int64_t> memory;
    for (uint32_t e = 0; e < 61; ++e) memory.push_back(w.input(type.isFactor, e));
    return Statement{std::format("coopMatPerElement{}({}, {}, {}{}, {}, {});\n",
                                 w.chance(2) ? "NV" : "EXT", all[i].name, all[j].name,
                                 function.name, type.suffix(), all[k].name, w.number(n)),
                     [=, &function](Machine& m) {
                         const Values x = m.variables[j], y = m.variables[k];
                         for (uint32_t row = 0; row < type.rows; ++row)
                             for (uint32_t column = 0; column < type.columns; ++column)
                                 m.variables[i].at(row, column) =
                                     function.run({row, column, x.at(row, column),
                                                   y.at(row, column), n, memory[column % 61]});
                         return fit(m.variables[i]);
                     }};
}

constexpr StatementMaker kMakers[] = {reduction, perElement};

}  // namespace

std::span<const StatementMaker> callbackStatements() { return kMakers; }

std::string callbackFunctions(const ProgramWriter& w) {
    std::string text;
    for (const bool isFactor : {true, false}) {
        const ComponentInfo& of = info(isFactor ? w.factor : w.sum);
        const char suffix = isFactor ? 'F' : 'S';
        text += std::format("#define E {}\n#define INPUT input{}\n", of.glsl, suffix);
        for (const Combine& combine : kCombines) {
            if (combine.isForFloats || !of.isFloat())
                text += std::format("E {}{}(const in E x, const in E y) {{ {} }}\n", combine.name,
                                    suffix, combine.body);
        }
        for (const PerElement& function : kPerElement) {
            text += std::format(
                "E {}{}(const in uint32_t row, const in uint32_t column, const in E x, const in E "
                "y, const in uint n) {{ {} }}\n",
                function.name, suffix, function.body);
        }
        text += "#undef E\n#undef INPUT\n";
    }
    return text;
}

}  // namespace coopvk::test

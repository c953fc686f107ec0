// SPDX-License-Identifier: Apache-2.0
//
// Statements on values: constructions, arithmetic, conversions, transpositions, products.
#include <format>

#include "matrix_program.hpp"

namespace coopvk::test {
namespace {

using Made = std::optional<Statement>;

const auto kAny = [](const MatrixType&) { return true; };

int64_t times(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// An exact float, an integer, of a small number.
std::string constant(const MatrixType& type, int64_t value) {
    return std::format("{}({})", type.scalar(), value);
}

Made splat(ProgramWriter& w, const Variables& all) {
    const size_t i = *w.variable(all, kAny);
    const int64_t c = w.rng.range(0, 5);
    const MatrixType& type = all[i].type;
    return Statement{std::format("{} = {}({});\n", all[i].name, type.glsl(), constant(type, c)),
                     [i, c](Machine& m) {
                         std::ranges::fill(m.variables[i].elements, c);
                         return true;
                     }};
}

// Three variables of one type; some may be the same.
struct Three {
    size_t i, j, k;
};
Three three(ProgramWriter& w, const Variables& all) {
    const size_t i = *w.variable(all, kAny);
    const auto same = [&](const MatrixType& type) { return type == all[i].type; };
    return {i, *w.variable(all, same), *w.variable(all, same)};
}

Made binary(ProgramWriter& w, const Variables& all) {
    const auto [i, j, k] = three(w, all);
    const size_t operation = w.pick(3);
    return Statement{
        std::format("{} = {} {} {};\n", all[i].name, all[j].name, "+-*"[operation], all[k].name),
        [=](Machine& m) {
            const Values a = m.variables[j], b = m.variables[k];
            for (size_t e = 0; e < a.elements.size(); ++e) {
                const int64_t x = a.elements[e], y = b.elements[e];
                m.variables[i].elements[e] = operation == 0   ? x + y
                                             : operation == 1 ? x - y
                                                              : times(x, y);
            }
            return fit(m.variables[i]);
        }};
}

Made linear(ProgramWriter& w, const Variables& all) {
    const auto [i, j, unused] = three(w, all);
    const bool negates = w.chance(2);
    const int64_t c = negates ? -1 : w.rng.range(0, 3);
    return Statement{negates ? std::format("{} = -{};\n", all[i].name, all[j].name)
                             : std::format("{} = {} * {};\n", all[i].name, all[j].name,
                                           constant(all[i].type, c)),
                     [=](Machine& m) {
                         const Values from = m.variables[j];
                         for (size_t e = 0; e < from.elements.size(); ++e)
                             m.variables[i].elements[e] = times(from.elements[e], c);
                         return fit(m.variables[i]);
                     }};
}

// Each invocation's elements, one by one.
Made elements(ProgramWriter& w, const Variables& all) {
    const auto [i, j, unused] = three(w, all);
    const int64_t c = w.rng.range(0, 3);
    return Statement{std::format("for (uint e = 0; e < {0}.length(); ++e) {0}[e] = {1}[e] + {2};\n",
                                 all[i].name, all[j].name, constant(all[i].type, c)),
                     [=](Machine& m) {
                         const Values from = m.variables[j];
                         for (size_t e = 0; e < from.elements.size(); ++e)
                             m.variables[i].elements[e] = from.elements[e] + c;
                         return fit(m.variables[i]);
                     }};
}

Made swapped(ProgramWriter& w, const Variables& all) {
    const auto [i, j, unused] = three(w, all);
    return Statement{std::format("{{ {0} t = {1}; {1} = {2}; {2} = t; }}\n", all[i].type.glsl(),
                                 all[i].name, all[j].name),
                     [=](Machine& m) {
                         std::swap(m.variables[i], m.variables[j]);
                         return true;
                     }};
}

// Factors become accumulators, and accumulators any use: the conversions that GLSL has.
Made conversion(ProgramWriter& w, const Variables& all) {
    const size_t i = *w.variable(all, kAny);
    const MatrixType& to = all[i].type;
    const auto j = w.variable(all, [&](const MatrixType& from) {
        const bool usesSuit =
            from.use == to.use || from.use == Use::kAccumulator || to.use == Use::kAccumulator;
        return usesSuit && from != to && from.rows == to.rows && from.columns == to.columns &&
               from.ofWorkgroup == to.ofWorkgroup;
    });
    if (!j) return std::nullopt;
    return Statement{std::format("{} = {}({});\n", all[i].name, to.glsl(), all[*j].name),
                     [i, j = *j](Machine& m) {
                         m.variables[i].elements = m.variables[j].elements;
                         return fit(m.variables[i]);
                     }};
}

Made transposition(ProgramWriter& w, const Variables& all) {
    const auto i =
        w.variable(all, [](const MatrixType& type) { return type.use != Use::kAccumulator; });
    if (!i) return std::nullopt;
    const MatrixType& to = all[*i].type;
    const auto j = w.variable(all, [&](const MatrixType& from) {
        return from.use == Use::kAccumulator && from.rows == to.columns &&
               from.columns == to.rows && from.ofWorkgroup == to.ofWorkgroup;
    });
    if (!j) return std::nullopt;
    const bool isNv = to.use == Use::kB && to.component == all[*j].type.component && w.chance(2);
    return Statement{std::format("coopMatTranspose{}({}, {});\n", isNv ? "NV" : "EXT", all[*i].name,
                                 all[*j].name),
                     [i = *i, j = *j](Machine& m) {
                         const Values from = m.variables[j];
                         for (uint32_t row = 0; row < from.type.rows; ++row)
                             for (uint32_t column = 0; column < from.type.columns; ++column)
                                 m.variables[i].at(column, row) = from.at(row, column);
                         return fit(m.variables[i]);
                     }};
}

bool multiplyAdd(const Values& a, const Values& b, const Values& c, Values& d) {
    bool isExact = true;
    for (uint32_t row = 0; row < d.type.rows; ++row) {
        for (uint32_t column = 0; column < d.type.columns; ++column) {
            uint64_t sum = static_cast<uint64_t>(c.at(row, column));
            int64_t most = std::abs(c.at(row, column));
            for (uint32_t k = 0; k < a.type.columns; ++k) {
                const int64_t product = times(a.at(row, k), b.at(k, column));
                sum += static_cast<uint64_t>(product);
                most += std::abs(product);
            }
            // Sums in any order.
            if (info(d.type.component).isFloat()) isExact = isExact && fit(d.type.component, most);
            d.at(row, column) = static_cast<int64_t>(sum);
        }
    }
    return fit(d) && isExact;
}

Made product(ProgramWriter& w, const Variables& all) {
    const auto i = w.variable(all, [](const MatrixType& type) {
        return type.use == Use::kAccumulator && !type.isFactor;
    });
    if (!i) return std::nullopt;
    const MatrixType& to = all[*i].type;
    const auto a = w.variable(all, [&](const MatrixType& type) {
        return type.use == Use::kA && type.isFactor && type.rows == to.rows &&
               type.ofWorkgroup == to.ofWorkgroup;
    });
    if (!a) return std::nullopt;
    const auto b = w.variable(all, [&](const MatrixType& type) {
        return type.use == Use::kB && type.isFactor && type.columns == to.columns &&
               type.rows == all[*a].type.columns && type.ofWorkgroup == to.ofWorkgroup;
    });
    if (!b) return std::nullopt;
    const size_t c = *w.variable(all, [&](const MatrixType& type) { return type == to; });
    return Statement{std::format("{} = coopMatMulAdd({}, {}, {});\n", all[*i].name, all[*a].name,
                                 all[*b].name, all[c].name),
                     [i = *i, a = *a, b = *b, c](Machine& m) {
                         const Values addend = m.variables[c];
                         return multiplyAdd(m.variables[a], m.variables[b], addend, m.variables[i]);
                     }};
}

constexpr StatementMaker kMakers[] = {splat,      binary,        linear,  elements, swapped,
                                      conversion, transposition, product, product,  conversion};

}  // namespace

std::span<const StatementMaker> valueStatements() { return kMakers; }

}  // namespace coopvk::test

// SPDX-License-Identifier: Apache-2.0
//
// Statements that contain others: loops, branches, functions with matrix parameters.
#include <format>

#include "matrix_program.hpp"

namespace coopvk::test {
namespace {

using Made = std::optional<Statement>;

// One to three statements one after the other.
Statement sequence(ProgramWriter& w, const Variables& all) {
    Statement whole{"", [](Machine&) { return true; }};
    const size_t count = 1 + w.pick(3);
    ++w.depth;
    for (size_t made = 0, tries = 0; made < count && tries < 30; ++tries) {
        const Made one = randomStatement(w, all);
        if (!one) continue;
        ++made;
        whole.text += one->text;
        whole.functions += one->functions;
        whole.run = [former = whole.run, run = one->run](Machine& m) {
            return former(m) && run(m);
        };
    }
    --w.depth;
    return whole;
}

// The same on other variables: `inner` are copies of those of `outer`.
bool runOn(Machine& m, std::vector<Values>& inner, const Statement& body) {
    std::swap(m.variables, inner);
    const bool result = body.run(m);
    std::swap(m.variables, inner);
    return result;
}

Made loop(ProgramWriter& w, const Variables& all) {
    const auto turns = static_cast<uint32_t>(1 + w.pick(3));
    const Statement body = sequence(w, all);
    const uint32_t name = w.names++;
    return Statement{std::format("for (uint l{0} = 0; l{0} < {1}; ++l{0}) {{\n{2}}}\n", name,
                                 w.number(turns), body.text),
                     [=](Machine& m) {
                         for (uint32_t turn = 0; turn < turns; ++turn)
                             if (!body.run(m)) return false;
                         return true;
                     },
                     body.functions};
}

Made branch(ProgramWriter& w, const Variables& all) {
    const auto a = static_cast<uint32_t>(w.pick(4)), b = static_cast<uint32_t>(w.pick(4));
    const bool isLess = w.chance(2);
    const Statement then = sequence(w, all), otherwise = sequence(w, all);
    return Statement{
        std::format("if ({} {} {}u) {{\n{}}} else {{\n{}}}\n", w.number(a), isLess ? "<" : "==", b,
                    then.text, otherwise.text),
        [=](Machine& m) { return (isLess ? a < b : a == b) ? then.run(m) : otherwise.run(m); },
        then.functions + otherwise.functions};
}

// Not uniform in the workgroup: only a subgroup's matrices.
Made branchOfSubgroups(ProgramWriter& w, const Variables& all) {
    Variables own;
    std::vector<size_t> indices;
    for (size_t v = 0; v < all.size(); ++v) {
        if (all[v].type.ofWorkgroup) continue;
        own.push_back(all[v]);
        indices.push_back(v);
    }
    if (own.empty()) return std::nullopt;
    const auto which = static_cast<uint32_t>(w.pick(2));
    const Statement body = sequence(w, own);
    return Statement{std::format("if (gl_SubgroupID % 2 == {}u) {{\n{}}}\n", which, body.text),
                     [=](Machine& m) {
                         if (m.subgroup % 2 != which) return true;
                         std::vector<Values> inner;
                         for (const size_t v : indices) inner.push_back(m.variables[v]);
                         const bool result = runOn(m, inner, body);
                         for (size_t v = 0; v < indices.size(); ++v)
                             m.variables[indices[v]] = inner[v];
                         return result;
                     },
                     body.functions};
}

// A function of a matrix and of one that it changes, with a variable of its own.
Made call(ProgramWriter& w, const Variables& all) {
    const auto any = [](const MatrixType&) { return true; };
    const size_t i = *w.variable(all, any), k = *w.variable(all, any);
    if (i == k) return std::nullopt;
    const MatrixType type = all[i].type;
    const size_t j = *w.variable(all, [&](const MatrixType& other) { return other == type; });
    const Variables own = {{"p", type}, {"q", all[k].type}, {"r", type}};
    const Statement body = sequence(w, own);
    const uint32_t name = w.names++;
    const std::string function =
        std::format("{0} f{1}({0} p, inout {2} q) {{\n{0} r = p;\n{3}return r;\n}}\n", type.glsl(),
                    name, all[k].type.glsl(), body.text);
    return Statement{
        std::format("{} = f{}({}, {});\n", all[i].name, name, all[j].name, all[k].name),
        [=](Machine& m) {
            std::vector<Values> inner = {m.variables[j], m.variables[k], m.variables[j]};
            const bool result = runOn(m, inner, body);
            m.variables[k] = inner[1];
            m.variables[i] = inner[2];
            return result;
        },
        body.functions + function};
}

constexpr StatementMaker kMakers[] = {loop, branch, branchOfSubgroups, call};

}  // namespace

std::span<const StatementMaker> controlStatements() { return kMakers; }

}  // namespace coopvk::test

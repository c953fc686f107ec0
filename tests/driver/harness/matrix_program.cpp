// SPDX-License-Identifier: Apache-2.0
#include "matrix_program.hpp"

#include <gtest/gtest.h>

#include <format>

#include "glsl.hpp"

namespace coopvk::test {
namespace {

struct Types {
    Component factor, sum;
};
constexpr Types kTypes[] = {{Component::kF16, Component::kF32},
                            {Component::kF16, Component::kF16},
                            {Component::kS8, Component::kS32},
                            {Component::kU8, Component::kU32}};

// Above these, not every integer is a value of the type.
int64_t limitOf(Component component) { return component == Component::kF16 ? 2048 : 1 << 24; }

}  // namespace

std::string MatrixType::glsl() const {
    std::string text = glsl::matrix(component, rows, columns, use);
    if (ofWorkgroup) text.replace(text.find("gl_ScopeSubgroup"), 16, "gl_ScopeWorkgroup");
    return text;
}

std::string MatrixType::offset(uint32_t step) const {
    return ofWorkgroup ? "" : std::format(" + gl_SubgroupID * {}u", step);
}

std::string MatrixType::barrier() const {
    return std::format(
        "controlBarrier({0}, {0}, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, "
        "gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);\n",
        ofWorkgroup ? "gl_ScopeWorkgroup" : "gl_ScopeSubgroup");
}

bool fit(Component component, int64_t& value) {
    const ComponentInfo& of = info(component);
    if (of.isFloat()) return std::abs(value) <= limitOf(component);
    value =
        static_cast<int64_t>(toInteger(component, wrap(static_cast<uint64_t>(value), of.bits())));
    return true;
}

bool fit(Values& values) {
    bool all = true;
    for (int64_t& element : values.elements) all = fit(values.type.component, element) && all;
    return all;
}

ProgramWriter::ProgramWriter(uint32_t number)
    : rng(std::format("MatrixProgram{}", number)), seed(rng.next()) {
    const Types& types = kTypes[pick(std::size(kTypes))];
    factor = types.factor;
    sum = types.sum;
}

std::optional<size_t> ProgramWriter::variable(const Variables& of,
                                              const std::function<bool(const MatrixType&)>& is) {
    std::vector<size_t> suitable;
    for (size_t v = 0; v < of.size(); ++v)
        if (is(of[v].type)) suitable.push_back(v);
    if (suitable.empty()) return std::nullopt;
    return suitable[pick(suitable.size())];
}

std::string ProgramWriter::number(uint32_t value) {
    return chance(2) ? std::format("push.n[{}]", value) : std::format("{}u", value);
}

int64_t ProgramWriter::input(bool isFactor, uint32_t index) const {
    Rng element(seed + index * 2 + isFactor);
    const Component component = isFactor ? factor : sum;
    if (info(component).isFloat()) return element.range(-4, 4);
    auto value = static_cast<int64_t>(element.next());
    fit(component, value);
    return value;
}

void ProgramWriter::reads(bool isFactor, uint32_t end) {
    inputEnd[isFactor] = std::max(inputEnd[isFactor], end);
}

uint32_t ProgramWriter::output(bool isFactor, uint32_t count) {
    const uint32_t first = outputEnd[isFactor];
    outputEnd[isFactor] += count + static_cast<uint32_t>(pick(9));
    return first;
}

std::optional<Statement> randomStatement(ProgramWriter& w, const Variables& variables) {
    // Statements that contain others: not too deep.
    std::vector<std::span<const StatementMaker>> kinds = {valueStatements(), valueStatements(),
                                                          callbackStatements(), memoryStatements()};
    if (w.depth < 2) kinds.push_back(controlStatements());
    const std::span<const StatementMaker> kind = kinds[w.pick(kinds.size())];
    return kind[w.pick(kind.size())](w, variables);
}

}  // namespace coopvk::test

// SPDX-License-Identifier: Apache-2.0
//
// Random programs on matrices of VK_NV_cooperative_matrix2. Each statement is GLSL and a function
// that does the same on the host. Integers wrap; floats have integer values so small that all sums
// of them are exact.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compute.hpp"
#include "matrix_group.hpp"
#include "tensor.hpp"

namespace coopvk::test {

struct MatrixType {
    Component component;
    bool isFactor;  // component is that of factors, not of sums: programs have two
    uint32_t rows, columns;
    Use use;
    bool ofWorkgroup;

    bool operator==(const MatrixType&) const = default;
    std::string glsl() const;
    std::string_view scalar() const { return info(component).glsl; }
    // The ending of the names of buffers and functions for its component.
    std::string suffix() const { return isFactor ? "F" : "S"; }
    // gl_SubgroupID times `step`, to be added to an index; nothing for workgroups.
    std::string offset(uint32_t step) const;
    // A barrier after a matrix of this scope was written to memory.
    std::string barrier() const;
};

struct Values {
    Values(const MatrixType& of) : type(of), elements(size_t{of.rows} * of.columns) {}
    int64_t& at(uint32_t row, uint32_t column) { return elements[row * type.columns + column]; }
    int64_t at(uint32_t row, uint32_t column) const {
        return elements[row * type.columns + column];
    }

    MatrixType type;
    std::vector<int64_t> elements;
};

// Index of an element of binding 2 (factors) or 3 (sums).
struct OutputIndex {
    uint32_t binding, element;
    auto operator<=>(const OutputIndex&) const = default;
};

// The state of a subgroup: its variables, and a copy of the workgroup's.
struct Machine {
    uint32_t subgroup = 0;
    std::vector<Values> variables = {};
    std::map<OutputIndex, int64_t> written = {};
};

struct Variable {
    std::string name;
    MatrixType type;
};
using Variables = std::vector<Variable>;

struct Statement {
    std::string text;
    // False: a value is not exact, or undefined.
    std::function<bool(Machine&)> run;
    std::string functions = {};  // that the text calls
};

// Wraps integers. False if a float of this type cannot hold the value exactly.
bool fit(Component component, int64_t& value);
bool fit(Values& values);

// The numbers and declarations of one program.
struct ProgramWriter {
    explicit ProgramWriter(uint32_t number);

    size_t pick(size_t count) {
        return static_cast<size_t>(rng.range(0, static_cast<int64_t>(count) - 1));
    }
    bool chance(size_t oneIn) { return pick(oneIn) == 0; }
    // Any of the variables for which is(type) is true, else none.
    std::optional<size_t> variable(const Variables& of,
                                   const std::function<bool(const MatrixType&)>& is);
    // A number from 0 to 3 that compilers know, or do not.
    std::string number(uint32_t value);
    // An element of binding 0 (factors) or 1 (sums), which the program reads.
    int64_t input(bool isFactor, uint32_t index) const;
    void reads(bool isFactor, uint32_t end);
    // The first of `count` new elements of binding 2 or 3.
    uint32_t output(bool isFactor, uint32_t count);

    Rng rng;
    uint64_t seed;
    TensorText numbers{true};
    Component factor = {}, sum = {};
    uint32_t inputEnd[2] = {64, 64}, outputEnd[2] = {1, 1};  // of sums, of factors
    uint32_t names = 0;
    uint32_t depth = 0;  // of loops, branches and functions
};

using StatementMaker = std::optional<Statement> (*)(ProgramWriter&, const Variables&);
std::span<const StatementMaker> valueStatements();
std::span<const StatementMaker> callbackStatements();
std::span<const StatementMaker> memoryStatements();
std::span<const StatementMaker> controlStatements();
// One variable from input, or to output.
Statement loadOf(ProgramWriter& writer, const Variable& variable, size_t index);
Statement storeOf(ProgramWriter& writer, const Variable& variable, size_t index);
// Elements of a type in shared memory, for each subgroup.
inline constexpr uint32_t kSharedElements = 1152;
// A random statement; none if the variables do not suit the chosen kind.
std::optional<Statement> randomStatement(ProgramWriter& writer, const Variables& variables);
std::string callbackFunctions(const ProgramWriter& writer);

// Runs a program and compares everything that it writes, exactly.
void expectMatrixProgram(uint32_t number);

}  // namespace coopvk::test

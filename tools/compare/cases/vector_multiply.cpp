// SPDX-License-Identifier: Apache-2.0
//
// Products of a matrix in memory with each invocation's vector.
#include <algorithm>
#include <cmath>

#include "compare/cases/vector_cases.hpp"
#include "compare/numbers/conversion.hpp"

namespace coopvk::compare {
namespace {

enum MultiplyBinding : uint32_t { kInput, kMatrix, kBias, kResult };

struct MultiplyVariant {
    VectorRow row;
    uint32_t m, k;
    Layout layout;
    bool transpose, bias, diverging;
    Storage storage;  // of matrix and bias
    Fill fill;
    std::string name;

    // The matrix in memory.
    uint32_t rows() const { return transpose ? k : m; }
    uint32_t columns() const { return transpose ? m : k; }
};

// Offsets in bytes at which matrix and bias start: the alignments that the rules require.
constexpr size_t kMatrixOffset = 64;
constexpr size_t kBiasOffset = 16;
constexpr size_t kStrideAlignment = 16;

size_t alignUp(size_t value, size_t to) { return (value + to - 1) / to * to; }

Block matrixBlock(const MultiplyVariant& v) {
    const uint32_t bytes = info(v.row.matrix).bytes();
    Block block = {v.row.matrix, v.rows(), v.columns(), false, v.columns() * bytes, 0};
    if (isOptimal(v.layout)) return block;  // converted from tight rows
    block.columnMajor = v.layout == VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_COLUMN_MAJOR_NV;
    const size_t line = size_t{block.columnMajor ? block.rows : block.columns} * bytes;
    block.stride = alignUp(line, kStrideAlignment) + kStrideAlignment;
    block.offset = kMatrixOffset;
    return block;
}

VectorProgram program(const MultiplyVariant& v, const Block& inputs, const Block& results) {
    const VectorRow& row = v.row;
    const Block matrix = matrixBlock(v);
    VectorProgram::Product product = {
        row.interpretation,
        {{v.storage, kMatrix, 0, row.matrix}, matrix.offset, row.matrix},
        {},
        v.m,
        v.k,
        v.layout,
        v.transpose,
        isOptimal(v.layout) ? 0 : matrix.stride};
    if (v.bias) product.bias = {{v.storage, kBias, 1, row.bias}, kBiasOffset, row.bias};
    const uint32_t components = row.isPacked() ? (v.k + 3) / 4 : v.k;
    VectorProgram program;
    program.inputs = {{{Storage::kBuffer, kInput, 0, row.input}, components, inputs}};
    program.result = {{Storage::kBuffer, kResult, 0, row.result}, v.m, results};
    program.step = product;
    program.diverging = v.diverging;
    return program;
}

Matrix drawInput(Rng& rng, const MultiplyVariant& v) {
    const VectorRow& row = v.row;
    if (row.isPacked())
        return randomMatrix(rng, row.interpretation, kInvocations, v.k, Fill::kRandom);
    if (info(row.result).isFloat()) {
        // With a float interpretation of less precision the input may keep its precision: use
        // values that both types have.
        const Matrix exact = randomMatrix(rng, row.interpretation, kInvocations, v.k, v.fill);
        Matrix in(row.input, kInvocations, v.k);
        for (size_t i = 0; i < in.elements.size(); ++i)
            in.elements[i] = encode(row.input, decode(row.interpretation, exact.elements[i]));
        return in;
    }
    if (row.input == row.interpretation)
        return randomMatrix(rng, row.input, kInvocations, v.k, Fill::kRandom);
    // Beyond the range of the interpretation, and between integers.
    Matrix in = randomRange(rng, row.input, kInvocations, v.k, -600, 600);
    if (info(row.input).isFloat())
        for (uint64_t& element : in.elements)
            element = encode(row.input, decode(row.input, element) / 2);
    return in;
}

struct MultiplyInputs {
    Matrix in, weights, bias;
};

Plan planOf(const MultiplyVariant& v, const MultiplyInputs& inputsOf, Rng& rng) {
    const VectorRow& row = v.row;
    const Component held = row.isPacked() ? row.interpretation : row.input;
    const Block inputs = vectorsOf(held, v.k), results = vectorsOf(row.result, v.m);
    const Block matrix = matrixBlock(v);
    const Block biases = {row.bias, 1, v.m, false, 0, kBiasOffset};
    const auto& [in, weights, bias] = inputsOf;
    Plan plan;
    plan.assembly = spirvOf(program(v, inputs, results));
    plan.labels = {"input", "matrix", "bias", "result"};
    for (const Block* block : {&inputs, &matrix, &biases, &results})
        plan.buffers.push_back(rng.bytes(alignUp(block->end(), kStrideAlignment)));
    if (isOptimal(v.layout)) {
        plan.buffers[kMatrix].resize(matrix.end());
        plan.relayouts.push_back({kMatrix, row.matrix, v.rows(), v.columns(), v.layout, false});
    }
    scatter(in, inputs, plan.buffers[kInput]);
    scatter(weights, matrix, plan.buffers[kMatrix]);
    scatter(bias, biases, plan.buffers[kBias]);
    if (v.storage == Storage::kAddress) {
        plan.addresses = {kMatrix};
        if (v.bias) plan.addresses.push_back(kBias);
    }
    plan.output = kResult;
    plan.result = results;
    return plan;
}

Plan plan(const MultiplyVariant& v, uint64_t seed) {
    const VectorRow& row = v.row;
    Rng rng(seed, v.name);
    MultiplyInputs inputs;
    inputs.in = drawInput(rng, v);
    inputs.weights = randomMatrix(rng, row.matrix, v.rows(), v.columns(), v.fill);
    inputs.bias = randomMatrix(rng, row.bias, 1, v.m, v.fill);
    Plan plan = planOf(v, inputs, rng);
    if (v.fill == Fill::kExact || !info(row.result).isFloat()) return plan;
    plan.freedom.inIntervals = true;
    return plan;
}

std::string caseName(const MultiplyVariant& v) {
    return nameOf(v.row) + (v.bias ? "/multiply-add/" : "/multiply/") + std::to_string(v.m) + "x" +
           std::to_string(v.k) + " " + nameOf(v.layout) + (v.transpose ? " transposed" : "") +
           ", " + std::string(nameOf(v.storage)) + (v.diverging ? ", diverging" : "") +
           (v.fill == Fill::kExact ? ", exact" : ", random");
}

void add(MultiplyVariant v, std::vector<Case>& cases) {
    for (const Fill fill : {Fill::kExact, Fill::kRandom}) {
        if (fill == Fill::kExact && !info(v.row.result).isFloat()) continue;
        v.fill = fill;
        v.name = caseName(v);
        const OnSides sides = v.transpose ? v.row.listed & v.row.transpose : v.row.listed;
        cases.push_back({v.name, nameOf(v.row), v.bias ? "multiply-add" : "multiply", sides.native,
                         sides.emulated,
                         [v](const DeviceShape&, uint64_t seed) { return plan(v, seed); }});
    }
}

struct MultiplySize {
    uint32_t m, k;
    bool bias;
};
constexpr MultiplySize kMultiplySizes[] = {
    {16, 16, false}, {21, 35, false}, {32, 48, true}, {5, 20, true}};

}  // namespace

void addVectorMultiply(const VectorRow& row, std::vector<Case>& cases) {
    for (const Layout layout : kAllLayouts) {
        if (!isOptimal(layout) && info(row.matrix).isFloat8()) continue;
        for (const bool transpose : {false, true}) {
            if (transpose && (!isOptimal(layout) || !row.transpose.any())) continue;
            for (const MultiplySize& size : kMultiplySizes) {
                MultiplyVariant v = {row,       size.m, size.k,           layout,       transpose,
                                     size.bias, false,  Storage::kBuffer, Fill::kExact, {}};
                add(v, cases);
                v.storage = Storage::kAddress;
                add(v, cases);
                v.diverging = true;
                if (size.m == kMultiplySizes[0].m || size.m == kMultiplySizes[2].m) add(v, cases);
            }
        }
    }
}

}  // namespace coopvk::compare

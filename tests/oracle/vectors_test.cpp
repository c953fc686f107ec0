// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeVectorMatrixMulNV and -MulAddNV: interpretations of the input, layouts of the
// matrix, biases, and sums. The text leaves the optimal layouts to the implementation; the device's
// are arrays of elements row by row (docs/developers/reference-driver.md); coopvk's rows begin at
// multiples of 16 bytes (docs/developers/matrix-conversions.md).
#include <gtest/gtest.h>

#include <format>

#include "../test_part.hpp"
#include "matrices.hpp"
#include "rewritten.hpp"
#include "sums.hpp"

namespace coopvk::oracle::vectors_test {
namespace {

using reference::Interval;

// SPV_NV_cooperative_vector, "Component Type".
constexpr uint32_t kFloat16 = 0, kFloat32 = 1, kSigned8 = 3, kSigned32 = 5, kUnsigned8 = 7,
                   kUnsigned32 = 9, kSigned8Packed = 1000491000, kUnsigned8Packed = 1000491001,
                   kFloatE4M3 = 1000491002, kFloatE5M2 = 1000491003;

const Format& formatOf(uint32_t component) {
    const std::pair<uint32_t, const Format*> rows[] = {
        {kFloat16, &kF16},      {kFloat32, &kF32},        {kSigned8, &kS8},
        {kSigned32, &kS32},     {kUnsigned8, &kU8},       {kUnsigned32, &kU32},
        {kSigned8Packed, &kS8}, {kUnsigned8Packed, &kU8}, {kFloatE4M3, &kE4m3},
        {kFloatE5M2, &kE5m2},
    };
    for (const auto& [number, format] : rows)
        if (number == component) return *format;
    throw std::runtime_error("no such component type");
}

struct Combination {
    const Format& input;
    uint32_t inputAs, matrixAs, biasAs;
    const Format& result;
};
const Combination kCombinations[] = {
    {kF16, kFloat16, kFloat16, kFloat16, kF16},
    {kF16, kFloat16, kFloat16, kFloat32, kF32},
    {kF32, kFloat32, kFloat32, kFloat32, kF32},
    {kF16, kFloatE4M3, kFloatE4M3, kFloat16, kF16},
    {kF16, kFloatE5M2, kFloatE5M2, kFloat16, kF16},
    {kF32, kFloatE4M3, kFloatE4M3, kFloat32, kF32},
    {kF32, kSigned8, kSigned8, kSigned32, kS32},
    {kF32, kUnsigned8, kUnsigned8, kUnsigned32, kU32},
    {kS8, kSigned8, kSigned8, kSigned32, kS32},
    {kU8, kUnsigned8, kUnsigned8, kUnsigned32, kU32},
    {kS32, kSigned8, kSigned8, kSigned32, kS32},
    {kU32, kSigned8Packed, kSigned8, kSigned32, kS32},
    {kU32, kUnsigned8Packed, kUnsigned8, kUnsigned32, kU32},
};

struct Shape {
    uint32_t m, k, layout, stride;  // stride in bytes
    bool transposes;
};
const Shape kShapes[] = {{5, 7, 0, 64, false}, {8, 16, 1, 48, false}, {16, 12, 2, 0, false},
                         {9, 20, 3, 0, false}, {12, 8, 3, 0, true},   {6, 18, 2, 0, true}};

constexpr uint32_t kInvocations = 8, kMatrixOffset = 64, kBiasOffset = 16, kResultBytes = 128;

bool isPacked(const Combination& c) {
    return c.inputAs >= kSigned8Packed && c.inputAs <= kUnsigned8Packed;
}

// The byte of an element in the matrix's memory; `row` and `column` as they are multiplied.
size_t byteOf(const Shape& shape, const Format& format, uint32_t row, uint32_t column) {
    const auto bytes = size_t(format.bits) / 8;
    switch (shape.layout) {
        case 0:
            return size_t{row} * shape.stride + column * bytes;
        case 1:
            return size_t{column} * shape.stride + row * bytes;
        default:
            break;
    }
    const size_t line = shape.transposes ? column : row, place = shape.transposes ? row : column;
    const size_t length = (shape.transposes ? shape.m : shape.k) * bytes;
    return line * (judgesRewriter() ? (length + 15) / 16 * 16 : length) + place * bytes;
}

void put(std::vector<uint32_t>& words, size_t byte, int bits, uint64_t value) {
    for (int i = 0; i < bits / 8; ++i, ++byte) {
        if (words.size() * 4 <= byte) words.resize(byte / 4 + 1);
        words[byte / 4] &= ~(0xFFu << byte % 4 * 8);
        words[byte / 4] |= uint32_t(value >> (8 * i) & 0xFF) << byte % 4 * 8;
    }
}

struct Inputs {
    std::vector<uint64_t> input, matrix, bias;  // vectors one behind the other; the matrix by rows
};

uint32_t componentsOf(const Combination& c, const Shape& shape) {
    return isPacked(c) ? (shape.k + 3) / 4 : shape.k;
}
uint32_t inputBytes(const Combination& c, const Shape& shape) {
    return (componentsOf(c, shape) * uint32_t(c.input.bits) / 8 + 15) / 16 * 16;
}

Module moduleOf(const Combination& c, const Shape& shape, bool hasBias) {
    Module module(kInvocations);
    module.capability("CooperativeVectorNV", "SPV_NV_cooperative_vector");
    const Id word = module.scalar(kU32), index = module.builtIn("GlobalInvocationId");
    const auto vectorOf = [&](const Format& format, uint32_t count) {
        return module.type(std::format("OpTypeCooperativeVectorNV {} {}", module.scalar(format),
                                       module.u32(count)));
    };
    const Id boolean = module.type("OpTypeBool");
    const Id at =
        module.value("OpIMul " + word + " " + index + " " + module.u32(inputBytes(c, shape)));
    const Id input = module.value(std::format("OpCooperativeVectorLoadNV {} {} {}",
                                              vectorOf(c.input, componentsOf(c, shape)),
                                              module.wholeArray(0, word, 4), at));
    std::string text = std::format(
        "{} {} {} {} {} {} {}",
        hasBias ? "OpCooperativeVectorMatrixMulAddNV" : "OpCooperativeVectorMatrixMulNV",
        vectorOf(c.result, shape.m), input, module.u32(c.inputAs), module.wholeArray(1, word, 4),
        module.u32(kMatrixOffset), module.u32(c.matrixAs));
    if (hasBias)
        text += std::format(" {} {} {}", module.wholeArray(2, word, 4), module.u32(kBiasOffset),
                            module.u32(c.biasAs));
    text += std::format(
        " {} {} {} {} {}", module.u32(shape.m), module.u32(shape.k), module.u32(shape.layout),
        module.type((shape.transposes ? "OpConstantTrue " : "OpConstantFalse ") + boolean),
        module.u32(shape.stride));
    if (c.result.isSigned()) text += " MatrixBSignedComponentsKHR|MatrixResultSignedComponentsKHR";
    const Id result = module.value(text);
    const Id to = module.value("OpIMul " + word + " " + index + " " + module.u32(kResultBytes));
    module.instruction("OpCooperativeVectorStoreNV " + module.wholeArray(3, word, 4) + " " + to +
                       " " + result);
    return module;
}

struct Outcome {
    std::vector<uint64_t> bits;  // m of each invocation
    std::vector<Interval> intervals;
};

Outcome outcomeOf(const Combination& c, const Shape& shape, bool hasBias, const Inputs& inputs,
                  reference::Choice sums) {
    reference::Intervals intervals;
    reference::test::Execution execution;
    execution.lanes = kInvocations;
    execution.settings.sums = sums;
    execution.settings.intervals = &intervals;
    const uint32_t components = componentsOf(c, shape);
    for (uint32_t v = 0; v < kInvocations; ++v)
        for (uint32_t i = 0; i < components; ++i)
            put(execution.buffers[0],
                size_t{v} * inputBytes(c, shape) + i * size_t(c.input.bits) / 8, c.input.bits,
                inputs.input[v * components + i]);
    execution.buffers[0].resize(kInvocations * inputBytes(c, shape) / 4);
    const Format &matrix = formatOf(c.matrixAs), &bias = formatOf(c.biasAs);
    for (uint32_t row = 0; row < shape.m; ++row) {
        for (uint32_t k = 0; k < shape.k; ++k)
            put(execution.buffers[1], kMatrixOffset + byteOf(shape, matrix, row, k), matrix.bits,
                inputs.matrix[row * shape.k + k]);
        put(execution.buffers[2], kBiasOffset + row * size_t(bias.bits) / 8, bias.bits,
            inputs.bias[row]);
    }
    if (judgesRewriter() && shape.layout >= 2)  // its sizes are multiples of 64 bytes
        execution.buffers[1].resize((execution.buffers[1].size() + 15) / 16 * 16);
    execution.buffers[3].resize(kInvocations * kResultBytes / 4);
    for (const auto& [binding, words] : execution.buffers)
        execution.deviations[binding].resize(words.size() * 4);
    run(execution, moduleOf(c, shape, hasBias));
    Outcome outcome;
    for (uint32_t v = 0; v < kInvocations; ++v)
        for (uint32_t row = 0; row < shape.m; ++row) {
            const size_t element = size_t{v} * kResultBytes * 8 / size_t(c.result.bits) + row;
            outcome.bits.push_back(unpacked(c.result, execution.buffers[3], element));
            const auto deviation = execution.deviations[3][element * size_t(c.result.bits) / 8];
            outcome.intervals.push_back(
                reference::intervalOf(deviation, numberOf(c.result), outcome.bits.back()));
        }
    return outcome;
}

// "Integer to integer conversion saturates. Float to float conversion is implementation-dependent
// but preserves the value as accurately as reasonably possible. Float to integer conversion is
// round-to-nearest-even and saturating."
Real interpreted(const Combination& c, const Inputs& inputs, const Shape& shape, uint32_t v,
                 uint32_t k) {
    const Format& as = formatOf(c.inputAs);
    const uint32_t components = componentsOf(c, shape);
    if (isPacked(c)) return valueOf(as, inputs.input[v * components + k / 4] >> (k % 4 * 8) & 0xFF);
    return round(as, valueOf(c.input, inputs.input[v * components + k]));
}

// Numbers whose conversion the text defines. That coopvk keeps what 8-bit floats cannot hold is "as
// accurately", too.
uint64_t inputOf(const Combination& c, Data data, Random& random) {
    const uint64_t bits = elementOf(c.input, data, random);
    const Format& as = formatOf(c.inputAs);
    const Real value = valueOf(c.input, bits);
    const bool isFree = isPacked(c) || &c.input == &as || (as.isInteger() && !value.isNan()) ||
                        (value.isFinite() && value.magnitudeOf() <= as.largest());
    if (judgesRewriter() && isFree && !isPacked(c) && as.isFloat() && &c.input != &as &&
        value.isFinite())
        return bitsOf(c.input, round(as, value));
    return isFree ? bits : 0;
}

class VectorProducts : public testing::TestWithParam<Combination> {
 protected:
    Random random{31};

    Inputs inputsOf(const Combination& c, const Shape& shape, Data data) {
        Inputs inputs;
        inputs.input.resize(kInvocations * componentsOf(c, shape));
        for (uint64_t& each : inputs.input) each = inputOf(c, data, random);
        inputs.matrix = elements(formatOf(c.matrixAs), data, shape.m * shape.k, random);
        inputs.bias = elements(formatOf(c.biasAs), data, shape.m, random);
        return inputs;
    }
    Terms termsOf(const Combination& c, const Shape& shape, bool hasBias, const Inputs& inputs,
                  size_t i) {
        Terms terms;
        const auto v = uint32_t(i) / shape.m, row = uint32_t(i) % shape.m;
        for (uint32_t k = 0; k < shape.k; ++k)
            terms.products.emplace_back(
                valueOf(formatOf(c.matrixAs), inputs.matrix[row * shape.k + k]),
                interpreted(c, inputs, shape, v, k));
        if (hasBias) terms.addends.push_back(valueOf(formatOf(c.biasAs), inputs.bias[row]));
        return terms;
    }

    void expectResults(const Combination& c, const Shape& shape, bool hasBias, Data data) {
        const Inputs inputs = inputsOf(c, shape, data);
        const bool isExact = random() % 2 == 0;
        const Outcome outcome =
            outcomeOf(c, shape, hasBias, inputs,
                      isExact ? reference::Choice::kExact : reference::Choice::kShuffled);
        for (size_t i = 0; i < outcome.bits.size(); ++i) {
            const Terms terms = termsOf(c, shape, hasBias, inputs, i);
            const Real sum = exactSum(terms), value = valueOf(c.result, outcome.bits[i]);
            if (c.result.isInteger()) {
                const auto whole =
                    uint64_t(sum.isNegative() ? 0 - sum.magnitude() : sum.magnitude());
                ASSERT_EQ(outcome.bits[i], whole & c.result.mask());
                continue;
            }
            ASSERT_TRUE(permitted(c.result, terms).contains(value)) << textOf(value);
            const Real exact = round(c.result, sum);
            ASSERT_TRUE(!isExact || judgesRewriter() || areSame(value, exact) ||
                        (value.isZero() && exact.isZero()));
            ASSERT_TRUE(contains(outcome.intervals[i], exact)) << textOf(exact);
            for (int order = 0; order < 8; ++order) {
                const Real other = sampled(c.result, terms, random);
                ASSERT_TRUE(contains(outcome.intervals[i], other))
                    << textOf(other) << " is not in " << textOf(outcome.intervals[i]);
            }
        }
    }
};

TEST_P(VectorProducts, AreWhatTheTextPermits) {
    const Combination& c = GetParam();
    for (const Shape& shape : kShapes)
        for (const Data data : kAllData) {
            SCOPED_TRACE(std::format("layout {}, transposes {}, data {}", shape.layout,
                                     shape.transposes, int(data)));
            expectResults(c, shape, random() % 2 == 0, data);
            if (test::runsAll())
                for (int i = 0; i < 50; ++i) expectResults(c, shape, i % 2 == 0, data);
        }
}

INSTANTIATE_TEST_SUITE_P(Oracle, VectorProducts, testing::ValuesIn(kCombinations),
                         [](const auto& given) {
                             const Combination& c = given.param;
                             return std::format("{}_as{}_{}_{}", c.input.name, c.inputAs,
                                                c.matrixAs, c.result.name);
                         });

}  // namespace
}  // namespace coopvk::oracle::vectors_test

// SPDX-License-Identifier: Apache-2.0
//
// Outer products and sums that many invocations add to memory: all to one place, each to its own
// place, and some to the same place. Values are small integers, since the order of additions is
// undefined.
#include <gtest/gtest.h>

#include "harness/covering.hpp"
#include "harness/random.hpp"
#include "harness/reference.hpp"
#include "harness/rewritten.hpp"
#include "harness/vector.hpp"

namespace coopvk::test::vector_training_test {
namespace {

// kSharedWords: an array of u32, whatever is added; coopvk adds by compare-exchange there, to an
// array of f32 by the device's atomics and to one of f16 under a lock.
enum class Where { kBuffer, kAddress, kShared, kSharedWords };
enum class Target { kOne, kOwn, kSome };

struct Case {
    VkComponentTypeKHR vector, matrix;
    uint32_t m, n;  // m 0: a sum of vectors of n components
    MatrixLayout layout = kTraining;
    Where where = Where::kBuffer;
    Target target = Target::kOne;
    bool divergent = false;
};

std::string nameOf(const testing::TestParamInfo<Case>& info) {
    const Case& c = info.param;
    constexpr const char* kLayouts[] = {"Rows", "Columns", "Inference", "Training"};
    constexpr const char* kWhere[] = {"", "Address", "Shared", "SharedWords"};
    constexpr const char* kTargets[] = {"One", "Own", "Some"};
    return std::string(component(c.vector).name) + "_" + std::string(component(c.matrix).name) +
           "_" + std::to_string(c.m) + "x" + std::to_string(c.n) + kLayouts[c.layout] +
           kWhere[static_cast<int>(c.where)] + kTargets[static_cast<int>(c.target)] +
           (c.divergent ? "Divergent" : "") + "_" + std::to_string(info.index);
}

using Prepare = Words (*)(const Words&);

size_t align(size_t value, size_t to) { return (value + to - 1) / to * to; }

constexpr uint32_t kInvocations = 32;
constexpr uint32_t kGroups = 3;

class VectorTraining : public testing::TestWithParam<Case> {
 protected:
    void check(Prepare prepared);

    const Case& c_ = GetParam();
    const VectorComponent& vector_ = component(c_.vector);
    const VectorComponent& matrix_ = component(c_.matrix);

    bool optimal() const { return c_.layout != kRowMajor && c_.layout != kColumnMajor; }
    size_t stride() const {
        return align((c_.layout == kColumnMajor ? c_.m : c_.n) * matrix_.bytes, 16) + 16;
    }
    size_t bytesOf(uint32_t count) const { return align(count * vector_.bytes, 16); }
    uint32_t targetOf(uint32_t i) const {
        if (c_.target == Target::kOne) return 1;
        return c_.target == Target::kOwn ? i : i / 5;
    }

    // Number k of the shared array, as matrix element.
    std::string sharedValue() const {
        if (c_.where != Where::kSharedWords) return "s[k]";
        return matrix_.bytes == 4 ? "uintBitsToFloat(s[k])" : "unpackFloat2x16(s[k / 2])[k % 2]";
    }

    std::string source(size_t bytes) const {
        const std::string type(vector_.glsl);
        std::string text = vectorHeader(kInvocations);
        text += "layout(push_constant) uniform P { uint64_t r; } push;\n";
        text += "layout(set = 0, binding = 0) readonly buffer A { " + type + " a[]; };\n";
        text += "layout(set = 0, binding = 1) readonly buffer B { " + type + " b[]; };\n";
        const std::string element(matrix_.glsl);
        const bool words32 = c_.where == Where::kSharedWords;
        const bool shared = words32 || c_.where == Where::kShared;
        text += c_.where == Where::kAddress ? "layout(buffer_reference) "
                                            : "layout(set = 0, binding = 2) ";
        text += "buffer R { " + element + " r[]; };\n";
        const size_t words = 2 * bytes / matrix_.bytes;
        const std::string cell = words32 ? "uint" : element;
        const size_t cells = words32 ? 2 * bytes / 4 : words;
        if (shared) text += "shared " + cell + " s[" + std::to_string(cells) + "];\n";
        text += "void main() {\nuint i = gl_GlobalInvocationID.x;\n";
        if (shared) {
            text += "if (gl_LocalInvocationIndex == 0) for (uint k = 0; k < " +
                    std::to_string(cells) + "; ++k) s[k] = " + cell + "(0);\nbarrier();\n";
        }
        text += std::string("uint target = ") +
                (c_.target == Target::kOne   ? "1"
                 : c_.target == Target::kOwn ? "i"
                                             : "i / 5") +
                ";\n";
        const auto vector = [&](const char* name, const char* array, uint32_t count) {
            text += "coopvecNV<" + type + ", " + std::to_string(count) + "> " + name +
                    ";\ncoopVecLoadNV(" + name + ", " + array + ", i * " +
                    std::to_string(bytesOf(count)) + ");\n";
        };
        if (c_.m != 0) vector("A", "a", c_.m);
        vector("B", "b", c_.n);
        if (c_.divergent) text += "if (i % 3 != 1)\n";
        const std::string where = shared ? "s" : c_.where == Where::kAddress ? "R(push.r).r" : "r";
        const std::string offset = "target * " + std::to_string(bytes);
        if (c_.m == 0) {
            text += "coopVecReduceSumAccumulateNV(B, " + where + ", " + offset + ");\n";
        } else {
            constexpr const char* kLayouts[] = {"RowMajor", "ColumnMajor", "InferencingOptimal",
                                                "TrainingOptimal"};
            text += "coopVecOuterProductAccumulateNV(A, B, " + where + ", " + offset + ", " +
                    std::to_string(optimal() ? 0 : stride()) +
                    ", gl_CooperativeVectorMatrixLayout" + kLayouts[c_.layout] + "NV, " +
                    std::string(matrix_.token) + ");\n";
        }
        if (shared) {
            text +=
                "barrier();\nif (gl_LocalInvocationIndex == 0 && gl_WorkGroupID.x == 0) for "
                "(uint k = 0; k < " +
                std::to_string(words) + "; ++k) r[k] += " + sharedValue() + ";\n";
        }
        return text + "}\n";
    }
};

void VectorTraining::check(Prepare prepared) {
    Rng rng(nameOf({c_, 0}));
    const uint32_t count = kInvocations * kGroups;
    const uint32_t rows = std::max(c_.m, 1u);
    ConversionRequest back = {{c_.matrix, c_.layout, optimal() ? 0 : stride()},
                              {c_.matrix, kRowMajor, c_.n * matrix_.bytes},
                              rows,
                              c_.n};
    ConversionRequest there = back;
    std::swap(there.from, there.to);
    const size_t lines = c_.layout == kColumnMajor ? c_.n : rows;
    const size_t bytes = align(c_.m == 0   ? c_.n * matrix_.bytes
                               : optimal() ? querySize(there)
                                           : lines * stride(),
                               64);
    std::vector<Bytes> buffers;
    for (uint32_t operand = 0; operand < 2; ++operand) {
        const uint32_t size = operand == 0 ? rows : c_.n;
        Bytes data(count * bytesOf(size));
        for (uint32_t i = 0; i < count; ++i) {
            for (uint32_t e = 0; e < size; ++e) {
                const auto value = static_cast<double>(rng.range(-2, 2));
                putElement(data, i * bytesOf(size) + e * vector_.bytes, vector_, value);
            }
        }
        buffers.push_back(std::move(data));
    }
    const uint32_t targets = targetOf(count - 1) + 1;
    buffers.push_back(Bytes(targets * bytes));
    for (size_t e = 0; e < targets * bytes / matrix_.bytes; ++e) {
        putElement(buffers[2], e * matrix_.bytes, matrix_, 3);
    }
    Dispatch dispatch;
    dispatch.buffers = buffers;
    dispatch.groups = {kGroups, 1, 1};
    if (c_.where == Where::kAddress) dispatch.addresses = {2};
    const Words words = compileGlsl(source(bytes));
    const Bytes result = run(prepared(words), dispatch)[2],
                expected = expectedOf(words, dispatch)[2];
    for (uint32_t target = 0; target < targets; ++target) {
        Bytes plain(rows * c_.n * matrix_.bytes);
        const Bytes blob(result.begin() + static_cast<ptrdiff_t>(target * bytes),
                         result.begin() + static_cast<ptrdiff_t>((target + 1) * bytes));
        if (c_.m != 0 && optimal()) plain = convertOnHost(back, blob, plain);
        for (uint32_t row = 0; row < rows; ++row) {
            for (uint32_t column = 0; column < c_.n; ++column) {
                // The reference device's own optimal layouts are rows without gaps.
                const size_t at = c_.m == 0 || optimal() ? (row * c_.n + column) * matrix_.bytes
                                                         : back.from.offset(row, column);
                const double sum = getElement(expected, target * bytes + at, matrix_);
                double got = 0;
                if (c_.m == 0) {
                    got = getElement(blob, column * matrix_.bytes, matrix_);
                } else if (optimal()) {
                    got = getElement(plain, (row * c_.n + column) * matrix_.bytes, matrix_);
                } else {
                    got = getElement(blob, back.from.offset(row, column), matrix_);
                }
                ASSERT_EQ(got, sum) << "target " << target << " (" << row << ", " << column << ")";
            }
        }
    }
}

TEST_P(VectorTraining, Adds) {
    check([](const Words& words) { return words; });
}

// Code for GPUs with few registers also runs on others.
class VectorTrainingFewRegisters : public VectorTraining {};
TEST_P(VectorTrainingFewRegisters, Adds) {
    if (optimal() && !Context::get().emulated) GTEST_SKIP() << "not the driver's own layout";
    check(forFewRegisters);
}

// Vectors that are taken in one part and in several, with whole pairs and with half of one.
std::vector<Case> fewRegisterCases() {
    constexpr VkComponentTypeKHR kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR;
    constexpr VkComponentTypeKHR kF32 = VK_COMPONENT_TYPE_FLOAT32_KHR;
    std::vector<Case> list;
    for (const auto& [vector, matrix] : {std::pair{kF16, kF16}, {kF16, kF32}, {kF32, kF32}}) {
        for (const uint32_t m : {1u, 64u, 67u, 129u}) {
            list.push_back({vector, matrix, m, 5, kTraining, Where::kBuffer, Target::kOne});
            list.push_back({vector, matrix, m, 6, kRowMajor, Where::kAddress, Target::kSome, true});
            list.push_back({vector, matrix, 4, m, kColumnMajor, Where::kBuffer, Target::kOwn});
            if (vector != matrix) continue;
            list.push_back({vector, matrix, 0, m, kTraining, Where::kBuffer, Target::kOne});
            list.push_back({vector, matrix, 0, m, kTraining, Where::kBuffer, Target::kSome, true});
        }
    }
    return list;
}

std::vector<Case> cases() {
    constexpr VkComponentTypeKHR kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR;
    constexpr VkComponentTypeKHR kF32 = VK_COMPONENT_TYPE_FLOAT32_KHR;
    std::vector<Case> list;
    for (const auto& [vector, matrix] : {std::pair{kF16, kF16}, {kF16, kF32}, {kF32, kF32}}) {
        for (const Target target : {Target::kOne, Target::kOwn, Target::kSome}) {
            for (const Where where : {Where::kBuffer, Where::kAddress}) {
                list.push_back({vector, matrix, 5, 7, kTraining, where, target});
                if (vector == matrix)
                    list.push_back({vector, matrix, 0, 9, kTraining, where, target});
            }
            list.push_back({vector, matrix, 8, 6, kRowMajor, Where::kBuffer, target, true});
            list.push_back({vector, matrix, 7, 4, kColumnMajor, Where::kBuffer, target});
            list.push_back({vector, matrix, 16, 33, kInferencing, Where::kBuffer, target, true});
            if (vector == matrix) {
                list.push_back({vector, matrix, 0, 1, kTraining, Where::kBuffer, target, true});
            }
        }
        for (const Where where : {Where::kShared, Where::kSharedWords}) {
            list.push_back({vector, matrix, 3, 5, kTraining, where, Target::kOne});
        }
        if (vector == matrix) {
            list.push_back({vector, matrix, 0, 300, kTraining, Where::kBuffer, Target::kOne});
            for (const Where where : {Where::kShared, Where::kSharedWords}) {
                list.push_back({vector, matrix, 0, 5, kTraining, where, Target::kOne, true});
            }
        }
    }
    return list;
}

std::vector<Case> covered(const std::vector<Case>& list) {
    return covering(list, [](const Case& c) {
        return factors(factor(c.vector) + " " + factor(c.matrix), factor(c.m) + "x" + factor(c.n),
                       c.layout, c.where, c.target, c.divergent);
    });
}

INSTANTIATE_TEST_SUITE_P(All, VectorTraining, testing::ValuesIn(covered(cases())), nameOf);
INSTANTIATE_TEST_SUITE_P(FewRegisters, VectorTrainingFewRegisters,
                         testing::ValuesIn(covered(fewRegisterCases())), nameOf);

}  // namespace
}  // namespace coopvk::test::vector_training_test

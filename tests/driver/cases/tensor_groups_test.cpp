// SPDX-License-Identifier: Apache-2.0
//
// Several consecutive OpCooperativeMatrixLoadTensorNV, which the rewriter may bring together: with
// layouts that allow the fastest way and with others, and with uses of one load before the next.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "harness/compute.hpp"
#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/tensor_case.hpp"

namespace coopvk::test::tensor_groups_test {
namespace {

enum class Between { kNothing, kCopy, kStore, kBranch };

struct Load {
    TensorWish wish;
    TensorCase tensor;
    Between behind = Between::kNothing;
    bool objectIsFormer = false;  // what the former load gave is kept where the view clips
    uint32_t first = 0;           // element of the buffer that all tensors are in
};

constexpr uint32_t kRows = 16, kColumns = 16, kCount = kRows * kColumns, kBytes = 2;

std::vector<Load> randomLoads(Rng& rng) {
    std::vector<Load> loads(static_cast<size_t>(rng.range(2, 6)));
    uint32_t end = 0;
    const bool allAligned = rng.range(0, 1) != 0;
    for (size_t i = 0; i < loads.size(); ++i) {
        Load& load = loads[i];
        constexpr TensorViewKind kKinds[] = {TensorViewKind::kNone, TensorViewKind::kNone,
                                             TensorViewKind::kPermutation, TensorViewKind::kClip};
        constexpr TensorClamp kClamps[] = {TensorClamp::undefined, TensorClamp::constant,
                                           TensorClamp::repeat};
        load.wish = {2, kClamps[rng.range(0, 2)], kKinds[rng.range(0, 3)], kRows, kColumns};
        load.wish.isAligned = allAligned || rng.range(0, 2) != 0;
        load.tensor = randomTensor(rng, load.wish);
        load.behind = static_cast<Between>(std::max<int64_t>(0, rng.range(-4, 3)));
        load.objectIsFormer = i > 0 && rng.range(0, 2) == 0;
        load.first = (end + 7) / 8 * 8 + (load.wish.isAligned ? 0 : 1);
        end = load.first + sizeOf(load.tensor.layout);
    }
    return loads;
}

std::string source(std::span<const Load> loads, TensorText& text, bool ofWorkgroup) {
    std::string matrix = glsl::matrix(Component::kF16, kRows, kColumns, Use::kAccumulator);
    if (ofWorkgroup) matrix.replace(matrix.find("gl_ScopeSubgroup"), 16, "gl_ScopeWorkgroup");
    const std::string head =
        glsl::header(ofWorkgroup ? 3 : 1) +
        "#extension GL_NV_cooperative_matrix2 : require\n"
        "layout(set = 0, binding = 3, scalar) buffer Numbers { uint numbers[]; };\n" +
        glsl::buffer(0, "tensors", "float16_t") + glsl::buffer(1, "results", "float16_t");
    std::string layouts, body, end;
    for (uint32_t i = 0; i < loads.size(); ++i) {
        const std::string t = std::format("t{}", i), v = std::format("v{}", i);
        layouts += text.layout(t, loads[i].tensor.layout);
        if (loads[i].tensor.view) layouts += text.view(v, *loads[i].tensor.view);
        body += std::format(
            "{} m{} = {};\n", matrix, i,
            loads[i].objectIsFormer ? std::format("m{}", i - 1) : std::format("{}(7.0hf)", matrix));
        body += std::format("coopMatLoadTensorNV(m{}, tensors, {}, {}{});\n", i,
                            text.number(loads[i].first), t, loads[i].tensor.view ? ", " + v : "");
        std::string stored = std::format("m{}", i);
        const auto store = [&] {
            return std::format(
                "coopMatStore({}, results, {}, {}, gl_CooperativeMatrixLayoutRowMajor);\n", stored,
                i * kCount, kColumns);
        };
        switch (loads[i].behind) {
            case Between::kStore:
                body += store();
                continue;
            case Between::kCopy:
                stored = std::format("copy{}", i);
                body += std::format("{} {} = m{};\n", matrix, stored, i);
                break;
            case Between::kBranch:
                body += std::format("if ({} == 0) m{} = {}(1.0hf);\n", text.number(1), i, matrix);
                break;
            case Between::kNothing:
                break;
        }
        end += store();
    }
    return head + "void main() {\n" + layouts + body + end + "}\n";
}

class TensorGroups : public testing::TestWithParam<uint32_t> {};

TEST_P(TensorGroups, EachLoadIsAsAlone) {
    const bool ofWorkgroup = GetParam() % 2 != 0;
    Rng rng(std::format("TensorGroups{}", GetParam()));
    const std::vector<Load> loads = randomLoads(rng);
    TensorText text(true);
    const Words words = compileGlsl(source(loads, text, ofWorkgroup));
    Dispatch dispatch;
    const auto numbers = std::as_bytes(std::span(text.numbers()));
    const uint32_t size = loads.back().first + sizeOf(loads.back().tensor.layout) + 8;
    dispatch.buffers = {rng.bytes(size_t{size} * kBytes), rng.bytes(loads.size() * kCount * kBytes),
                        Bytes(4), Bytes(numbers.begin(), numbers.end())};
    expectAsReference(words, dispatch);
}

// Even ones for subgroups, odd ones for workgroups.
std::vector<uint32_t> seeds() {
    std::vector<uint32_t> result;
    for (const auto& [scope, number] : coveringIndices(2, 6))
        result.push_back(static_cast<uint32_t>(2 * number + scope));
    return result;
}

INSTANTIATE_TEST_SUITE_P(Tensors, TensorGroups, testing::ValuesIn(seeds()));

}  // namespace
}  // namespace coopvk::test::tensor_groups_test

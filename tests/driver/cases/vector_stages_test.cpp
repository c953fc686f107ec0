// SPDX-License-Identifier: Apache-2.0
//
// Products, outer products and sums in every stage that the device has: each of 39 invocations
// multiplies its own vector by one matrix and adds to gradients that all share. Values are small
// integers, so sums in f16 are exact in any order of additions.
#include <gtest/gtest.h>

#include <map>

#include "harness/covering.hpp"
#include "harness/layer_log.hpp"
#include "harness/random.hpp"
#include "harness/stage_run.hpp"
#include "harness/vector.hpp"

namespace coopvk::test::vector_stages_test {
namespace {

enum class Who { kAll, kFilled, kDivergent, kDemoted };

struct Case {
    VkShaderStageFlagBits stage;
    Who who = Who::kAll;
};

constexpr VkComponentTypeKHR kF16 = VK_COMPONENT_TYPE_FLOAT16_KHR;
constexpr uint32_t kM = 21;
constexpr uint32_t kK = 16;
constexpr size_t kInBytes = 32;   // of a vector of K, of a row
constexpr size_t kOutBytes = 48;  // of a vector of M
// Helper invocations beside the 39 pixels have numbers up to 52.
constexpr uint32_t kNumbers = 64;
constexpr double kBefore = 3;  // in the gradients

std::string nameOf(const testing::TestParamInfo<Case>& info) {
    constexpr const char* kWho[] = {"", "Filled", "Divergent", "Demoted"};
    std::string name = stageName(info.param.stage);
    std::erase(name, '-');
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name + kWho[static_cast<int>(info.param.who)];
}

// A workgroup of whole subgroups only, or the usual one.
uint32_t invocationsOf(Who who) { return who == Who::kFilled ? kNumbers : kStageInvocations; }

std::string source(Who who) {
    std::string text =
        "#pragma use_vulkan_memory_model\n"
        "#extension GL_NV_cooperative_vector : require\n"
        "#extension GL_KHR_memory_scope_semantics : require\n";
    if (who == Who::kDemoted) text += "#extension GL_EXT_demote_to_helper_invocation : require\n";
    text +=
        "layout(buffer_reference, std430, buffer_reference_align = 16) buffer Halves "
        "{ float16_t v[]; };\n"
        "void work(uint i) {\n";
    if (who == Who::kDemoted) text += "  if (i % 4 == 2) demote;\n";
    text +=
        "  coopvecNV<float16_t, 16> x;\n"
        "  coopvecNV<float16_t, 21> u, o = coopvecNV<float16_t, 21>(float16_t(0));\n"
        "  coopVecLoadNV(x, Halves(table.address[0]).v, i * 32);\n"
        "  coopVecLoadNV(u, Halves(table.address[1]).v, i * 48);\n";
    if (who == Who::kDivergent) text += "  if (i % 3 != 1)\n";
    text +=
        "  coopVecMatMulAddNV(o, x, gl_ComponentTypeFloat16NV, Halves(table.address[2]).v, 0,\n"
        "      gl_ComponentTypeFloat16NV, Halves(table.address[3]).v, 0, gl_ComponentTypeFloat16NV,"
        "\n      21, 16, gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 32);\n"
        "  coopVecStoreNV(o, Halves(table.address[4]).v, i * 48);\n";
    if (who == Who::kDivergent) text += "  if (i % 5 == 2) return;\n";
    return text +
           "  coopVecOuterProductAccumulateNV(u, x, Halves(table.address[5]).v, 0, 0,\n"
           "      gl_CooperativeVectorMatrixLayoutTrainingOptimalNV, gl_ComponentTypeFloat16NV);\n"
           "  coopVecReduceSumAccumulateNV(x, Halves(table.address[6]).v, 0);\n}\n";
}

class VectorStages : public testing::TestWithParam<Case> {
 protected:
    void SetUp() override { LayerLog::take(); }

    // `count` vectors of `size` components, each `bytes` long.
    Bytes vectors(uint32_t count, uint32_t size, size_t bytes) {
        Bytes result = rng_.bytes(count * bytes);
        for (uint32_t i = 0; i < count; ++i)
            for (uint32_t e = 0; e < size; ++e)
                putElement(result, i * bytes + 2 * e, f16_, static_cast<double>(rng_.range(-2, 2)));
        return result;
    }
    Bytes filled(size_t bytes) const {
        Bytes result(bytes);
        for (size_t at = 0; at < bytes; at += 2) putElement(result, at, f16_, kBefore);
        return result;
    }
    double half(const Bytes& bytes, size_t at) const { return getElement(bytes, at, f16_); }

    const VectorComponent& f16_ = component(kF16);
    Rng rng_{nameOf({GetParam(), 0})};
};

TEST_P(VectorStages, Match) {
    const auto [stage, who] = GetParam();
    if (const std::string why = missing(stage); !why.empty()) GTEST_SKIP() << why;
    const ConversionRequest back = {{kF16, kTraining, 0}, {kF16, kRowMajor, kInBytes}, kM, kK};
    ConversionRequest there = back;
    std::swap(there.from, there.to);
    const Bytes x = vectors(kNumbers, kK, kInBytes), u = vectors(kNumbers, kM, kOutBytes);
    const Bytes w = vectors(kM, kK, kInBytes), bias = vectors(1, kM, kOutBytes);
    const Bytes poison = rng_.bytes(kNumbers * kOutBytes);
    const std::vector<Bytes> after = runStage(
        stage, source(who), {x, u, w, bias, poison, filled(querySize(there)), filled(kInBytes)},
        invocationsOf(who));
    if (Context::get().emulated) {
        EXPECT_NE(LayerLog::take().find("rewrote " + stageName(stage) + " shader"),
                  std::string::npos);
    }

    std::vector<double> outer(kM * kK, kBefore), sums(kK, kBefore);
    Bytes want = poison;
    for (uint32_t i = 0; i < invocationsOf(who); ++i) {
        if (who == Who::kDemoted && i % 4 == 2) continue;
        for (uint32_t m = 0; m < kM; ++m) {
            double sum = half(bias, 2 * m);
            for (uint32_t k = 0; k < kK; ++k)
                sum += half(w, m * kInBytes + 2 * k) * half(x, i * kInBytes + 2 * k);
            if (who == Who::kDivergent && i % 3 == 1) sum = 0;
            putElement(want, i * kOutBytes + 2 * m, f16_, sum);
        }
        if (who == Who::kDivergent && i % 5 == 2) continue;
        for (uint32_t k = 0; k < kK; ++k) {
            const double value = half(x, i * kInBytes + 2 * k);
            sums[k] += value;
            for (uint32_t m = 0; m < kM; ++m)
                outer[m * kK + k] += half(u, i * kOutBytes + 2 * m) * value;
        }
    }
    EXPECT_EQ(after[4], want);
    const Bytes gradient = convertOnHost(back, after[5], Bytes(kM * kInBytes));
    for (uint32_t e = 0; e < kM * kK; ++e)
        EXPECT_EQ(half(gradient, 2 * e), outer[e]) << "outer product " << e;
    for (uint32_t k = 0; k < kK; ++k) EXPECT_EQ(half(after[6], 2 * k), sums[k]) << "sum " << k;
}

std::vector<Case> cases() {
    std::vector<Case> result;
    for (const VkShaderStageFlagBits stage : allStages()) {
        result.push_back({stage, Who::kAll});
        result.push_back({stage, Who::kDivergent});
    }
    result.push_back({VK_SHADER_STAGE_FRAGMENT_BIT, Who::kDemoted});
    for (const auto stage :
         {VK_SHADER_STAGE_COMPUTE_BIT, VK_SHADER_STAGE_TASK_BIT_EXT, VK_SHADER_STAGE_MESH_BIT_EXT})
        result.push_back({stage, Who::kFilled});
    // Stages that trace rays do not run everywhere.
    return covering(
        result, [](const Case& c) { return factors(c.stage, c.who); },
        [](const Case& c) {
            return (c.stage & (VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT |
                               VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT)) == 0;
        });
}

INSTANTIATE_TEST_SUITE_P(, VectorStages, testing::ValuesIn(cases()), nameOf);

// The tests above need these to work: shaders without vectors, which need no layer.
class PlainStages : public testing::TestWithParam<Case> {};

TEST_P(PlainStages, Run) {
    const VkShaderStageFlagBits stage = GetParam().stage;
    if (const std::string why = missing(stage); !why.empty()) GTEST_SKIP() << why;
    const std::string text =
        "layout(buffer_reference, std430) buffer Words { uint v[]; };\n"
        "void work(uint i) { atomicAdd(Words(table.address[0]).v[i], i + 1); }\n";
    const Bytes after = runStage(stage, text, {Bytes(kNumbers * 4)})[0];
    for (uint32_t i = 0; i < kNumbers; ++i)
        EXPECT_EQ(getElement(after, 4 * i, component(VK_COMPONENT_TYPE_UINT32_KHR)),
                  i < kStageInvocations ? i + 1 : 0);
}

// In the partly filled last subgroup of task shaders, NVIDIA's driver 580 counts lanes that do not
// exist; coopvk must not rely on them.
class StageSubgroups : public testing::TestWithParam<Case> {};

TEST_P(StageSubgroups, AreCounted) {
    const auto [stage, who] = GetParam();
    if (const std::string why = missing(stage); !why.empty()) GTEST_SKIP() << why;
    const std::string text =
        "#extension GL_KHR_shader_subgroup_ballot : require\n"
        "layout(buffer_reference, std430) buffer Words { uint v[]; };\n"
        "void work(uint i) {\n  Words w = Words(table.address[0]);\n  w.v[2 * i] = "
        "gl_SubgroupID;\n  w.v[2 * i + 1] = subgroupBallotBitCount(subgroupBallot(true));\n}\n";
    const uint32_t count = invocationsOf(who);
    const Bytes after = runStage(stage, text, {Bytes(kNumbers * 8)}, count)[0];
    const auto word = [&](uint32_t index) {
        return getElement(after, 4 * index, component(VK_COMPONENT_TYPE_UINT32_KHR));
    };
    std::map<double, uint32_t> sizes;
    for (uint32_t i = 0; i < count; ++i) ++sizes[word(2 * i)];
    const uint32_t lanes = Context::get().subgroupSize;
    EXPECT_EQ(sizes.size(), (count + lanes - 1) / lanes);
    for (uint32_t i = 0; i < count; ++i) EXPECT_EQ(word(2 * i + 1), sizes[word(2 * i)]) << i;
}

std::vector<Case> plainCases() {
    std::vector<Case> result;
    for (const VkShaderStageFlagBits stage : allStages()) result.push_back({stage});
    return result;
}

INSTANTIATE_TEST_SUITE_P(, PlainStages, testing::ValuesIn(plainCases()), nameOf);

INSTANTIATE_TEST_SUITE_P(, StageSubgroups,
                         testing::Values(Case{VK_SHADER_STAGE_COMPUTE_BIT},
                                         Case{VK_SHADER_STAGE_TASK_BIT_EXT},
                                         Case{VK_SHADER_STAGE_MESH_BIT_EXT},
                                         Case{VK_SHADER_STAGE_COMPUTE_BIT, Who::kFilled},
                                         Case{VK_SHADER_STAGE_TASK_BIT_EXT, Who::kFilled},
                                         Case{VK_SHADER_STAGE_MESH_BIT_EXT, Who::kFilled}),
                         nameOf);

}  // namespace
}  // namespace coopvk::test::vector_stages_test

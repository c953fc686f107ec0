// SPDX-License-Identifier: Apache-2.0
//
// Long vectors in every stage that the device has, of every component type and of several lengths.
// The expected values are computed here. Variables between stages have none
// (VUID-StandaloneSpirv-Type-12297).
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "harness/component.hpp"
#include "harness/covering.hpp"
#include "harness/layer_log.hpp"
#include "harness/random.hpp"
#include "harness/requirement.hpp"
#include "harness/stage_run.hpp"

namespace coopvk::test::long_vector_stages_test {
namespace {

// Helper invocations beside the 39 pixels have numbers up to 52.
constexpr uint32_t kNumbers = 64;

struct StageCase {
    VkShaderStageFlagBits stage;
    Component type;
    uint32_t count;
};

std::string nameOf(const StageCase& c) {
    std::string name = stageName(c.stage);
    std::erase(name, '-');
    return name + "_" + std::string(info(c.type).name) + "x" + std::to_string(c.count);
}

void PrintTo(const StageCase& c, std::ostream* out) { *out << nameOf(c); }

// `V`: the vector, of N components of type `T`. No component is larger than 54.
std::string sourceOf(const StageCase& c) {
    return "#extension GL_EXT_long_vector : require\n"
           "#extension GL_EXT_scalar_block_layout : require\n"
           "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
           "#define T " +
           std::string(info(c.type).glsl) + "\n#define N " + std::to_string(c.count) +
           "\n#define V vector<T, N>\n"
           "struct Two { V a; V b; };\n"
           "layout(buffer_reference, scalar) buffer Vectors { V v[]; };\n"
           "V mixed(Two two) {\n"
           "  if (any(greaterThan(two.a, two.b))) return two.a * two.b;\n"
           "  two.a[N - 1] += T(1); return two.a;\n}\n"
           "void work(uint i) {\n"
           "  Two two = Two(Vectors(table.address[0]).v[i], Vectors(table.address[1]).v[i]);\n"
           "  V sum = V(T(i % 3));\n"
           "  for (uint j = 0; j < 3; ++j) {\n"
           "    sum += mixed(two); two.a = two.b; two.b[j] = sum[i % N];\n"
           "  }\n"
           "  Vectors(table.address[2]).v[i] = sum;\n}\n";
}

// The same with arrays: whether a driver computes these right has nothing to do with coopvk.
std::string arraySourceOf(const StageCase& c) {
    return "#extension GL_EXT_scalar_block_layout : require\n"
           "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
           "#define T " +
           std::string(info(c.type).glsl) + "\n#define N " + std::to_string(c.count) +
           "\n#define EACH for (uint k = 0; k < N; ++k)\n"
           "struct V { T v[N]; };\n"
           "layout(buffer_reference, scalar) buffer Vectors { V v[]; };\n"
           "V mixed(V a, V b) {\n"
           "  bool isGreater = false;\n"
           "  EACH isGreater = isGreater || a.v[k] > b.v[k];\n"
           "  if (!isGreater) { a.v[N - 1] += T(1); return a; }\n"
           "  EACH a.v[k] *= b.v[k];\n"
           "  return a;\n}\n"
           "void work(uint i) {\n"
           "  V a, b, sum;\n"
           "  EACH {\n"
           "    a.v[k] = Vectors(table.address[0]).v[i].v[k];\n"
           "    b.v[k] = Vectors(table.address[1]).v[i].v[k];\n"
           "    sum.v[k] = T(i % 3);\n"
           "  }\n"
           "  for (uint j = 0; j < 3; ++j) {\n"
           "    V more = mixed(a, b);\n"
           "    EACH sum.v[k] += more.v[k];\n"
           "    a = b; b.v[j] = sum.v[i % N];\n"
           "  }\n"
           "  EACH Vectors(table.address[2]).v[i].v[k] = sum.v[k];\n}\n";
}

using Numbers = std::vector<int64_t>;  // the components of a vector

Numbers mixed(Numbers a, const Numbers& b) {
    bool isGreater = false;
    for (size_t c = 0; c < a.size(); ++c) isGreater |= a[c] > b[c];
    if (!isGreater) {
        ++a.back();
        return a;
    }
    for (size_t c = 0; c < a.size(); ++c) a[c] *= b[c];
    return a;
}

Numbers expected(uint32_t i, Numbers a, Numbers b) {
    Numbers sum(a.size(), i % 3);
    for (uint32_t j = 0; j < 3; ++j) {
        const Numbers more = mixed(a, b);
        for (size_t c = 0; c < a.size(); ++c) sum[c] += more[c];
        a = b;
        b[j] = sum[i % a.size()];
    }
    return sum;
}

Bytes packed(Component type, const Numbers& numbers) {
    Bytes bytes(numbers.size() * info(type).bytes);
    for (size_t n = 0; n < numbers.size(); ++n) {
        const uint64_t bits = info(type).isFloat()
                                  ? fromDouble(type, static_cast<double>(numbers[n]))
                                  : static_cast<uint64_t>(numbers[n]);
        std::memcpy(bytes.data() + n * info(type).bytes, &bits, info(type).bytes);
    }
    return bytes;
}

// What the invocations write.
Bytes expected(const StageCase& c, const Numbers& a, const Numbers& b) {
    Bytes all;
    for (uint32_t i = 0; i < kStageInvocations; ++i) {
        const auto part = [&](const Numbers& of) {
            const auto first = of.begin() + static_cast<std::ptrdiff_t>(size_t{i} * c.count);
            return Numbers(first, first + c.count);
        };
        const Bytes one = packed(c.type, expected(i, part(a), part(b)));
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

Numbers randomNumbers(Rng& rng, size_t count) {
    Numbers numbers(count);
    for (int64_t& number : numbers) number = rng.range(0, 2);
    return numbers;
}

class LongVectorStages : public testing::TestWithParam<StageCase> {};

TEST_P(LongVectorStages, Match) {
    COOPVK_REQUIRE(Requirement::kLongVector);
    const StageCase& c = GetParam();
    if (const std::string why = missing(c.stage); !why.empty()) GTEST_SKIP() << why;
    if (const std::string why = missing(c.type); !why.empty()) GTEST_SKIP() << why;
    Rng rng("long vectors");
    const Numbers a = randomNumbers(rng, size_t{kNumbers} * c.count);
    const Numbers b = randomNumbers(rng, a.size());
    const Bytes poison = rng.bytes(a.size() * info(c.type).bytes);
    const Bytes wanted = expected(c, a, b);
    // Nothing where the driver fails: NVIDIA's compiler does where functions keep 1,024 numbers of
    // 32 bits several times, in arrays, too, and ray generation loses the device.
    const auto run = [&](const std::string& source) -> std::optional<Bytes> {
        try {
            const Bytes all =
                runStage(c.stage, source, {packed(c.type, a), packed(c.type, b), poison})[2];
            return Bytes(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(wanted.size()));
        } catch (const std::runtime_error& error) {
            const std::string_view what = error.what();
            const bool isLost = what.find("DEVICE_LOST") != std::string_view::npos;
            if (!isLost && what.find("Pipelines") == std::string_view::npos) throw;
            if (isLost) Context::shutDown();  // the next run makes another
            return std::nullopt;
        }
    };
    LayerLog::take();
    const std::optional<Bytes> after = run(sourceOf(c));
    const char* emulate = std::getenv("COOPVK_EMULATE");
    const bool isAll = emulate != nullptr && std::string_view(emulate) == "all";
    if (Context::get().emulated && isAll) {  // else the driver's own may stay
        EXPECT_NE(LayerLog::take().find("rewrote " + stageName(c.stage) + " shader"),
                  std::string::npos);
    }
    if (after != wanted && run(arraySourceOf(c)) != wanted) {
        Context::get().takeMessages();  // of the driver's compiler
        GTEST_SKIP() << "the driver fails with arrays of this size, too";
    }
    ASSERT_TRUE(after);
    const size_t size = size_t{c.count} * info(c.type).bytes;
    for (size_t i = 0; i < kStageInvocations; ++i)
        EXPECT_EQ(std::memcmp(after->data() + i * size, wanted.data() + i * size, size), 0) << i;
}

// The other tests of long vectors are skipped on devices without them.
TEST(LongVectorProperties, CoopvkHasThem) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    ASSERT_TRUE(Context::get().has(VK_EXT_SHADER_LONG_VECTOR_EXTENSION_NAME));
    EXPECT_EQ(missing(Requirement::kLongVector), "");
    VkPhysicalDeviceShaderLongVectorPropertiesEXT properties{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_LONG_VECTOR_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties};
    vkGetPhysicalDeviceProperties2(Context::get().physical, &all);
    EXPECT_GE(properties.maxVectorComponents, 1024u);  // as the README says
}

constexpr uint32_t kCounts[] = {5, 8, 17, 255, 1024};
constexpr Component kTypes[] = {Component::kF16, Component::kF32, Component::kF64, Component::kS8,
                                Component::kS16, Component::kS32, Component::kS64, Component::kU8,
                                Component::kU16, Component::kU32, Component::kU64};

std::vector<StageCase> stageCases() {
    std::vector<StageCase> all;
    for (const VkShaderStageFlagBits stage : allStages()) {
        for (const Component type : kTypes) {
            for (const uint32_t count : kCounts) all.push_back({stage, type, count});
        }
    }
    return covering(
        all, [](const StageCase& c) { return factors(c.stage, info(c.type).name, c.count); });
}

INSTANTIATE_TEST_SUITE_P(, LongVectorStages, testing::ValuesIn(stageCases()),
                         [](const auto& test) { return nameOf(test.param); });

}  // namespace
}  // namespace coopvk::test::long_vector_stages_test

// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of cooperative vectors through arrays of other types, in every storage class, at
// a byte offset of each invocation. All bits stay the same; memory beside a vector does not change.
#include <gtest/gtest.h>

#include "harness/covering.hpp"
#include "harness/random.hpp"
#include "harness/requirement.hpp"
#include "harness/vector.hpp"

namespace coopvk::test::vector_memory_test {
namespace {

constexpr uint32_t kInvocations = 24;

enum class Where { kBuffer, kAddress, kShared };

struct Pointee {
    const char* glsl;
    uint32_t bytes;
};
constexpr Pointee kPointees[] = {{"uint8_t", 1}, {"int16_t", 2},  {"float16_t", 2}, {"f16vec2", 4},
                                 {"f16vec4", 8}, {"float", 4},    {"uint", 4},      {"uvec2", 8},
                                 {"uvec4", 16},  {"uint64_t", 8}, {"u64vec2", 16}};

bool isWide(const Pointee& pointee) {
    return std::string_view(pointee.glsl).find("64") != std::string_view::npos;
}

struct Case {
    VkComponentTypeKHR type;
    uint32_t n;
    const Pointee* pointee;
    Where where;
};

std::string nameOf(const testing::TestParamInfo<Case>& info) {
    const Case& c = info.param;
    constexpr const char* kWhere[] = {"", "Address", "Shared"};
    return std::string(component(c.type).name) + "x" + std::to_string(c.n) + "_" + c.pointee->glsl +
           kWhere[static_cast<int>(c.where)];
}

size_t rowOf(const Case& c) { return (c.n * component(c.type).bytes + 15) / 16 * 16 + 16; }

std::string sourceOf(const Case& c) {
    const std::string declarations = c.where == Where::kAddress ? R"(
layout(buffer_reference, std430) readonly buffer In { ${P} p[]; };
layout(buffer_reference, std430) buffer Out { ${P} p[]; };
layout(push_constant) uniform Push { In a; Out r; } push;
#define A push.a.p
#define R push.r.p
)"
                                                                : R"(
layout(set = 0, binding = 0, std430) readonly buffer In { ${P} p[]; } a;
layout(set = 0, binding = 1, std430) buffer Out { ${P} p[]; } r;
#define A a.p
#define R r.p
)";
    const std::string body = c.where == Where::kShared ? R"(
shared ${P} from[${elements}], to[${elements}];
void main() {
    uint i = gl_LocalInvocationIndex;
    for (uint k = i; k < ${elements}; k += ${invocations}) { from[k] = a.p[k]; to[k] = r.p[k]; }
    barrier();
    V v;
    coopVecLoadNV(v, from, (${invocations} - 1 - i) * ${row});
    coopVecStoreNV(v, to, i * ${row} + 16);
    barrier();
    for (uint k = i; k < ${elements}; k += ${invocations}) r.p[k] = to[k];
}
)"
                                                       : R"(
void main() {
    uint i = gl_LocalInvocationIndex;
    V v;
    coopVecLoadNV(v, A, (${invocations} - 1 - i) * ${row});
    coopVecStoreNV(v, R, i * ${row} + 16);
}
)";
    const auto number = [](size_t value) { return std::to_string(value); };
    const std::string vector =
        "#define V coopvecNV<" + std::string(component(c.type).glsl) + ", " + number(c.n) + ">\n";
    const std::string elements = number(kInvocations * rowOf(c) / c.pointee->bytes);
    return vectorHeader(kInvocations) + vector +
           substitute(declarations + body, {{"P", c.pointee->glsl},
                                            {"elements", elements},
                                            {"invocations", number(kInvocations)},
                                            {"row", number(rowOf(c))}});
}

class VectorValueMemory : public testing::TestWithParam<Case> {};

TEST_P(VectorValueMemory, Matches) {
    const Case& c = GetParam();
    if (isWide(*c.pointee) && c.where == Where::kShared) COOPVK_REQUIRE(Requirement::kPacks64);
    Rng rng(nameOf({c, 0}));
    const size_t row = rowOf(c);
    const size_t bytes = c.n * component(c.type).bytes;
    Dispatch dispatch;
    dispatch.buffers = {rng.bytes(kInvocations * row), rng.bytes(kInvocations * row)};
    if (c.where == Where::kAddress) dispatch.addresses = {0, 1};
    Bytes want = dispatch.buffers[1];
    for (size_t i = 0; i < kInvocations; ++i) {
        for (size_t at = 0; at < bytes; ++at) {
            want[i * row + 16 + at] = dispatch.buffers[0][(kInvocations - 1 - i) * row + at];
        }
    }
    const Bytes result = run(compileGlsl(sourceOf(c)), dispatch)[1];
    for (size_t at = 0; at < want.size(); ++at) {
        ASSERT_EQ(result[at], want[at]) << "byte " << at % row << " of row " << at / row;
    }
}

std::vector<Case> cases() {
    std::vector<Case> list;
    for (const Where where : {Where::kBuffer, Where::kAddress, Where::kShared}) {
        for (const Pointee& pointee : kPointees) {
            list.push_back({VK_COMPONENT_TYPE_FLOAT16_KHR, 13, &pointee, where});
            list.push_back({VK_COMPONENT_TYPE_SINT8_KHR, 23, &pointee, where});
            list.push_back({VK_COMPONENT_TYPE_FLOAT32_KHR, 7, &pointee, where});
        }
    }
    // 64-bit pointees in shared memory do not run everywhere.
    return covering(
        list, [](const Case& c) { return factors(c.type, c.pointee->glsl, c.where); },
        [](const Case& c) { return isWide(*c.pointee) && c.where == Where::kShared; });
}

INSTANTIATE_TEST_SUITE_P(, VectorValueMemory, testing::ValuesIn(cases()), nameOf);

}  // namespace
}  // namespace coopvk::test::vector_memory_test

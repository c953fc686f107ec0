// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_shader_atomic_float: 32-bit floats in buffers, accessed in all ways that shaders have.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "harness/compute.hpp"
#include "harness/layer_log.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::float_atomics_test {
namespace {

constexpr uint32_t kGroups = 16;

std::string header(bool addresses = false) {
    return std::string(
               "#version 460\n#extension GL_EXT_shader_atomic_float : require\n"
               "#extension GL_KHR_memory_scope_semantics : require\n"
               "#extension GL_EXT_nonuniform_qualifier : require\n") +
           (addresses ? "#extension GL_EXT_buffer_reference : require\n" : "") +
           "layout(local_size_x = 64) in;\n";
}

Bytes floats(std::initializer_list<float> values) { return toBytes(values); }

std::vector<float> asFloats(const Bytes& bytes) {
    std::vector<float> values;
    for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
        uint32_t bits = 0;
        std::memcpy(&bits, bytes.data() + at, 4);
        values.push_back(std::bit_cast<float>(bits));
    }
    return values;
}

std::vector<Bytes> runAtomics(const std::string& source, std::vector<Bytes> buffers,
                              std::vector<uint32_t> addresses = {}) {
    Dispatch dispatch;
    dispatch.buffers = std::move(buffers);
    dispatch.addresses = std::move(addresses);
    dispatch.groups = {kGroups, 1, 1};
    LayerLog::take();
    std::vector<Bytes> after = run(compileGlsl(source), dispatch);
    if (Context::get().emulated) {
        EXPECT_NE(LayerLog::take().find(" for VK_EXT_shader_atomic_float "), std::string::npos);
    }
    return after;
}

// All invocations of the dispatch add to few places: sums of integers, exact in any order.
TEST(FloatAtomics, AddToArray) {
    COOPVK_REQUIRE(Requirement::kAtomicFloat);
    const std::string source = header() +
                               "layout(binding = 0) buffer B { uint before; float data[]; };\n"
                               "void main() {\n"
                               "    atomicAdd(data[gl_LocalInvocationIndex % 3], 1.0);\n"
                               "    atomicAdd(data[3], float(gl_GlobalInvocationID.x));\n"
                               "}\n";
    const Bytes after = runAtomics(source, {floats({0, 10, 20, 30, 40, 50})})[0];
    const float n = 64.0f * kGroups;
    EXPECT_EQ(asFloats(after),
              (std::vector<float>{0, 10 + 22.0f * kGroups, 20 + 21.0f * kGroups,
                                  30 + 21.0f * kGroups, 40 + n * (n - 1) / 2, 50}));
}

// The value before is the result: every sum from 0 to the last is seen once.
TEST(FloatAtomics, ResultIsTheValueBefore) {
    COOPVK_REQUIRE(Requirement::kAtomicFloat);
    const std::string source = header() +
                               "layout(binding = 0) buffer B { float sum; };\n"
                               "layout(binding = 1) buffer S { uint seen[]; };\n"
                               "void main() { atomicAdd(seen[uint(atomicAdd(sum, 1.0))], 1); }\n";
    const std::vector<Bytes> after = runAtomics(source, {floats({0}), Bytes(64 * kGroups * 4)});
    EXPECT_EQ(asFloats(after[0])[0], 64.0f * kGroups);
    for (size_t at = 0; at < after[1].size(); at += 4) ASSERT_EQ(after[1][at], std::byte{1}) << at;
}

TEST(FloatAtomics, NestedMembers) {
    COOPVK_REQUIRE(Requirement::kAtomicFloat);
    const std::string source =
        header() +
        "struct Inner { vec3 v; float w; };\n"
        "layout(binding = 0, std430) buffer B { vec2 first; mat3 m; layout(row_major) mat2x3 r;\n"
        "    Inner inner[4]; };\n"
        "void main() {\n"
        "    if (gl_GlobalInvocationID.x >= 4) return;\n"
        "    const uint i = gl_GlobalInvocationID.x;\n"
        "    atomicAdd(first.y, 1.0); atomicAdd(m[2][1], 2.0); atomicAdd(r[1][2], 3.0);\n"
        "    atomicAdd(r[0][1], 4.0); atomicAdd(inner[i].v.z, 5.0); atomicAdd(inner[i].w, 6.0);\n"
        "}\n";
    // first: 0; m: 16, stride 16; r: 64, 3 rows of 2, stride 8; inner: 96, stride 16.
    const std::vector<float> after = asFloats(runAtomics(source, {Bytes(160)})[0]);
    std::vector<float> want(40);
    want[1] = 4;
    want[(16 + 2 * 16 + 4) / 4] = 8;
    want[(64 + 2 * 8 + 4) / 4] = 12;
    want[(64 + 1 * 8) / 4] = 16;
    for (size_t i = 0; i < 4; ++i) want[(96 + i * 16 + 8) / 4] = 5;
    for (size_t i = 0; i < 4; ++i) want[(96 + i * 16 + 12) / 4] = 6;
    EXPECT_EQ(after, want);
}

TEST(FloatAtomics, ArrayOfDescriptors) {
    COOPVK_REQUIRE(Requirement::kAtomicFloat);
    const std::string source =
        header() +
        "layout(binding = 4) buffer B { float pad; float data[2]; } b[2];\n"
        "void main() {\n"
        "    atomicAdd(b[nonuniformEXT(gl_LocalInvocationIndex % 2)].data[1], 1.0);\n"
        "}\n";
    const Bytes unused = floats({0});
    const std::vector<Bytes> after =
        runAtomics(source, {unused, unused, unused, unused, floats({0, 0, 1}), floats({0, 0, 2})});
    EXPECT_EQ(asFloats(after[4]), (std::vector<float>{0, 0, 1 + 32.0f * kGroups}));
    EXPECT_EQ(asFloats(after[5]), (std::vector<float>{0, 0, 2 + 32.0f * kGroups}));
}

TEST(FloatAtomics, Addresses) {
    COOPVK_REQUIRE(Requirement::kAtomicFloat);
    const std::string source =
        header(true) +
        "layout(buffer_reference, std430) buffer R { vec2 pad; float data[4]; };\n"
        "layout(push_constant) uniform Push { R r; };\n"
        "void main() {\n"
        "    atomicAdd(r.data[gl_LocalInvocationIndex % 4], 0.5);\n"
        "    atomicAdd(r.data[3], -0.25);\n"
        "}\n";
    const Bytes after = runAtomics(source, {Bytes(24)}, {0})[0];
    const float n = 64.0f * kGroups;
    EXPECT_EQ(asFloats(after), (std::vector<float>{0, 0, n / 8, n / 8, n / 8, n / 8 - n / 4}));
}

// No capability declares these.
TEST(FloatAtomics, LoadStoreExchange) {
    COOPVK_REQUIRE(Requirement::kAtomicFloat);
    const std::string source =
        header() +
        "layout(binding = 0) buffer B { float given[64]; float token; float copy[64]; };\n"
        "void main() {\n"
        "    if (gl_WorkGroupID.x != 0) return;\n"
        "    const uint i = gl_LocalInvocationIndex;\n"
        "    const float mine = atomicLoad(given[i], gl_ScopeDevice, gl_StorageSemanticsBuffer,\n"
        "                                  gl_SemanticsAcquire);\n"
        "    const float got = atomicExchange(token, mine);\n"
        "    atomicStore(copy[i], got, gl_ScopeDevice, gl_StorageSemanticsBuffer,\n"
        "                gl_SemanticsRelease);\n"
        "}\n";
    Bytes before(129 * 4);
    std::vector<float> values(65);
    std::iota(values.begin(), values.end(), 1.0f);
    std::memcpy(before.data(), values.data(), 65 * 4);  // the token is 65
    const std::vector<float> after = asFloats(runAtomics(source, {before})[0]);
    // Another invocation took every token except the last one.
    std::vector<float> tokens(after.begin() + 64, after.end());
    std::sort(tokens.begin(), tokens.end());
    EXPECT_EQ(tokens, values);
}

// NaN keeps its bits.
TEST(FloatAtomics, ExchangeKeepsBits) {
    COOPVK_REQUIRE(Requirement::kAtomicFloat);
    const std::string source = header() +
                               "layout(binding = 0) buffer B { float a; float b; };\n"
                               "layout(binding = 1) buffer W { uint w[2]; };\n"
                               "void main() {\n"
                               "    if (gl_GlobalInvocationID.x != 0) return;\n"
                               "    b = atomicExchange(a, uintBitsToFloat(w[0]));\n"
                               "}\n";
    const Bytes words = toBytes({0x7f800001u, 0u});
    const std::vector<Bytes> after = runAtomics(source, {toBytes({0x00000001u, 0u}), words});
    EXPECT_EQ(difference(after[0], toBytes({0x7f800001u, 0x00000001u})), "");
}

}  // namespace
}  // namespace coopvk::test::float_atomics_test

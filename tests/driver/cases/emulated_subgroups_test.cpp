// SPDX-License-Identifier: Apache-2.0
//
// Subgroups of 32 lanes that the device does not have: each operation on them, and the built-ins.
// Expected is the specification's text for subgroups of which only the last one may be partial.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <format>
#include <limits>
#include <numeric>

#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::emulated_subgroups_test {
namespace {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kUntouched = 0x5a5a5a5a;

rewrite::DeviceTraits narrowDevice(bool isCpu = false) {
    rewrite::DeviceTraits device = gpuWithDots(0);
    device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = kLanes;
    device.driverSubgroupSize = Context::get().subgroupSize;
    device.isCpu = isCpu;
    device.familyLayout = rewrite::ElementLayout::kRdna4;
    return device;
}

// The numbers of a subgroup's lanes, and the lane that asks; nullopt: not defined.
struct Seen {
    std::span<const uint32_t> v;
    uint32_t lane;
    uint32_t subgroup, subgroups;

    std::optional<uint32_t> from(uint32_t other) const {
        return other < v.size() ? std::optional(v[other]) : std::nullopt;
    }
    template <typename Combine>
    uint32_t all(uint32_t start, Combine combine) const {
        return std::accumulate(v.begin(), v.end(), start, combine);
    }
    uint32_t sum(size_t first, size_t end) const {
        end = std::min(end, v.size());
        return std::accumulate(v.begin() + static_cast<std::ptrdiff_t>(first),
                               v.begin() + static_cast<std::ptrdiff_t>(end), 0u);
    }
    uint32_t odd() const {
        uint32_t bits = 0;
        for (uint32_t l = 0; l < v.size(); ++l) bits |= (v[l] & 1) << l;
        return bits;
    }
    uint32_t below(uint32_t lanes) const { return lanes >= 32 ? ~0u : (1u << lanes) - 1; }
};

struct Operation {
    const char* glsl;  // of the number v; "odd" is whether it is
    std::optional<uint32_t> (*expected)(const Seen& s);
};

uint32_t asSigned(uint32_t a, uint32_t b, bool least) {
    const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
    return static_cast<uint32_t>(least ? std::min(x, y) : std::max(x, y));
}

using Result = std::optional<uint32_t>;

constexpr Operation kOperations[] = {
    {"subgroupAdd(v)", [](const Seen& s) -> Result { return s.sum(0, 32); }},
    {"subgroupInclusiveAdd(v)", [](const Seen& s) -> Result { return s.sum(0, s.lane + 1); }},
    {"subgroupExclusiveAdd(v)", [](const Seen& s) -> Result { return s.sum(0, s.lane); }},
    {"subgroupClusteredAdd(v, 8)",
     [](const Seen& s) -> Result { return s.sum(s.lane & ~7u, (s.lane & ~7u) + 8); }},
    {"subgroupClusteredAdd(v, 1)", [](const Seen& s) -> Result { return s.v[s.lane]; }},
    {"subgroupClusteredAdd(v, 32)", [](const Seen& s) -> Result { return s.sum(0, 32); }},
    {"subgroupMul(v | 1u)",
     [](const Seen& s) -> Result {
         return s.all(1, [](uint32_t a, uint32_t b) { return a * (b | 1); });
     }},
    {"subgroupMin(v)", [](const Seen& s) -> Result { return std::ranges::min(s.v); }},
    {"subgroupMax(v)", [](const Seen& s) -> Result { return std::ranges::max(s.v); }},
    {"uint(subgroupMin(int(v)))",
     [](const Seen& s) -> Result {
         return s.all(s.v[0], [](uint32_t a, uint32_t b) { return asSigned(a, b, true); });
     }},
    {"uint(subgroupExclusiveMax(int(v)))",
     [](const Seen& s) -> Result {
         uint32_t most = 0x80000000;
         for (uint32_t l = 0; l < s.lane; ++l) most = asSigned(most, s.v[l], false);
         return most;
     }},
    {"subgroupExclusiveMin(v)",
     [](const Seen& s) -> Result {
         uint32_t least = ~0u;
         for (uint32_t l = 0; l < s.lane; ++l) least = std::min(least, s.v[l]);
         return least;
     }},
    {"subgroupAnd(v)",
     [](const Seen& s) -> Result { return s.all(~0u, std::bit_and<uint32_t>()); }},
    {"subgroupExclusiveAnd(v)",
     [](const Seen& s) -> Result {
         uint32_t bits = ~0u;
         for (uint32_t l = 0; l < s.lane; ++l) bits &= s.v[l];
         return bits;
     }},
    {"subgroupOr(v)", [](const Seen& s) -> Result { return s.all(0, std::bit_or<uint32_t>()); }},
    {"subgroupXor(v)", [](const Seen& s) -> Result { return s.all(0, std::bit_xor<uint32_t>()); }},
    {"uint(subgroupInclusiveOr(odd))",
     [](const Seen& s) -> Result { return (s.odd() & s.below(s.lane + 1)) != 0; }},
    {"uint(subgroupXor(odd))", [](const Seen& s) -> Result { return std::popcount(s.odd()) & 1; }},
    // Sums of small integers are exact.
    {"uint(subgroupAdd(float(v & 15u)))",
     [](const Seen& s) -> Result {
         return s.all(0, [](uint32_t a, uint32_t b) { return a + (b & 15); });
     }},
    {"floatBitsToUint(subgroupExclusiveMin(float(v & 15u)))",
     [](const Seen& s) -> Result {
         float least = std::numeric_limits<float>::infinity();
         for (uint32_t l = 0; l < s.lane; ++l)
             least = std::min(least, static_cast<float>(s.v[l] & 15));
         return std::bit_cast<uint32_t>(least);
     }},
    {"subgroupAdd(uvec3(v, 1u, v >> 1)).z",
     [](const Seen& s) -> Result {
         return s.all(0, [](uint32_t a, uint32_t b) { return a + (b >> 1); });
     }},
    {"uint(subgroupElect())", [](const Seen& s) -> Result { return s.lane == 0; }},
    {"uint(subgroupAll(v > 2u))",
     [](const Seen& s) -> Result {
         return std::ranges::all_of(s.v, [](uint32_t one) { return one > 2; });
     }},
    {"uint(subgroupAll(gl_NumWorkGroups.x == 1u))", [](const Seen&) -> Result { return 1; }},
    {"uint(subgroupAny(gl_SubgroupInvocationID == 31u))",
     [](const Seen& s) -> Result { return s.v.size() == 32; }},
    {"uint(subgroupAllEqual(v))",
     [](const Seen& s) -> Result { return std::ranges::count(s.v, s.v[0]) == int(s.v.size()); }},
    {"uint(subgroupAllEqual(vec2(gl_SubgroupSize)))", [](const Seen&) -> Result { return 1; }},
    {"subgroupBallot(odd).x", [](const Seen& s) -> Result { return s.odd(); }},
    {"subgroupBallot(odd).y | gl_SubgroupLtMask.y", [](const Seen&) -> Result { return 0; }},
    {"uint(subgroupInverseBallot(uvec4(0x12345678u)))",
     [](const Seen& s) -> Result { return 0x12345678u >> s.lane & 1; }},
    {"uint(subgroupBallotBitExtract(subgroupBallot(odd), (v * 3u) & 31u))",
     [](const Seen& s) -> Result { return s.odd() >> (s.v[s.lane] * 3 & 31) & 1; }},
    {"subgroupBallotBitCount(subgroupBallot(odd))",
     [](const Seen& s) -> Result { return std::popcount(s.odd()); }},
    {"subgroupBallotInclusiveBitCount(subgroupBallot(odd))",
     [](const Seen& s) -> Result { return std::popcount(s.odd() & s.below(s.lane + 1)); }},
    {"subgroupBallotExclusiveBitCount(subgroupBallot(odd))",
     [](const Seen& s) -> Result { return std::popcount(s.odd() & s.below(s.lane)); }},
    {"subgroupBallotFindLSB(subgroupBallot(odd))",
     [](const Seen& s) -> Result { return s.odd() == 0 ? Result() : std::countr_zero(s.odd()); }},
    {"subgroupBallotFindMSB(subgroupBallot(odd))",
     [](const Seen& s) -> Result {
         return s.odd() == 0 ? Result() : 31 - std::countl_zero(s.odd());
     }},
    {"subgroupBroadcast(v, 5)", [](const Seen& s) -> Result { return s.from(5); }},
    {"subgroupBroadcastFirst(v)", [](const Seen& s) -> Result { return s.v[0]; }},
    {"uint(subgroupBroadcast(odd, 3))",
     [](const Seen& s) -> Result { return s.from(3).value_or(0) & 1; }},
    {"subgroupShuffle(v, (gl_SubgroupInvocationID * 7u + 3u) & 31u)",
     [](const Seen& s) -> Result { return s.from((s.lane * 7 + 3) & 31); }},
    {"subgroupShuffle(u8vec2(v, v >> 8), gl_SubgroupInvocationID ^ 1u).y",
     [](const Seen& s) -> Result {
         const Result other = s.from(s.lane ^ 1);
         return other ? Result(*other >> 8 & 255) : Result();
     }},
    {"uint(subgroupShuffle(float16_t(v & 63u), 31u - gl_SubgroupInvocationID))",
     [](const Seen& s) -> Result {
         const Result other = s.from(31 - s.lane);
         return other ? Result(*other & 63) : Result();
     }},
    {"subgroupShuffleXor(v, 21u)", [](const Seen& s) -> Result { return s.from(s.lane ^ 21); }},
    {"subgroupShuffleUp(v, 9u)",
     [](const Seen& s) -> Result { return s.lane < 9 ? Result() : s.from(s.lane - 9); }},
    {"subgroupShuffleDown(v, 9u)", [](const Seen& s) -> Result { return s.from(s.lane + 9); }},
    {"subgroupRotate(v, 11u)", [](const Seen& s) -> Result { return s.from((s.lane + 11) & 31); }},
    {"subgroupClusteredRotate(v, 3u, 8u)",
     [](const Seen& s) -> Result { return s.from((s.lane & ~7u) | ((s.lane + 3) & 7)); }},
    {"subgroupQuadBroadcast(v, 2)",
     [](const Seen& s) -> Result { return s.from((s.lane & ~3u) | 2); }},
    {"subgroupQuadSwapHorizontal(v)", [](const Seen& s) -> Result { return s.from(s.lane ^ 1); }},
    {"subgroupQuadSwapVertical(v)", [](const Seen& s) -> Result { return s.from(s.lane ^ 2); }},
    {"subgroupQuadSwapDiagonal(v)", [](const Seen& s) -> Result { return s.from(s.lane ^ 3); }},
    {"gl_SubgroupSize", [](const Seen&) -> Result { return 32; }},
    {"gl_SubgroupInvocationID", [](const Seen& s) -> Result { return s.lane; }},
    {"gl_SubgroupID", [](const Seen& s) -> Result { return s.subgroup; }},
    {"gl_NumSubgroups", [](const Seen& s) -> Result { return s.subgroups; }},
    {"gl_SubgroupEqMask.x", [](const Seen& s) -> Result { return 1u << s.lane; }},
    {"gl_SubgroupGeMask.x", [](const Seen& s) -> Result { return ~s.below(s.lane); }},
    {"gl_SubgroupGtMask.x", [](const Seen& s) -> Result { return ~s.below(s.lane + 1); }},
    {"gl_SubgroupLeMask.x", [](const Seen& s) -> Result { return s.below(s.lane + 1); }},
    {"gl_SubgroupLtMask.x", [](const Seen& s) -> Result { return s.below(s.lane); }},
};

std::string sourceOf(uint32_t invocations, std::string_view body) {
    std::string text = "#version 460\n#pragma use_vulkan_memory_model\n";
    for (const char* name : {"basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle_relative",
                             "clustered", "quad", "rotate"})
        text += std::format("#extension GL_KHR_shader_subgroup_{} : require\n", name);
    for (const char* name :
         {"shader_subgroup_extended_types_float16", "shader_subgroup_extended_types_int8",
          "shader_explicit_arithmetic_types"})
        text += std::format("#extension GL_EXT_{} : require\n", name);
    text += std::format("layout(local_size_x = {}) in;\n", invocations);
    text +=
        "layout(set = 0, binding = 0) readonly buffer In { uint values[]; };\n"
        "layout(set = 0, binding = 1) buffer Out { uint results[]; };\n"
        "void main() {\n    const uint i = gl_LocalInvocationIndex;\n";
    return text + std::string(body) + "}\n";
}

Bytes bytesOf(std::span<const uint32_t> words) {
    const auto bytes = std::as_bytes(words);
    return {bytes.begin(), bytes.end()};
}

std::vector<uint32_t> runOn(const Words& words, std::span<const uint32_t> values, size_t results) {
    Dispatch dispatch;
    dispatch.buffers = {bytesOf(values), bytesOf(std::vector<uint32_t>(results, kUntouched))};
    const std::vector<Bytes> after = run(words, dispatch);
    std::vector<uint32_t> out(results);
    std::memcpy(out.data(), after[1].data(), results * 4);
    return out;
}

std::vector<uint32_t> someValues(uint32_t invocations, uint32_t seed) {
    std::vector<uint32_t> values(invocations);
    for (uint32_t i = 0; i < invocations; ++i) values[i] = (i + seed) * 2654435761u >> (i % 9);
    return values;
}

class EmulatedSubgroups : public testing::TestWithParam<uint32_t> {};
std::string nameOfSize(const testing::TestParamInfo<uint32_t>& info) {
    return std::to_string(info.param);
}

// Of one subgroup, of two, of a part of one, and of one and a part.
TEST_P(EmulatedSubgroups, EachOperation) {
    const uint32_t invocations = GetParam();
    std::string body = "    const uint v = values[i];\n    const bool odd = (v & 1u) != 0u;\n";
    for (size_t op = 0; op < std::size(kOperations); ++op) {
        body += std::format("    results[{} + i] = {};\n", op * invocations, kOperations[op].glsl);
    }
    const Words words = rewrittenFor(narrowDevice(), compileGlsl(sourceOf(invocations, body)));
    ASSERT_FALSE(words.empty());
    const std::string text = rewrite::disassemble(words);
    for (const char* gone : {"GroupNonUniform", "BuiltIn Subgroup", "BuiltIn NumSubgroups"})
        EXPECT_EQ(text.find(gone), std::string::npos) << gone;
    const std::vector<uint32_t> values = someValues(invocations, 1);
    const auto out = runOn(words, values, std::size(kOperations) * invocations);
    for (size_t op = 0; op < std::size(kOperations); ++op) {
        for (uint32_t i = 0; i < invocations; ++i) {
            const uint32_t first = i / kLanes * kLanes,
                           count = std::min(kLanes, invocations - first);
            const Seen seen = {std::span(values).subspan(first, count), i - first, i / kLanes,
                               (invocations + kLanes - 1) / kLanes};
            const Result expected = kOperations[op].expected(seen);
            if (!expected) continue;
            EXPECT_EQ(out[op * invocations + i], *expected) << kOperations[op].glsl << " of " << i;
        }
    }
}

// Loops and conditions of which all invocations know the same: numbers from buffers, and totals.
TEST_P(EmulatedSubgroups, InUniformFlow) {
    const uint32_t invocations = GetParam();
    const Words words = rewrittenFor(narrowDevice(), compileGlsl(sourceOf(invocations, R"(
    uint sum = 0u;
    for (uint k = 0u; k < values[0]; ++k) {
        if ((values[k] & 2u) == 0u) continue;
        if (i < 5u) sum += 1u;
        sum += subgroupAdd(i + k);
        subgroupBarrier();
    }
    results[i] = sum;
)")));
    ASSERT_FALSE(words.empty());
    std::vector<uint32_t> values = someValues(invocations, 5);
    values[0] = 7;
    const auto out = runOn(words, values, invocations);
    for (uint32_t i = 0; i < invocations; ++i) {
        const uint32_t first = i / kLanes * kLanes, end = std::min(invocations, first + kLanes);
        uint32_t expected = 0;
        for (uint32_t k = 0; k < 7; ++k) {
            if ((values[k] & 2) == 0) continue;
            expected += i < 5 ? 1 : 0;
            for (uint32_t l = first; l < end; ++l) expected += l + k;
        }
        EXPECT_EQ(out[i], expected) << i;
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, EmulatedSubgroups, testing::Values(32u, 64u, 16u, 45u), nameOfSize);

}  // namespace
}  // namespace coopvk::test::emulated_subgroups_test

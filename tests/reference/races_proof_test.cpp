// SPDX-License-Identifier: Apache-2.0
//
// Data races that the order in which a proof executes subgroups hides: there is no proof. Two
// subgroups of 4 lanes; the first one executes first, until it meets the other.
#include <gtest/gtest.h>

#include "symbol_pairs.hpp"

namespace coopvk::reference::symbols_test {
namespace {

#define PROGRAM(WHAT)                                                                      \
    "#version 460\n"                                                                       \
    "#extension GL_KHR_shader_subgroup_basic : require\n"                                  \
    "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"                       \
    "layout(local_size_x = 8) in;\n"                                                       \
    "layout(binding = 0) readonly buffer A { uint words[]; };\n"                           \
    "layout(binding = 1) buffer R { uint results[4]; };\n"                                 \
    "shared uint x, flag; shared uint16_t halves[2]; shared uint8_t bytes[4];\n"           \
    "void main() { const uint at = gl_LocalInvocationIndex; uint r = 0;\n"                 \
    "if (at == 0) { x = words[0]; flag = 0; halves[0] = halves[1] = uint16_t(words[1]);\n" \
    "bytes[0] = bytes[1] = bytes[2] = bytes[3] = uint8_t(words[1]); }\n"                   \
    "barrier();\n" WHAT "\nif (at < 4) results[at] = r + words[at]; }"

struct Race {
    const char* name;
    const char* program;
    bool isRace;
};
constexpr Race kRaces[] = {
    {"all orders are one", PROGRAM("r = x; barrier(); if (at == 7) x = 3;"), false},
    {"a read and a write", PROGRAM("if (at == 0) r = x; if (at == 7) x = 3;"), true},
    // The last reads happened before the write, the first one did not.
    {"a read that others follow",
     PROGRAM("if (at == 0 || at > 3) r = x; subgroupBarrier(); if (at == 7) x = 3;"), true},
    {"reads that a barrier follows",
     PROGRAM("if (at > 3) r = x; subgroupBarrier(); if (at == 7) x = 3;"), false},
    // The same invocation reads other bytes of the word afterwards.
    {"a read of a half before that of another",
     PROGRAM("if (at == 0) { r = halves[0]; r += halves[1]; } if (at == 7) halves[0] = "
             "uint16_t(3);"),
     true},
    {"a read of another byte",
     PROGRAM("if (at == 0) { r = bytes[0]; r += bytes[1]; } if (at == 7) bytes[2] = uint8_t(3);"),
     false},
    // An atomic operation behind it does not take part in the race.
    {"a write before an atomic operation",
     PROGRAM("if (at == 0) { x = 3; atomicAdd(x, 1); } if (at == 7) atomicAdd(x, 1);"), true},
    {"atomic operations", PROGRAM("if (at == 0) atomicAdd(x, 1); if (at == 7) atomicAdd(x, 1);"),
     false},
    // In another order the second operation does not read what the first one writes.
    {"an order by an atomic operation",
     PROGRAM("if (at == 0) { x = 3; memoryBarrierShared(); atomicAdd(flag, 1); }"
             "if (at == 4) { atomicAdd(flag, 0); memoryBarrierShared(); x = 4; }"),
     true},
};

class RacesInProofs : public testing::TestWithParam<Race> {};

TEST_P(RacesInProofs, AreFoundInOneOrder) {
    const Race& race = GetParam();
    const std::string why =
        whyNot({race.name, race.program, race.program, !race.isRace, numbers::Number::u32});
    EXPECT_EQ(why.find("nothing orders") != std::string::npos, race.isRace) << why;
    EXPECT_EQ(why.empty(), !race.isRace) << why;
}

INSTANTIATE_TEST_SUITE_P(All, RacesInProofs, testing::ValuesIn(kRaces),
                         [](const auto& of) { return wordOf(of.param.name); });

}  // namespace
}  // namespace coopvk::reference::symbols_test

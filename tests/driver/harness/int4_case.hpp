// SPDX-License-Identifier: Apache-2.0
//
// SPV_INTEL_int4 without matrices. Each case computes one u32, %r, from one u32, %x, whose eight
// nibbles are the 4-bit values.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "assembly.hpp"
#include "compute.hpp"
#include "requirement.hpp"

namespace coopvk::test {

// One of the 4-bit integers in memory, counted from the first byte's low bits on.
uint32_t nibble(const Bytes& bytes, size_t n);
void setNibble(Bytes& bytes, size_t n, uint32_t value);

struct Int4Case {
    const char* name;
    const char* declarations;
    const char* body;
    const char* functions = "";
    std::vector<std::string> capabilities = {};
    const char* decorations = "";
    std::vector<std::string> interfaces = {};
    std::vector<SpecConstant> specialization = {};
    std::optional<Requirement> requirement = {};
};
using Int4Cases = std::vector<Int4Case>;

Assembly assemblyOf(const Int4Case& c);

// Runs the case on many inputs, here and on the reference device.
void runInt4Case(const Int4Case& c);

// INSTANTIATE_INT4_CASES(Suite, list): a test of `Suite` for each case of a function's Int4Cases.
#define INSTANTIATE_INT4_CASES(Suite, list)                                        \
    class Suite : public testing::TestWithParam<size_t> {};                        \
    TEST_P(Suite, Case) {                                                          \
        COOPVK_REQUIRE(Requirement::kEmulation);                                   \
        const Int4Case& c = list()[GetParam()];                                    \
        if (c.requirement) COOPVK_REQUIRE(*c.requirement);                         \
        runInt4Case(c);                                                            \
    }                                                                              \
    INSTANTIATE_TEST_SUITE_P(All, Suite, testing::Range(size_t{0}, list().size()), \
                             [](const testing::TestParamInfo<size_t>& at) {        \
                                 return std::string(list()[at.param].name);        \
                             })

}  // namespace coopvk::test

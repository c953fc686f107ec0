// SPDX-License-Identifier: Apache-2.0
//
// Random programs on matrices of subgroups, of workgroups and of both: statements of
// VK_NV_cooperative_matrix2 in loops, branches and functions, on arrays, structures and globals,
// against an interpreter on the host.
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/covering.hpp"
#include "harness/matrix_program.hpp"

namespace coopvk::test {
namespace {

class Matrix2Random : public testing::TestWithParam<uint32_t> {};

TEST_P(Matrix2Random, MatchesInterpreter) { expectMatrixProgram(GetParam()); }

// COOPVK_TEST_PROGRAMS is the number of programs; without it, each number of lanes has other
// programs.
std::vector<uint32_t> numbers() {
    constexpr uint32_t kFew = 6, kMany = 3000;
    uint32_t count = runsAll() ? kMany : kFew, first = 0;
    if (const char* text = std::getenv("COOPVK_TEST_PROGRAMS")) {
        count = static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
    } else if (!runsAll()) {
        first = Context::get().subgroupSize * kFew;
    }
    std::vector<uint32_t> result;
    for (uint32_t i = 0; i < count; ++i) result.push_back(first + i);
    return result;
}

INSTANTIATE_TEST_SUITE_P(Programs, Matrix2Random, testing::ValuesIn(numbers()));

}  // namespace
}  // namespace coopvk::test

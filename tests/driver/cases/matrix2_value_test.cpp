// SPDX-License-Identifier: Apache-2.0
//
// A workgroup's matrices as values, as glsl_value_test.cpp does for a subgroup's.
#include <gtest/gtest.h>

#include "harness/covering.hpp"
#include "harness/glsl_values.hpp"
#include "harness/matrix_group.hpp"

namespace coopvk::test::matrix2_value_test {
namespace {

constexpr ValueType kTypes[] = {{Component::kF32, 32, 16, Use::kAccumulator},
                                {Component::kF16, 16, 48, Use::kA},
                                {Component::kS8, 64, 16, Use::kB}};

struct Case {
    size_t value, type, group;
};

std::string caseName(const Case& c) {
    return glslValues()[c.value].name + "_" + valueTypeName(kTypes[c.type]) + "_" +
           nameOf(matrixGroups()[c.group]);
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (size_t value = 0; value < glslValues().size(); ++value)
        for (size_t type = 0; type < std::size(kTypes); ++type)
            for (size_t group = 1; group < matrixGroups().size(); ++group)
                all.push_back({value, type, group});
    return covering(all, [](const Case& c) { return factors(c.value, c.type, c.group); });
}

class Matrix2Value : public testing::TestWithParam<Case> {};

TEST_P(Matrix2Value, MatchesReference) {
    const Case& c = GetParam();
    const MatrixGroup& group = matrixGroups()[c.group];
    if (const std::string why = missing(group); !why.empty()) GTEST_SKIP() << why;
    const GlslValue& value = glslValues()[c.value];
    const ValueType& type = kTypes[c.type];
    expectValue(compileGlsl(inGroup(glslValueSource(value, type), group), value.checked), type);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Value, testing::ValuesIn(cases()),
                         [](const auto& param) { return caseName(param.param); });

}  // namespace
}  // namespace coopvk::test::matrix2_value_test

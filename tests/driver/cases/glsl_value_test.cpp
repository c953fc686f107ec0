// SPDX-License-Identifier: Apache-2.0
//
// Matrix values in GLSL: elements, variables, arrays, structs, functions, control flow.
#include <gtest/gtest.h>

#include "harness/covering.hpp"
#include "harness/glsl_values.hpp"

namespace coopvk::test::glsl_value_test {
namespace {

using Parameter = IndexPair;  // value, type
class GlslValues : public testing::TestWithParam<Parameter> {};

TEST_P(GlslValues, MatchesReference) {
    const GlslValue& value = glslValues()[std::get<0>(GetParam())];
    const ValueType type = valueTypes()[std::get<1>(GetParam())];
    expectValue(compileGlsl(glslValueSource(value, type), value.checked), type);
}

INSTANTIATE_TEST_SUITE_P(All, GlslValues,
                         testing::ValuesIn(coveringIndices(glslValues().size(),
                                                           valueTypes().size())),
                         [](const auto& param) {
                             return glslValues()[std::get<0>(param.param)].name + "_" +
                                    valueTypeName(valueTypes()[std::get<1>(param.param)]);
                         });

}  // namespace
}  // namespace coopvk::test::glsl_value_test

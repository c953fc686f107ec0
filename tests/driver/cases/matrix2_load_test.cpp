// SPDX-License-Identifier: Apache-2.0
//
// Matrices of flexible dimensions, of subgroups and of workgroups: loads and stores of any layout.
#include <gtest/gtest.h>

#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/matrix_group.hpp"
#include "harness/reference.hpp"

namespace coopvk::test::matrix2_load_test {
namespace {

struct LoadCase {
    Component component;
    Use use;
    bool columnMajor;
    MatrixGroup group;
};

std::string caseName(const LoadCase& c) {
    return std::string(name(c.component)) + "_" + "ABC"[static_cast<int>(c.use)] +
           (c.columnMajor ? "_columns_" : "_rows_") + nameOf(c.group);
}

std::vector<LoadCase> loadCases() {
    std::vector<LoadCase> all;
    for (const Component component :
         {Component::kF16, Component::kF32, Component::kS8, Component::kU8, Component::kS32}) {
        for (const Use use : kAllUses)
            for (const bool columnMajor : {false, true})
                for (const MatrixGroup& group : matrixGroups())
                    all.push_back({component, use, columnMajor, group});
    }
    return covering(all, [](const LoadCase& c) {
        return factors(c.component, c.use, c.columnMajor, nameOf(c.group));
    });
}

class Matrix2Load : public testing::TestWithParam<LoadCase> {};

// From one layout to the other, through a workgroup's memory, with padding between lines. All bits
// stay the same.
TEST_P(Matrix2Load, FromOneLayoutToTheOther) {
    const LoadCase& c = GetParam();
    if (const std::string why = missing(c.group); !why.empty()) GTEST_SKIP() << why;
    constexpr uint32_t kRows = 32, kColumns = 48, kPadding = 5;
    Rng rng(caseName(c));
    const Matrix in = randomMatrix(rng, c.component, kRows, kColumns, Fill::kBits);
    const uint32_t bytes = info(c.component).bytes;
    const uint32_t inStride = (c.columnMajor ? kRows : kColumns) + kPadding;
    const uint32_t outStride = (c.columnMajor ? kColumns : kRows) + 3;
    const Placement inPlace = {c.columnMajor, size_t{inStride} * bytes, 7u * bytes};
    const Placement outPlace = {!c.columnMajor, size_t{outStride} * bytes, 2u * bytes};
    const std::string element(glsl::scalar(c.component));
    const std::string type = glsl::matrix(c.component, kRows, kColumns, c.use);
    const std::string source =
        matrix2Header() + glsl::buffer(0, "a", element) + glsl::buffer(3, "d", element) +
        "shared " + element + " own[" + std::to_string(kRows * kColumns) + "];\n" +
        "void main() {\n" + type + " A, D;\n" +
        glsl::load("A", "a", std::to_string(inStride), c.columnMajor, "7") +
        glsl::store("A", "own", std::to_string(kColumns)) +
        "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, "
        "gl_SemanticsAcquireRelease);\n" +
        glsl::load("D", "own", std::to_string(kColumns)) +
        glsl::store("D", "d", std::to_string(outStride), !c.columnMajor, "2") + "}\n";
    Dispatch dispatch;
    Bytes input = rng.bytes(inPlace.size(in));
    scatter(in, inPlace, input);
    dispatch.buffers = {input, Bytes(4), Bytes(4), rng.bytes(outPlace.size(in) + 8)};
    expectAsReference(compileGlsl(inGroup(source, c.group)), dispatch);
}

INSTANTIATE_TEST_SUITE_P(All, Matrix2Load, testing::ValuesIn(loadCases()),
                         [](const auto& param) { return caseName(param.param); });

}  // namespace
}  // namespace coopvk::test::matrix2_load_test

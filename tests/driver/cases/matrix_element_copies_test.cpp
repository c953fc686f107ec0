// SPDX-License-Identifier: Apache-2.0
//
// Programs that assume that an accumulator and a matrix of another use are distributed alike.
#include <gtest/gtest.h>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/listed.hpp"
#include "harness/matrix_group.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::matrix_element_copies_test {
namespace {

struct CopyCase {
    Component component;
    uint32_t size;
    Use use;
};

class MatrixFormatElementCopies : public testing::TestWithParam<CopyCase> {};

// Translators of D3D12 shaders copy element i of an accumulator to element i of A or B, since both
// are distributed alike on the processors that they support. The specification does not promise
// that.
TEST_P(MatrixFormatElementCopies, ConvertTheUse) {
    const auto& [component, size, use] = GetParam();
    COOPVK_REQUIRE(component);
    COOPVK_REQUIRE(Requirement::kEmulation);
    if (!info(component).hasArithmetic() && !isEmulated(component))
        GTEST_SKIP() << "matrices of " << name(component) << " may be the driver's own";
    COOPVK_REQUIRE((NeededMatrices{{component, size, size, Use::kA},
                                   {component, size, size, Use::kB},
                                   {component, size, size, Use::kAccumulator},
                                   {Component::kF32, size, size, Use::kAccumulator}}));
    Assembly a;
    a.buffers = {scalars("a", component), scalars("b", component), scalars("c", component),
                 scalars("d", Component::kF32)};
    a.declarations =
        matrixType("A", component, size, size, Use::kA) +
        matrixType("B", component, size, size, Use::kB) +
        matrixType("C", component, size, size, Use::kAccumulator) +
        matrixType("F", Component::kF32, size, size, Use::kAccumulator) +
        substitute(R"(
%zero = OpConstantNull %F
%pointer_C = OpTypePointer Function %C
%pointer_X = OpTypePointer Function ${X}
%pointer_e = OpTypePointer Function %${e}
)",
                   {{"X", use == Use::kA ? "%A" : "%B"}, {"e", std::string(name(component))}});
    a.body = substitute(R"(
%vc = OpVariable %pointer_C Function
%vx = OpVariable %pointer_X Function
%pa = OpAccessChain %sb_${e} %a %c_0 %c_0
%pb = OpAccessChain %sb_${e} %b %c_0 %c_0
%pd = OpAccessChain %sb_f32 %d %c_0 %c_0
%ma = OpCooperativeMatrixLoadKHR %A %pa %c_0 ${n}
%mb = OpCooperativeMatrixLoadKHR %B %pb %c_0 ${n}
%product = OpCooperativeMatrixMulAddKHR %F %ma %mb %zero
%narrow = OpFConvert %C %product
OpStore %vc %narrow
%length = OpCooperativeMatrixLengthKHR %u32 ${X}
OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %c_0 %main_entry %next %continue
OpLoopMerge %done %continue None
OpBranch %check
%check = OpLabel
%less = OpULessThan %bool %i %length
OpBranchConditional %less %work %done
%work = OpLabel
%from = OpInBoundsAccessChain %pointer_e %vc %i
%element = OpLoad %${e} %from
%to = OpInBoundsAccessChain %pointer_e %vx %i
OpStore %to %element
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %u32 %i %c_1
OpBranch %head
%done = OpLabel
%mx = OpLoad ${X} %vx
%r = OpCooperativeMatrixMulAddKHR %F ${factors} %zero
OpCooperativeMatrixStoreKHR %pd %r %c_0 ${n}
)",
                        {{"e", std::string(name(component))},
                         {"X", use == Use::kA ? "%A" : "%B"},
                         {"factors", use == Use::kA ? "%mx %mb" : "%ma %mx"},
                         {"n", constant(size)}});
    Rng rng("ConvertTheUse" + std::string(name(component)) + std::to_string(size));
    const Matrix left = randomMatrix(rng, component, size, size, Fill::kSmall);
    const Matrix right = randomMatrix(rng, component, size, size, Fill::kSmall);
    const Matrix none(Component::kF32, size, size);
    const Matrix product = mulAdd(left, right, none, Component::kF32, 0, true).value;
    Matrix factor(component, size, size);
    for (size_t i = 0; i < factor.elements.size(); ++i)
        factor.elements[i] = convert(component, Component::kF32, product.elements[i]);
    const Product want = use == Use::kA ? mulAdd(factor, right, none, Component::kF32, 0, true)
                                        : mulAdd(left, factor, none, Component::kF32, 0, true);
    Dispatch dispatch;
    dispatch.buffers = {pack(left), pack(right), Bytes(4), poison(rng, none)};
    const std::vector<Bytes> after = run(assemble(a), dispatch);
    EXPECT_EQ(difference(unpack(Component::kF32, size, size, after[3]), want), "");
}

// The same from A or B to an accumulator, which is stored then.
TEST_P(MatrixFormatElementCopies, ConvertToAnAccumulator) {
    const auto& [component, size, use] = GetParam();
    COOPVK_REQUIRE(component);
    COOPVK_REQUIRE(Requirement::kEmulation);
    if (!info(component).hasArithmetic() && !isEmulated(component))
        GTEST_SKIP() << "matrices of " << name(component) << " may be the driver's own";
    COOPVK_REQUIRE(
        (NeededMatrices{{component, size, size, use}, {component, size, size, Use::kAccumulator}}));
    Assembly a;
    a.buffers = {scalars("a", component), scalars("b", component)};
    a.declarations = matrixType("X", component, size, size, use) +
                     matrixType("C", component, size, size, Use::kAccumulator) +
                     substitute(R"(
%pointer_C = OpTypePointer Function %C
%pointer_X = OpTypePointer Function %X
%pointer_e = OpTypePointer Function %${e}
)",
                                {{"e", std::string(name(component))}});
    a.body = substitute(R"(
%vc = OpVariable %pointer_C Function
%vx = OpVariable %pointer_X Function
%pa = OpAccessChain %sb_${e} %a %c_0 %c_0
%pb = OpAccessChain %sb_${e} %b %c_0 %c_0
%mx = OpCooperativeMatrixLoadKHR %X %pa %c_0 ${n}
OpStore %vx %mx
%length = OpCooperativeMatrixLengthKHR %u32 %C
OpBranch %head
%head = OpLabel
%i = OpPhi %u32 %c_0 %main_entry %next %continue
OpLoopMerge %done %continue None
OpBranch %check
%check = OpLabel
%less = OpULessThan %bool %i %length
OpBranchConditional %less %work %done
%work = OpLabel
%from = OpInBoundsAccessChain %pointer_e %vx %i
%element = OpLoad %${e} %from
%to = OpInBoundsAccessChain %pointer_e %vc %i
OpStore %to %element
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %u32 %i %c_1
OpBranch %head
%done = OpLabel
%mc = OpLoad %C %vc
OpCooperativeMatrixStoreKHR %pb %mc %c_0 ${n}
)",
                        {{"e", std::string(name(component))}, {"n", constant(size)}});
    Rng rng("ConvertToAnAccumulator" + std::string(name(component)) + std::to_string(size));
    const Matrix given = randomMatrix(rng, component, size, size, Fill::kSmall);
    const Matrix none(component, size, size);
    Dispatch dispatch;
    dispatch.buffers = {pack(given), poison(rng, none)};
    EXPECT_EQ(run(assemble(a), dispatch)[1], pack(given));
}

INSTANTIATE_TEST_SUITE_P(All, MatrixFormatElementCopies,
                         testing::Values(CopyCase{Component::kE4M3, 16, Use::kA},
                                         CopyCase{Component::kE4M3, 16, Use::kB},
                                         CopyCase{Component::kE5M2, 8, Use::kA},
                                         CopyCase{Component::kBF16, 8, Use::kB},
                                         CopyCase{Component::kF16, 16, Use::kA}),
                         [](const auto& test) {
                             return std::string(name(test.param.component)) + "_" +
                                    std::to_string(test.param.size) + "_" +
                                    "ABC"[static_cast<int>(test.param.use)];
                         });

}  // namespace
}  // namespace coopvk::test::matrix_element_copies_test

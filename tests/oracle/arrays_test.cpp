// SPDX-License-Identifier: Apache-2.0
//
// SPV_QCOM_cooperative_matrix_conversion: the array of invocation i is row i of A and of
// accumulators, and column i of B; arrays of words hold the same bits.
#include <gtest/gtest.h>

#include <format>

#include "device.hpp"

namespace coopvk::oracle::arrays_test {
namespace {

struct Case {
    const Format& component;
    uint32_t use, rows, columns;
    bool asWords;
};
const Case kCases[] = {
    {kF32, 0, 8, 8, false},  {kF32, 0, 16, 8, true},  {kF16, 0, 8, 16, false},
    {kF16, 0, 16, 16, true}, {kS8, 0, 16, 32, true},  {kU8, 0, 8, 32, true},
    {kF32, 1, 8, 16, true},  {kF16, 1, 16, 8, false}, {kF16, 1, 16, 16, true},
    {kS8, 1, 32, 16, true},  {kU8, 1, 32, 8, false},  {kF32, 2, 16, 16, false},
    {kF16, 2, 8, 16, true},  {kF32, 2, 8, 8, true},   {kS32, 2, 16, 8, false},
};

constexpr uint32_t kLanes = 16;

uint32_t lengthOf(const Case& c) { return c.use == 1 ? c.rows : c.columns; }
uint32_t lines(const Case& c) { return c.use == 1 ? c.columns : c.rows; }
uint32_t wordsOf(const Case& c) { return lengthOf(c) * uint32_t(c.component.bits) / 32; }

struct Shader {
    Module module{kLanes};
    Id matrixType, arrayType, index;

    explicit Shader(const Case& c) {
        module.capability("CooperativeMatrixKHR", "SPV_KHR_cooperative_matrix");
        module.capability("CooperativeMatrixConversionQCOM",
                          "SPV_QCOM_cooperative_matrix_conversion");
        module.capability("GroupNonUniform");
        matrixType = module.type(std::format(
            "OpTypeCooperativeMatrixKHR {} {} {} {} {}", module.scalar(c.component), module.u32(3),
            module.u32(c.rows), module.u32(c.columns), module.u32(c.use)));
        arrayType = c.asWords ? module.array(module.scalar(kU32), wordsOf(c))
                              : module.array(module.scalar(c.component), lengthOf(c));
        index = module.builtIn("SubgroupLocalInvocationId");
    }
    Id pointer(uint32_t binding) {
        return module.element(binding, module.scalar(kU32), 4, module.u32(0));
    }
    // Of this invocation's array, whose elements have words of their own.
    Id place(uint32_t i) {
        const Id word = module.scalar(kU32);
        const Id first = module.value("OpIMul " + word + " " + index + " " + module.u32(32));
        return module.value("OpIAdd " + word + " " + first + " " + module.u32(i));
    }
};

class Arrays : public testing::TestWithParam<Case> {
 protected:
    Random random{59};
    const Case& c = GetParam();
    const Format& element = c.asWords ? kU32 : c.component;
    uint32_t length = c.asWords ? wordsOf(c) : lengthOf(c);
    reference::test::Execution execution;

    std::vector<uint32_t> randomWords(size_t count) {
        std::vector<uint32_t> words(count);
        for (uint32_t& word : words) word = uint32_t(random());
        return words;
    }
    // Bits of a component: of the matrix in rows, or of the arrays.
    uint64_t ofMatrix(uint32_t binding, uint32_t line, uint32_t i) {
        const uint32_t row = c.use == 1 ? i : line, column = c.use == 1 ? line : i;
        return unpacked(c.component, execution.buffers[binding], row * c.columns + column);
    }
    uint64_t ofArrays(uint32_t binding, uint32_t line, uint32_t i) {
        const auto bits = uint32_t(c.component.bits);
        if (!c.asWords) return execution.buffers[binding][line * 32 + i] & c.component.mask();
        const uint32_t word = execution.buffers[binding][line * 32 + i * bits / 32];
        return word >> i * bits % 32 & c.component.mask();
    }
    void expectSame() {
        for (uint32_t line = 0; line < lines(c); ++line)
            for (uint32_t i = 0; i < lengthOf(c); ++i)
                ASSERT_EQ(ofMatrix(0, line, i), ofArrays(1, line, i)) << line << ", " << i;
    }
    uint32_t rowWords() const { return c.columns * uint32_t(c.component.bits) / 32; }
};

TEST_P(Arrays, AreLinesOfMatrices) {
    Shader shader(c);
    Module& module = shader.module;
    const Id matrix =
        module.value(std::format("OpCooperativeMatrixLoadKHR {} {} {} {}", shader.matrixType,
                                 shader.pointer(0), module.u32(0), module.u32(rowWords())));
    const Id array =
        module.value("OpCompositeExtractCoopMatQCOM " + shader.arrayType + " " + matrix);
    // Invocations beyond the matrix get undefined values, which reach memory here.
    execution.settings.checks &= ~uint32_t{reference::kCheckUndefined};
    for (uint32_t i = 0; i < length; ++i)
        module.store(1, element, shader.place(i),
                     module.value(std::format("OpCompositeExtract {} {} {}", module.scalar(element),
                                              array, i)));
    execution.lanes = kLanes;
    execution.buffers[0] = randomWords(c.rows * rowWords());
    execution.buffers[1].resize(kLanes * 32);
    run(execution, module);
    expectSame();
}

TEST_P(Arrays, MakeMatrices) {
    Shader shader(c);
    Module& module = shader.module;
    std::string array = "OpCompositeConstruct " + shader.arrayType;
    for (uint32_t i = 0; i < length; ++i) array += " " + module.load(1, element, shader.place(i));
    const Id made = module.value("OpCompositeConstructCoopMatQCOM " + shader.matrixType + " " +
                                 module.value(array));
    module.instruction(std::format("OpCooperativeMatrixStoreKHR {} {} {} {}", shader.pointer(0),
                                   made, module.u32(0), module.u32(rowWords())));
    execution.lanes = kLanes;
    execution.buffers[0].resize(c.rows * rowWords());
    execution.buffers[1] = randomWords(kLanes * 32);
    run(execution, module);
    expectSame();
}

INSTANTIATE_TEST_SUITE_P(Oracle, Arrays, testing::ValuesIn(kCases), [](const auto& given) {
    const Case& c = given.param;
    return std::format("{}_use{}_{}x{}{}", c.component.name, c.use, c.rows, c.columns,
                       c.asWords ? "_words" : "");
});

TEST(ArrayBits, StayInOrder) {
    Random random(61);
    Module module(1);
    module.capability("CooperativeMatrixKHR", "SPV_KHR_cooperative_matrix");
    module.capability("CooperativeMatrixConversionQCOM", "SPV_QCOM_cooperative_matrix_conversion");
    const Id words = module.array(module.scalar(kU32), 8),
             halves = module.array(module.scalar(kF16), 16);
    const Id six = module.array(module.scalar(kF16), 6);
    std::string text = "OpCompositeConstruct " + words;
    for (uint32_t i = 0; i < 8; ++i) text += " " + module.load(0, kU32, module.u32(i));
    const Id cast = module.value("OpBitCastArrayQCOM " + halves + " " + module.value(text));
    const Id part = module.value("OpExtractSubArrayQCOM " + six + " " + cast + " " +
                                 module.constant(module.scalar(kS32), "7"));
    for (uint32_t i = 0; i < 6; ++i)
        module.store(
            1, kF16, module.u32(i),
            module.value(std::format("OpCompositeExtract {} {} {}", module.scalar(kF16), part, i)));
    reference::test::Execution execution;
    for (uint32_t i = 0; i < 8; ++i) execution.buffers[0].push_back(uint32_t(random()));
    execution.buffers[1].resize(6);
    run(execution, module);
    for (uint32_t i = 0; i < 6; ++i)
        EXPECT_EQ(execution.buffers[1][i], unpacked(kF16, execution.buffers[0], 7 + i)) << i;
}

}  // namespace
}  // namespace coopvk::oracle::arrays_test

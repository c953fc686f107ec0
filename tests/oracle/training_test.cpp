// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeVectorOuterProductAccumulateNV and -ReduceSumAccumulateNV: all invocations add to
// the same memory, in any order.
#include <gtest/gtest.h>

#include <format>

#include "../test_part.hpp"
#include "matrices.hpp"
#include "sums.hpp"

namespace coopvk::oracle::training_test {
namespace {

constexpr uint32_t kInvocations = 16, kM = 5, kN = 8, kOffset = 64;

struct Case {
    const Format& vector;
    const Format& memory;  // of the products; sums have the vector's
    uint32_t layout, stride;
};
const Case kCases[] = {{kF16, kF16, 3, 0},
                       {kF16, kF32, 3, 0},
                       {kF32, kF32, 3, 0},
                       {kF16, kF32, 0, 48},
                       {kF32, kF32, 1, 32}};

uint32_t componentType(const Format& format) { return format.bits == 16 ? 0 : 1; }

size_t placeOf(const Case& c, uint32_t row, uint32_t column) {
    const size_t stride = c.stride / (size_t(c.memory.bits) / 8);
    if (c.layout == 0) return row * stride + column;
    if (c.layout == 1) return column * stride + row;
    return size_t{row} * kN + column;
}

struct Memory {
    std::vector<uint64_t> first, second;  // vectors of kM and kN components
    std::vector<uint64_t> matrix, sums;   // before
};

Module moduleOf(const Case& c) {
    Module module(kInvocations);
    module.capability("CooperativeVectorNV", "SPV_NV_cooperative_vector");
    module.capability("CooperativeVectorTrainingNV");
    module.capability("VulkanMemoryModelDeviceScope");
    const Id word = module.scalar(kU32), index = module.builtIn("GlobalInvocationId");
    const auto loaded = [&](uint32_t binding, uint32_t count) {
        const Id type = module.type(std::format("OpTypeCooperativeVectorNV {} {}",
                                                module.scalar(c.vector), module.u32(count)));
        const Id at = module.value("OpIMul " + word + " " + index + " " + module.u32(32));
        return module.value("OpCooperativeVectorLoadNV " + type + " " +
                            module.wholeArray(binding, word, 4) + " " + at);
    };
    const Id first = loaded(0, kM), second = loaded(1, kN);
    module.instruction(std::format(
        "OpCooperativeVectorOuterProductAccumulateNV {} {} {} {} {} {} {}",
        module.wholeArray(2, word, 4), module.u32(kOffset), first, second, module.u32(c.layout),
        module.u32(componentType(c.memory)), module.u32(c.stride)));
    module.instruction(std::format("OpCooperativeVectorReduceSumAccumulateNV {} {} {}",
                                   module.wholeArray(3, word, 4), module.u32(kOffset), second));
    return module;
}

class Training : public testing::TestWithParam<Case> {
 protected:
    Random random{41};

    Memory memoryOf(const Case& c, Data data) {
        const size_t places = 256;
        return {elements(c.vector, data, kInvocations * 32, random),
                elements(c.vector, data, kInvocations * 32, random),
                elements(c.memory, data, places, random), elements(c.vector, data, places, random)};
    }
    void expectSum(const Format& format, reference::test::Execution& execution, uint32_t binding,
                   size_t place, const Terms& terms) {
        const size_t element = kOffset / (size_t(format.bits) / 8) + place;
        const uint64_t bits = unpacked(format, execution.buffers[binding], element);
        const Real value = valueOf(format, bits);
        ASSERT_TRUE(permitted(format, terms).contains(value)) << textOf(value);
        const auto interval = reference::intervalOf(
            execution.deviations[binding][element * format.bits / 8], numberOf(format), bits);
        for (int order = 0; order < 8; ++order) {
            const Real other = sampled(format, terms, random);
            ASSERT_TRUE(contains(interval, other))
                << textOf(other) << " is not in " << textOf(interval);
        }
    }
};

TEST_P(Training, AddsInAnyOrder) {
    const Case& c = GetParam();
    for (const Data data : kAllData) {
        SCOPED_TRACE(int(data));
        const Memory before = memoryOf(c, data);
        reference::Intervals intervals;
        reference::test::Execution execution;
        execution.lanes = 8;
        execution.settings.intervals = &intervals;
        execution.buffers = {{0, packed(c.vector, before.first)},
                             {1, packed(c.vector, before.second)},
                             {2, packed(c.memory, before.matrix)},
                             {3, packed(c.vector, before.sums)}};
        for (const auto& [binding, words] : execution.buffers)
            execution.deviations[binding].resize(words.size() * 4);
        run(execution, moduleOf(c));
        const size_t perVector = 256 / size_t(c.vector.bits);
        const auto component = [&](const std::vector<uint64_t>& vectors, uint32_t v, uint32_t i) {
            return valueOf(c.vector, vectors[v * perVector + i]);
        };
        for (uint32_t row = 0; row < kM; ++row)
            for (uint32_t column = 0; column < kN; ++column) {
                Terms terms;
                const size_t place = placeOf(c, row, column);
                terms.addends.push_back(
                    valueOf(c.memory, before.matrix[kOffset * 8 / size_t(c.memory.bits) + place]));
                for (uint32_t v = 0; v < kInvocations; ++v)
                    terms.products.emplace_back(component(before.first, v, row),
                                                component(before.second, v, column));
                expectSum(c.memory, execution, 2, place, terms);
            }
        for (uint32_t column = 0; column < kN; ++column) {
            Terms terms;
            terms.addends.push_back(
                valueOf(c.vector, before.sums[kOffset * 8 / size_t(c.vector.bits) + column]));
            for (uint32_t v = 0; v < kInvocations; ++v)
                terms.addends.push_back(component(before.second, v, column));
            expectSum(c.vector, execution, 3, column, terms);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Oracle, Training, testing::ValuesIn(kCases), [](const auto& given) {
    return std::format("{}_{}_layout{}", given.param.vector.name, given.param.memory.name,
                       given.param.layout);
});

}  // namespace
}  // namespace coopvk::oracle::training_test

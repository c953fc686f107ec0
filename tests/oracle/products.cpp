// SPDX-License-Identifier: Apache-2.0
#include "products.hpp"

#include <format>

namespace coopvk::oracle {
namespace {

using reference::Choice;

constexpr uint32_t kLanes = 8;

std::string loaded(Module& module, const Format& format, uint32_t rows, uint32_t columns,
                   uint32_t use, const Id& group) {
    const auto words = rows * columns * uint32_t(format.bits) / 32;
    const Id word = module.scalar(kU32);
    const Id type = module.type(std::format("OpTypeCooperativeMatrixKHR {} {} {} {} {}",
                                            module.scalar(format), module.u32(3), module.u32(rows),
                                            module.u32(columns), module.u32(use)));
    const Id at = module.value("OpIMul " + word + " " + group + " " + module.u32(words));
    return module.value(std::format("OpCooperativeMatrixLoadKHR {} {} {} {}", type,
                                    module.element(use, word, 4, at), module.u32(0),
                                    module.u32(columns * uint32_t(format.bits) / 32)));
}

void declare(Module& module, const Product& product) {
    module.capability("CooperativeMatrixKHR", "SPV_KHR_cooperative_matrix");
    for (const Format* format : {&product.a, &product.b, &product.c, &product.result}) {
        if (format->extension == kBf16.extension && !format->extension.empty())
            module.capability("BFloat16CooperativeMatrixKHR");
        if (format->extension == kE4m3.extension && !format->extension.empty())
            module.capability("Float8CooperativeMatrixEXT");
        if (format->bits == 4) module.capability("Int4CooperativeMatrixINTEL");
    }
}

Module moduleOf(const Product& product) {
    Module module(kLanes);
    declare(module, product);
    const Id group = module.builtIn("WorkgroupId"), word = module.scalar(kU32);
    const Id a = loaded(module, product.a, kM, kK, 0, group);
    const Id b = loaded(module, product.b, kK, kN, 1, group);
    const Id c = loaded(module, product.c, kM, kN, 2, group);
    const Id type = module.type(std::format("OpTypeCooperativeMatrixKHR {} {} {} {} {}",
                                            module.scalar(product.result), module.u32(3),
                                            module.u32(kM), module.u32(kN), module.u32(2)));
    const Id result = module.value("OpCooperativeMatrixMulAddKHR " + type + " " + a + " " + b +
                                   " " + c + " " + product.operands);
    const auto rowWords = kN * uint32_t(product.result.bits) / 32;
    const Id at = module.value("OpIMul " + word + " " + group + " " + module.u32(kM * rowWords));
    module.instruction(std::format("OpCooperativeMatrixStoreKHR {} {} {} {}",
                                   module.element(3, word, 4, at), result, module.u32(0),
                                   module.u32(rowWords)));
    return module;
}

}  // namespace

Outcome outcomeOf(const Product& product, const Operands& operands, Choice sums,
                  bool withIntervals) {
    const size_t groups = operands.a.size() / (kM * kK);
    reference::Intervals intervals;
    reference::test::Execution execution;
    execution.lanes = kLanes;
    execution.groups = {uint32_t(groups), 1, 1};
    execution.settings.sums = sums;
    execution.buffers[0] = packed(product.a, operands.a);
    execution.buffers[1] = packed(product.b, operands.b);
    execution.buffers[2] = packed(product.c, operands.c);
    const size_t count = groups * kM * kN;
    execution.buffers[3].resize(count * size_t(product.result.bits) / 32);
    if (withIntervals) {
        execution.settings.intervals = &intervals;
        for (const auto& [binding, words] : execution.buffers)
            execution.deviations[binding].resize(words.size() * 4);
    }
    run(execution, moduleOf(product));
    Outcome outcome;
    for (size_t i = 0; i < count; ++i) {
        outcome.bits.push_back(unpacked(product.result, execution.buffers[3], i));
        if (!withIntervals) continue;
        const auto deviation = execution.deviations[3][i * size_t(product.result.bits) / 8];
        outcome.intervals.push_back(
            reference::intervalOf(deviation, numberOf(product.result), outcome.bits[i]));
    }
    return outcome;
}

Operands operandsOf(const Product& product, Data data, size_t groups, Random& random) {
    return {elements(product.a, data, groups * kM * kK, random),
            elements(product.b, data, groups * kK * kN, random),
            elements(product.c, data, groups * kM * kN, random)};
}

std::string nameOf(const Product& product) {
    return std::format("{}_{}_{}_{}", product.a.name, product.b.name, product.c.name,
                       product.result.name);
}

}  // namespace coopvk::oracle

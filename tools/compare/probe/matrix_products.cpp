// SPDX-License-Identifier: Apache-2.0
#include <format>
#include <iostream>
#include <map>

#include "compare/probe/product_device.hpp"
#include "compare/run/runner.hpp"
#include "compare/shaders/module_text.hpp"

namespace coopvk::compare {
namespace {

constexpr uint32_t kResultBinding = 3;

// Workgroup i, which is a subgroup, computes product i.
std::string shaderOf(const MatrixRow& row, uint32_t lanes) {
    ModuleText text(lanes);
    text.capability("CooperativeMatrixKHR");
    text.extension("SPV_KHR_cooperative_matrix");
    const std::string invocation = text.invocation(), product = text.fresh("product");
    text.line(
        std::format("{} = OpUDiv {} {} {}", product, text.u32(), invocation, text.constant(lanes)));
    const auto matrix = [&](const MatrixType& type) {
        return text.declare(
            std::format("matrix{}", static_cast<uint32_t>(type.use)),
            std::format("OpTypeCooperativeMatrixKHR {} {} {} {} {}", text.component(type.component),
                        text.constant(3), text.constant(type.rows), text.constant(type.columns),
                        text.constant(static_cast<uint32_t>(type.use))));
    };
    const auto at = [&](uint32_t binding, const MatrixType& type) {
        const ModuleText::Array array = text.buffer(binding, type.component);
        const std::string first = text.fresh("first");
        text.line(std::format("{} = OpIMul {} {} {}", first, text.u32(), product,
                              text.constant(type.rows * type.columns)));
        return text.elementPointer(array, first);
    };
    std::vector<std::string> loaded;
    const MatrixType types[] = {{row.a, row.m, row.k, Use::kA},
                                {row.b, row.k, row.n, Use::kB},
                                {row.c, row.m, row.n, Use::kAccumulator}};
    for (uint32_t i = 0; i < 3; ++i) {
        const std::string type = matrix(types[i]), from = at(i, types[i]);
        loaded.push_back(text.fresh("loaded"));
        text.line(std::format("{} = OpCooperativeMatrixLoadKHR {} {} {} {}", loaded[i], type, from,
                              text.constant(0), text.constant(types[i].columns)));
    }
    const std::string result = text.fresh("result"), to = at(kResultBinding, types[2]);
    text.line(std::format("{} = OpCooperativeMatrixMulAddKHR {} {} {} {}", result, matrix(types[2]),
                          loaded[0], loaded[1], loaded[2]));
    text.line(std::format("OpCooperativeMatrixStoreKHR {} {} {} {}", to, result, text.constant(0),
                          text.constant(row.n)));
    return text.text();
}

class MatrixProducts : public ProductDevice {
 public:
    MatrixProducts(Gpu& gpu, bool emulated) : gpu_(gpu), emulated_(emulated), runner_(gpu) {}

    std::string name() const override { return gpu_.name(); }

    std::vector<MatrixRow> rows() override {
        MatrixRows rows =
            matrixRows(Dialect::kKhr, emulated_ ? nullptr : &gpu_, emulated_ ? &gpu_ : nullptr);
        for (const auto& [reason, count] : rows.skipped)
            std::cout << std::format("  {} {}: not read\n", count, reason);
        return std::move(rows.rows);
    }

    std::vector<uint64_t> compute(const Products& p) override {
        Plan plan;
        plan.assembly = shaderOf(p.row, gpu_.properties11.subgroupSize);
        plan.groups = p.count;
        plan.result = {p.row.result,
                       p.count * p.row.m,
                       p.row.n,
                       false,
                       size_t{p.row.n} * info(p.row.result).bytes(),
                       0};
        plan.buffers = {memoryOf(p.row.a, p.a), memoryOf(p.row.b, p.b), memoryOf(p.row.c, p.c),
                        Bytes(plan.result.end(), std::byte(0xA5))};
        plan.output = kResultBinding;
        Outcome outcome = runner_.run(plan);
        if (!outcome.result) throw std::runtime_error(outcome.error);
        return std::move(outcome.result->elements);
    }

 private:
    Gpu& gpu_;
    const bool emulated_;
    Runner runner_;
};

}  // namespace

std::unique_ptr<ProductDevice> matrixProducts(Gpu& gpu, bool emulated) {
    return std::make_unique<MatrixProducts>(gpu, emulated);
}

}  // namespace coopvk::compare

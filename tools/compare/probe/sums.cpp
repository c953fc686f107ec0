// SPDX-License-Identifier: Apache-2.0
#include "compare/probe/sums.hpp"

#include <algorithm>
#include <deque>
#include <format>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "compare/probe/sum_fit.hpp"
#include "compare/run/runner.hpp"
#include "compare/shaders/module_text.hpp"
#include "json_text.hpp"

namespace coopvk::compare {
namespace {

using nlohmann::ordered_json;
using reference::SumUnit;
using reference::numbers::Number;

constexpr uint32_t kResultBinding = 3;
constexpr uint64_t kSumsOfRun = uint64_t{1} << 16;
constexpr uint32_t kShown = 3;       // sums of a run that differ, for people
constexpr uint32_t kRecorded = 100;  // of a run, in the file: those that differ, and others

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

Bytes memoryOf(Component type, const std::vector<uint64_t>& elements) {
    const uint32_t size = info(type).bytes();
    Bytes memory(elements.size() * size);
    for (size_t i = 0; i < elements.size(); ++i) writeBits(memory, i * size, type, elements[i]);
    return memory;
}

std::vector<uint64_t> compute(Runner& runner, const std::string& shader, const Products& p) {
    Plan plan;
    plan.assembly = shader;
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
    Outcome outcome = runner.run(plan);
    if (!outcome.result) throw std::runtime_error(outcome.error);
    return std::move(outcome.result->elements);
}

bool isKnown(const MatrixRow& row) {
    return row.c == row.result && info(row.result).isFloat() && info(row.a).isFloat() &&
           std::max(info(row.a).bits, info(row.result).bits) <= 32;
}

class SumProbe {
 public:
    SumProbe(Gpu& gpu, const SumsOptions& options)
        : gpu_(gpu), options_(options), runner_(gpu), record_(options.record) {}

    bool probe(bool emulated) {
        const MatrixRows rows =
            matrixRows(Dialect::kKhr, emulated ? nullptr : &gpu_, emulated ? &gpu_ : nullptr);
        for (const MatrixRow& row : rows.rows)
            if (isKnown(row)) isExpected_ &= probe(row);
        for (const auto& [reason, count] : rows.skipped)
            std::cout << std::format("  {} {}: not read\n", count, reason);
        writeFiles();
        return isExpected_;
    }

 private:
    struct Inputs {
        std::string_view name;
        Products products;
        std::vector<uint64_t> results;
    };

    bool probe(const MatrixRow& row) {
        std::cout << "  " << nameOf(row) << '\n' << std::flush;
        ordered_json json = {{"row", nameOf(row)}};
        std::deque<Inputs> inputs;
        std::vector<SumRun> runs;
        try {
            run(row, inputs, runs);
        } catch (const std::exception& error) {
            std::cout << "    not read: " << error.what() << '\n';
            json["notRead"] = error.what();
            rows_.push_back(json);
            return options_.unit.empty();
        }
        bool isExpected = true;
        for (const SumUnit& unit : reference::kSumUnits) {
            const bool isEqual = countUnit(unit, inputs, runs, json);
            if (unit.name == options_.unit) isExpected = isEqual;
        }
        if (options_.unit.empty() || !isExpected) printFits(fitSums(runs), json);
        rows_.push_back(json);
        return isExpected;
    }

    void run(const MatrixRow& row, std::deque<Inputs>& inputs, std::vector<SumRun>& runs) {
        const std::string shader = shaderOf(row, gpu_.properties11.subgroupSize);
        const uint64_t inRun = std::min(kSumsOfRun, options_.sums);
        const auto count = static_cast<uint32_t>((inRun + row.m * row.n - 1) / (row.m * row.n));
        uint64_t done = 0;
        for (uint64_t seed = options_.seed; done < options_.sums; ++seed) {
            for (const SumInputs& kind : allSumInputs()) {
                inputs.push_back({kind.name, makeProducts(kind, row, count, seed), {}});
                inputs.back().results = compute(runner_, shader, inputs.back().products);
                runs.emplace_back(inputs.back().products, inputs.back().results);
                done += runs.back().sums();
            }
        }
    }

    // Whether all sums are the unit's; true where it has no such products.
    bool countUnit(const SumUnit& unit, const std::deque<Inputs>& inputs,
                   const std::vector<SumRun>& runs, ordered_json& json) {
        const MatrixRow& row = runs.front().row();
        const auto model = reference::sumModel(unit.choice, numberOf(row.a), numberOf(row.result));
        if (!model) return true;
        SumCount all;
        std::map<std::string_view, SumCount> byInputs;
        std::string differences;
        for (size_t r = 0; r < runs.size(); ++r) {
            uint32_t shown = 0, recorded = 0;
            for (uint64_t i = 0; i < runs[r].sums(); ++i) {
                const uint64_t predicted = runs[r].predict({*model}, i), seen = runs[r].seen(i);
                all.add(row, predicted, seen);
                byInputs[inputs[r].name].add(row, predicted, seen);
                const bool differs = predicted != seen;
                if (differs && shown++ < kShown && r < allSumInputs().size())
                    differences +=
                        std::format("      {}: {} predicted {:x}, got {:x}\n", inputs[r].name,
                                    runs[r].operandsOf(i), predicted, seen);
                if (unit.name == recordedUnit() && recorded < kRecorded &&
                    (differs || i < kRecorded / 2)) {
                    ++recorded;
                    record_ << std::format("{} | {} | {} predicted={:x} got={:x}\n", nameOf(row),
                                           inputs[r].name, runs[r].operandsOf(i), predicted, seen);
                }
            }
        }
        print(unit, all, byInputs);
        if (unit.name == recordedUnit()) std::cout << differences;
        json["units"][std::string(unit.name)] = jsonOf(all);
        return all.allEqual();
    }

    std::string_view recordedUnit() const {
        return options_.unit.empty() ? std::string_view("hopper") : options_.unit;
    }

    static std::string textOf(const SumCount& count) {
        std::string text = std::format("{} of {} equal", count.equal, count.sums);
        if (count.otherNan != 0) text += std::format(", {} other NaN", count.otherNan);
        if (count.otherZero != 0) text += std::format(", {} zeros of other sign", count.otherZero);
        return text;
    }

    static void print(const SumUnit& unit, const SumCount& all,
                      const std::map<std::string_view, SumCount>& byInputs) {
        std::cout << std::format("    {}: {}\n", unit.name, textOf(all));
        if (all.allEqual()) return;
        for (const auto& [name, count] : byInputs)
            std::cout << std::format("      {}: {}\n", name, textOf(count));
    }

    static ordered_json jsonOf(const SumCount& count) {
        return {{"sums", count.sums},
                {"equal", count.equal},
                {"otherNan", count.otherNan},
                {"otherZero", count.otherZero}};
    }

    static void printFits(const std::vector<SumFit>& fits, ordered_json& json) {
        json["fits"] = ordered_json::array();
        for (const SumFit& fit : fits) {
            const bool explains = fit.all.sums != 0 && fit.all.alike() == fit.all.sums;
            const SumCount& count = fit.all.sums != 0 ? fit.all : fit.sample;
            std::cout << std::format("    {} {}: {}\n",
                                     explains ? "fits:" : "nearly:", compare::textOf(fit.guess),
                                     textOf(count));
            json["fits"].push_back({{"rule", compare::textOf(fit.guess)},
                                    {"explains", explains},
                                    {"count", jsonOf(count)}});
        }
    }

    void writeFiles() {
        if (!options_.record.empty() && !record_.flush())
            throw std::runtime_error("cannot write " + options_.record);
        if (options_.json.empty()) return;
        std::ofstream file(options_.json);
        file << tool::jsonText(ordered_json{{"device", gpu_.name()}, {"rows", rows_}}, 1);
        if (!file.flush()) throw std::runtime_error("cannot write " + options_.json);
    }

    Gpu& gpu_;
    const SumsOptions& options_;
    Runner runner_;
    std::ofstream record_;
    ordered_json rows_ = ordered_json::array();
    bool isExpected_ = true;
};

}  // namespace

bool probeSums(Gpu& gpu, bool emulated, const SumsOptions& options) {
    return SumProbe(gpu, options).probe(emulated);
}

}  // namespace coopvk::compare

// SPDX-License-Identifier: Apache-2.0
#include "compare/probe/sums.hpp"

#include <algorithm>
#include <deque>
#include <format>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "compare/probe/sum_fit.hpp"
#include "coopvk_reference/unit_sums.hpp"
#include "json_text.hpp"

namespace coopvk::compare {
namespace {

using nlohmann::ordered_json;
using reference::SumUnit;
using reference::numbers::Number;

constexpr uint64_t kSumsOfRun = uint64_t{1} << 16;
constexpr uint32_t kShown = 3;       // sums of a run that differ, for people
constexpr uint32_t kRecorded = 100;  // of a run, in the file: those that differ, and others

bool isKnown(const MatrixRow& row) {
    return row.c == row.result && info(row.result).isFloat() && info(row.a).isFloat() &&
           std::max(info(row.a).bits, info(row.result).bits) <= 32;
}

class SumProbe {
 public:
    SumProbe(ProductDevice& device, const SumsOptions& options)
        : device_(device), options_(options), record_(options.record) {}

    bool probe() {
        for (const MatrixRow& row : device_.rows())
            if (isKnown(row)) isExpected_ &= probe(row);
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
        const uint64_t inRun = std::min(kSumsOfRun, options_.sums);
        const auto count = static_cast<uint32_t>((inRun + row.m * row.n - 1) / (row.m * row.n));
        uint64_t done = 0;
        for (uint64_t seed = options_.seed; done < options_.sums; ++seed) {
            for (const SumInputs& kind : allSumInputs()) {
                inputs.push_back({kind.name, makeProducts(kind, row, count, seed), {}});
                inputs.back().results = device_.compute(inputs.back().products);
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
        file << tool::jsonText(ordered_json{{"device", device_.name()}, {"rows", rows_}}, 1);
        if (!file.flush()) throw std::runtime_error("cannot write " + options_.json);
    }

    ProductDevice& device_;
    const SumsOptions& options_;
    std::ofstream record_;
    ordered_json rows_ = ordered_json::array();
    bool isExpected_ = true;
};

}  // namespace

bool probeSums(ProductDevice& device, const SumsOptions& options) {
    return SumProbe(device, options).probe();
}

}  // namespace coopvk::compare

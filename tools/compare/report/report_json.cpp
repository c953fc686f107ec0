// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compare/report/report.hpp"
#include "json_text.hpp"

namespace coopvk::compare {
namespace {

using nlohmann::ordered_json;

// JSON has no infinity: null means a NaN on one side and a number on the other.
ordered_json number(double value) {
    return std::isfinite(value) ? ordered_json(value) : ordered_json();
}

ordered_json sideOf(const SideDescription& side) {
    if (side.present) return {{"available", true}, {"name", side.name}};
    return {{"available", false}, {"why", side.absent}};
}

ordered_json sideOf(const SideVerdict& side) {
    if (!side.present) return nullptr;
    if (!side.error.empty()) return {{"error", side.error}};
    return {{"offReference", side.off},
            {"maxUlpsFromReference", number(side.maxUlps)},
            {"maxShareOfFreedom", number(side.maxShare)}};
}

ordered_json caseOf(const Verdict& verdict) {
    ordered_json places = ordered_json::array();
    for (const uint32_t at : verdict.differing)
        places.push_back({at / verdict.columns, at % verdict.columns});
    ordered_json entry = {{"number", verdict.number},
                          {"name", verdict.subject->name},
                          {"row", verdict.subject->row},
                          {"operation", verdict.subject->operation},
                          {"status", nameOf(verdict.status)},
                          {"elements", verdict.rows * verdict.columns},
                          {"maxUlps", number(verdict.maxUlps)},
                          {"native", sideOf(verdict.native)},
                          {"emulated", sideOf(verdict.emulated)}};
    if (!places.empty()) {
        entry["offReference"] = culprit(verdict);
        entry["differing"] = std::move(places);
    }
    return entry;
}

}  // namespace

void writeJson(const std::string& file, const Comparison& comparison,
               const std::vector<Verdict>& verdicts) {
    const Table table = tabulate(verdicts);
    ordered_json cases = ordered_json::array();
    for (const Verdict& verdict : verdicts) cases.push_back(caseOf(verdict));
    const ordered_json all = {{"version", 1},
                              {"coopvk", COOPVK_VERSION},
                              {"extension", comparison.options().extension},
                              {"seed", comparison.options().seed},
                              {"native", sideOf(comparison.native())},
                              {"emulated", sideOf(comparison.emulated())},
                              {"notes", comparison.notes()},
                              {"total", table.all.cases},
                              {"agree", table.all.agreed},
                              {"differ", table.all.cases - table.all.agreed - table.all.errors},
                              {"error", table.all.errors},
                              {"cases", std::move(cases)}};
    std::ofstream out(file);
    out << tool::jsonText(all, 1);
    if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace coopvk::compare

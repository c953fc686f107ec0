// SPDX-License-Identifier: Apache-2.0
#include "compare/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace coopvk::compare {
namespace {

constexpr size_t kShownCases = 25;
constexpr size_t kShownPlaces = 6;

void addUnique(std::vector<std::string>& list, const std::string& text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

std::string sideLine(const SideDescription& side) {
    return side.present ? side.name : "not available: " + side.absent;
}

}  // namespace

void Tally::add(const Verdict& verdict) {
    ++cases;
    agreed += verdict.status == Status::kAgree;
    errors += verdict.status == Status::kError;
    if (verdict.status != Status::kError) maxUlps = std::max(maxUlps, verdict.maxUlps);
    nativeShare = std::max(nativeShare, verdict.native.maxShare);
    emulatedShare = std::max(emulatedShare, verdict.emulated.maxShare);
}

std::string Tally::shares() const {
    std::string text;
    const auto add = [&](const char* side, double share) {
        if (share == 0) return;
        char percent[32];
        std::snprintf(percent, sizeof(percent), share < 0.1 ? "%.1f %%" : "%.0f %%", 100 * share);
        text += text.empty()
                    ? std::string(side) + " uses at most " + percent + " of what is allowed"
                    : std::string(", ") + side + " " + percent;
    };
    add("native", nativeShare);
    add("emulated", emulatedShare);
    return text;
}

std::string Tally::text() const {
    std::string text = std::to_string(agreed) + "/" + std::to_string(cases);
    if (maxUlps != 0) text += ", " + ulpsText(maxUlps);
    return text;
}

Table tabulate(const std::vector<Verdict>& verdicts) {
    Table table;
    for (const Verdict& verdict : verdicts) {
        const Case& c = *verdict.subject;
        addUnique(table.rows, c.row);
        addUnique(table.operations, c.operation);
        table.cells[{c.row, c.operation}].add(verdict);
        table.byOperation[c.operation].add(verdict);
        table.all.add(verdict);
    }
    return table;
}

std::string ulpsText(double ulps) {
    if (std::isinf(ulps)) return "NaN against a number";
    char text[48];
    std::snprintf(text, sizeof(text), ulps < 1e6 ? "%.0f ulp%s" : "%.2g ulp%s", ulps,
                  ulps == 1 ? "" : "s");
    return text;
}

std::string headline(const Tally& all) {
    std::string text =
        std::to_string(all.agreed) + " of " + std::to_string(all.cases) + " cases agree";
    if (all.agreed + all.errors != all.cases)
        text += ", " + std::to_string(all.cases - all.agreed - all.errors) + " differ";
    if (all.errors) text += ", " + std::to_string(all.errors) + " could not run";
    return text;
}

std::string describe(const Verdict& verdict) {
    std::string text;
    const auto error = [&](const char* side, const SideVerdict& v) {
        if (!v.error.empty()) text += std::string(text.empty() ? "" : "; ") + side + ": " + v.error;
    };
    error("native", verdict.native);
    error("emulated", verdict.emulated);
    if (verdict.differing.empty()) return text.empty() ? ulpsText(verdict.maxUlps) : text;
    if (!text.empty()) text += "; ";
    text += std::to_string(verdict.differing.size()) + " of " +
            std::to_string(verdict.rows * verdict.columns) + " elements, largest " +
            ulpsText(verdict.maxUlps);
    const std::string_view off = culprit(verdict);
    if (!off.empty())
        text += ", " + std::string(off) + (off == "both" ? " are" : " is") + " off the reference";
    text += ":";
    for (size_t i = 0; i < std::min(verdict.differing.size(), kShownPlaces); ++i) {
        const uint32_t at = verdict.differing[i];
        text += " [" + std::to_string(at / verdict.columns) + "," +
                std::to_string(at % verdict.columns) + "]";
    }
    return text + (verdict.differing.size() > kShownPlaces ? " ..." : "");
}

void printText(std::ostream& out, const Comparison& comparison,
               const std::vector<Verdict>& verdicts) {
    out << comparison.options().extension << ", seed " << comparison.options().seed << "\n"
        << "  native:   " << sideLine(comparison.native()) << "\n"
        << "  emulated: " << sideLine(comparison.emulated()) << "\n";
    for (const std::string& note : comparison.notes()) out << "  " << note << "\n";
    const Table table = tabulate(verdicts);
    for (const std::string& operation : table.operations) {
        const Tally& tally = table.byOperation.at(operation);
        const std::string shares = tally.shares();
        out << "  " << operation << ": " << tally.text()
            << (shares.empty() ? "" : " (" + shares + ")") << "\n";
    }
    size_t shown = 0;
    for (const Verdict& verdict : verdicts) {
        if (verdict.status == Status::kAgree || ++shown > kShownCases) continue;
        out << nameOf(verdict.status) << " " << verdict.number << " " << verdict.subject->name
            << ": " << describe(verdict) << "\n";
    }
    if (shown > kShownCases) out << "... and " << shown - kShownCases << " more\n";
    out << headline(table.all);
    if (!comparison.native().present || !comparison.emulated().present)
        out << " with the reference alone ("
            << (comparison.native().present ? "emulated" : "native") << ": not available)";
    out << "\n";
}

void writeMarkdown(const std::string& file, const Comparison& comparison,
                   const std::vector<Verdict>& verdicts) {
    const Table table = tabulate(verdicts);
    std::ofstream out(file);
    out << comparison.options().extension << ", seed " << comparison.options().seed << ": "
        << headline(table.all) << ".\n\n"
        << "- native: " << sideLine(comparison.native()) << "\n"
        << "- emulated: " << sideLine(comparison.emulated()) << "\n";
    for (const std::string& note : comparison.notes()) out << "- " << note << "\n";
    out << "\nThe number of cases that agree, the number of all cases, and the largest distance "
           "between "
        << (comparison.native().present && comparison.emulated().present
                ? "native and emulated"
                : "the side that is available and the reference")
        << " if results are not bit-identical.\n\n| row |";
    for (const std::string& operation : table.operations) out << " " << operation << " |";
    out << "\n|---|";
    for (size_t i = 0; i < table.operations.size(); ++i) out << "---|";
    out << "\n";
    for (const std::string& row : table.rows) {
        out << "| " << row << " |";
        for (const std::string& operation : table.operations) {
            const auto cell = table.cells.find({row, operation});
            out << " " << (cell == table.cells.end() ? "" : cell->second.text()) << " |";
        }
        out << "\n";
    }
    out << "\n";
    for (const std::string& operation : table.operations) {
        const std::string shares = table.byOperation.at(operation).shares();
        if (!shares.empty()) out << "- " << operation << ": " << shares << "\n";
    }
    if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

}  // namespace coopvk::compare

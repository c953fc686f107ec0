// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

#include <algorithm>
#include <format>

namespace coopvk::fleet {
namespace {

// A column: the text of a measurement's figure; empty if it has none.
struct Column {
    const char* heading;
    std::string (*text)(const Measurement& m);
};

std::string shown(std::optional<double> value) {
    return value ? std::format("{:.0f}", *value) : std::string();
}

constexpr Column kColumns[] = {
    {"spills", [](const Measurement& m) { return shown(m[Statistic::kSpills]); }},
    {"registers", [](const Measurement& m) { return shown(m[Statistic::kRegisters]); }},
    {"waves", [](const Measurement& m) { return shown(m[Statistic::kWaves]); }},
    {"instructions", [](const Measurement& m) { return shown(m[Statistic::kInstructions]); }},
    {"cycles", [](const Measurement& m) { return shown(m[Statistic::kCycles]); }},
    {"useful %",
     [](const Measurement& m) {
         return m.hot ? std::format("{:.0f}", m.hot->counts.useful()) : std::string();
     }},
    {"multiply-adds a vector instruction",
     [](const Measurement& m) {
         return m.hot ? std::format("{:.2f}", m.hot->counts.perInstruction()) : std::string();
     }},
};

std::string both(const std::string& before, const std::string& after) {
    return before == after ? after : before + " > " + after;
}

}  // namespace

std::string compare(const std::vector<Measurement>& before, const std::vector<Measurement>& after) {
    std::string lines = "| device | shader | lanes |", rule = "|---|---|---|";
    for (const Column& column : kColumns) {
        lines += std::format(" {} |", column.heading);
        rule += "---|";
    }
    lines += '\n' + rule + '\n';
    for (const Measurement& now : after) {
        const auto then = std::ranges::find_if(before, [&](const Measurement& m) {
            return m.device == now.device && m.subject == now.subject && m.size == now.size;
        });
        if (then == before.end() || !then->problem.empty() || !now.problem.empty()) continue;
        lines += std::format("| {} | {} | {} |", now.device, now.subject, now.size);
        for (const Column& column : kColumns)
            lines += " " + both(column.text(*then), column.text(now)) + " |";
        lines += '\n';
    }
    return lines;
}

}  // namespace coopvk::fleet

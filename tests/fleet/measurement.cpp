// SPDX-License-Identifier: Apache-2.0
#include "measurement.hpp"

#include <algorithm>
#include <format>
#include <nlohmann/json.hpp>

namespace coopvk::fleet {
namespace {

using nlohmann::ordered_json;

enum class Merge { kSum, kLargest, kSmallest };

struct StatisticRow {
    std::string_view name, heading;
    Merge merge;
    // What the drivers call it: RADV, Turnip, NVK, Honeykrisp.
    std::array<std::string_view, 4> names;
};

constexpr StatisticRow kRows[kStatisticCount] = {
    {"spills", "spills", Merge::kSum, {"Spilled VGPRs", "STP Count", "Spills to memory", "Spills"}},
    {"scalar spills", "scalar", Merge::kSum, {"Spilled SGPRs", {}, "Spills to reg", {}}},
    {"scratch", "scratch", Merge::kSum, {"Scratch size", {}, "SLM size", "Scratch"}},
    {"registers", "regs", Merge::kLargest, {"VGPRs", "Registers used", "Number of GPRs", "GPRs"}},
    {"scalar registers", "sregs", Merge::kLargest, {"SGPRs", {}, {}, "Uniforms"}},
    {"waves",
     "waves",
     Merge::kSmallest,
     {"Subgroups per SIMD", "Max Waves Per Core", "Max warps/SM", "Threads"}},
    {"instructions",
     "instr",
     Merge::kSum,
     {"Instructions", "Instruction Count", "Instruction count", {}}},
    {"cycles", "cycles", Merge::kSum, {"Inverse Throughput", {}, "Static cycle count", "ALU"}},
};

void merge(Merge how, double value, std::optional<double>& into) {
    if (!into) {
        into = value;
    } else if (how == Merge::kSum) {
        *into += value;
    } else {
        *into = how == Merge::kLargest ? std::max(*into, value) : std::min(*into, value);
    }
}

std::string text(const std::optional<double>& value, const char* missing = "") {
    return value ? std::format("{:.0f}", *value) : missing;
}

}  // namespace

std::string_view name(Statistic statistic) { return kRows[static_cast<size_t>(statistic)].name; }

void measure(const std::vector<Executable>& executables, Measurement& measurement) {
    for (const Executable& executable : executables) {
        for (const auto& [driversName, value] : executable.statistics)
            for (size_t i = 0; i < kStatisticCount; ++i)
                if (std::ranges::find(kRows[i].names, driversName) != kRows[i].names.end())
                    merge(kRows[i].merge, value, measurement.statistics[i]);
        for (const auto& [representation, code] : executable.texts) {
            const Dialect* dialect = dialectOf(representation);
            if (dialect == nullptr) continue;
            const HotCode hot = countHotCode(dialect->read(code), dialect->rows);
            if (hot.counts.vector == 0) continue;
            if (!measurement.hot || hot.counts.multiplyAdds > measurement.hot->counts.multiplyAdds)
                measurement.hot = hot;
        }
    }
}

Measurement crashed(Measurement begun, const std::string& end) {
    begun.isMissing = !begun.problem.empty();
    begun.problem =
        begun.isMissing ? begun.problem + ", without which the driver crashes" : "crash: " + end;
    return begun;
}

ordered_json toJson(const Measurement& m) {
    ordered_json json = {{"device", m.device}, {"driver", m.driver},   {"subject", m.subject},
                         {"lanes", m.size},    {"problem", m.problem}, {"missing", m.isMissing},
                         {"plain", m.isPlain}, {"seconds", m.seconds}};
    for (size_t i = 0; i < kStatisticCount; ++i)
        if (m.statistics[i]) json["statistics"][kRows[i].name] = *m.statistics[i];
    if (m.hot)
        json["hot"] = {{"loop", m.hot->isLoop},
                       {"vector", m.hot->counts.vector},
                       {"multiplyAddInstructions", m.hot->counts.multiplyAddInstructions},
                       {"multiplyAdds", m.hot->counts.multiplyAdds},
                       {"conversions", m.hot->counts.conversions},
                       {"useful", m.hot->counts.useful()},
                       {"multiplyAddsPerInstruction", m.hot->counts.perInstruction()}};
    return json;
}

Measurement measurementFromJson(const ordered_json& json) {
    Measurement m;
    m.device = json.value("device", "");
    m.driver = json.value("driver", "");
    m.subject = json.value("subject", "");
    m.size = json.value("lanes", 0u);
    m.problem = json.value("problem", "");
    m.isMissing = json.value("missing", false);
    m.isPlain = json.value("plain", false);
    m.seconds = json.value("seconds", 0.0);
    if (const auto statistics = json.find("statistics"); statistics != json.end())
        for (size_t i = 0; i < kStatisticCount; ++i)
            if (const auto value = statistics->find(kRows[i].name); value != statistics->end())
                m.statistics[i] = value->get<double>();
    if (const auto hot = json.find("hot"); hot != json.end())
        m.hot = HotCode{
            hot->value("loop", false),
            {hot->value("vector", uint64_t{0}), hot->value("multiplyAddInstructions", uint64_t{0}),
             hot->value("multiplyAdds", uint64_t{0}), hot->value("conversions", uint64_t{0})}};
    return m;
}

std::string table(const std::vector<Measurement>& measurements) {
    std::string lines = "| device | shader | lanes |", rule = "|---|---|---|";
    for (const StatisticRow& row : kRows) {
        lines += std::format(" {} |", row.heading);
        rule += "---|";
    }
    lines += " vector | conv | useful % | madd/vector | s |\n" + rule + "---|---|---|---|---|\n";
    for (const Measurement& m : measurements) {
        lines += std::format("| {} | {} | {} |", m.device, m.subject, m.size);
        if (!m.problem.empty()) {
            lines += std::format(" {}{} |\n", m.isMissing ? "not there: " : "", m.problem);
            continue;
        }
        for (const auto& value : m.statistics) lines += std::format(" {} |", text(value));
        if (m.hot)
            lines += std::format(" {}{} | {} | {:.0f} | {:.2f} |", m.hot->counts.vector,
                                 m.hot->isLoop ? "" : "*", m.hot->counts.conversions,
                                 m.hot->counts.useful(), m.hot->counts.perInstruction());
        else
            lines += " | | | |";
        lines += std::format(" {:.2f} |\n", m.seconds);
    }
    return lines;
}

}  // namespace coopvk::fleet

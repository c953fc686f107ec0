// SPDX-License-Identifier: Apache-2.0
#include "execution/report_sink.hpp"

#include <spirv-tools/libspirv.h>

#include <algorithm>

#include "execution/frame.hpp"

namespace coopvk::reference {

namespace {

struct CheckRow {
    Check check;
    const char* name;
};
constexpr CheckRow kChecks[] = {
    {kCheckRaces, "races"},           {kCheckUnwritten, "unwritten"},
    {kCheckBounds, "bounds"},         {kCheckUndefined, "undefined"},
    {kCheckDomain, "domain"},         {kCheckDivergence, "divergence"},
    {kCheckUniformity, "uniformity"}, {kCheckProgram, "program"},
};

// Name of the instruction, its result, and its line of source.
std::string nameOf(const Program& program, const Instruction& instruction) {
    std::string text =
        std::string("Op") + spvOpcodeString(static_cast<uint32_t>(instruction.opcode));
    if (instruction.resultId != 0) text += " %" + std::to_string(instruction.resultId);
    const auto name = program.names.find(instruction.resultId);
    if (name != program.names.end() && !name->second.empty()) text += " (" + name->second + ")";
    const auto after =
        std::upper_bound(program.lines.begin(), program.lines.end(), instruction.word,
                         [](uint32_t word, const auto& line) { return word < line.first; });
    if (after != program.lines.begin()) text += " at " + (after - 1)->second;
    return text;
}

}  // namespace

const char* checkName(Check check) {
    for (const CheckRow& row : kChecks)
        if (row.check == check) return row.name;
    return "";
}

std::string describe(const Report& report) {
    const auto& group = report.workgroup;
    return std::string(checkName(report.check)) + ": " + report.message + "; " +
           report.instruction + " (word " + std::to_string(report.word) + "), workgroup " +
           std::to_string(group[0]) + "," + std::to_string(group[1]) + "," +
           std::to_string(group[2]) + ", subgroup " + std::to_string(report.subgroup) + ", lane " +
           std::to_string(report.lane);
}

void ReportSink::report(const Report& report) {
    const std::lock_guard lock(mutex_);
    if (seen_.size() >= most_ || !seen_.emplace(report.check, report.word).second) return;
    if (!reporter_.report(report)) stop();
}

void ReportSink::stop(const std::string& reason) {
    if (!stopped_.exchange(true)) reason_ = reason;
}

void ReportSink::print(const std::string& text) {
    const std::lock_guard lock(mutex_);
    reporter_.print(text);
}

bool Subgroup::checks(Check check) const {
    return group != nullptr && (group->settings->checks & check) != 0;
}

void Subgroup::report(Check check, const Instruction& instruction, uint32_t lane,
                      std::string message) {
    if (!checks(check)) return;
    Report report;
    report.check = check;
    report.message = std::move(message);
    if (check == kCheckUndefined && lastOutside != nullptr)
        report.message += std::string(" (the last such result: ") + lastWhat + " in " +
                          nameOf(*program, *lastOutside) + ")";
    report.opcode = static_cast<uint32_t>(instruction.opcode);
    report.resultId = instruction.resultId;
    report.word = instruction.word;
    report.instruction = nameOf(*program, instruction);
    report.workgroup = group->id;
    report.subgroup = index;
    report.lane = lane;
    group->sink->report(report);
}

void Subgroup::noteOutside(const Instruction& instruction, uint32_t component, uint32_t lane,
                           const char* what) {
    if (!checks(kCheckUndefined)) return;
    outside.emplace_back(component, lane);
    lastOutside = &instruction;
    lastWhat = what;
}

uint64_t Subgroup::uniform(const Instruction& instruction, uint32_t index_) {
    const Value value = operand(instruction, index_);
    const uint32_t first = mask.first();
    for (uint32_t c = 0; c < value.components() && checks(kCheckUniformity); ++c) {
        mask.forEach([&](uint32_t lane) {
            if (value.at(c, lane) != value.at(c, first))
                report(kCheckUniformity, instruction, lane,
                       "operand " + std::to_string(index_) + " is " +
                           std::to_string(value.at(c, lane)) + " here and " +
                           std::to_string(value.at(c, first)) + " in another lane");
        });
    }
    return value.at(0, first);
}

}  // namespace coopvk::reference

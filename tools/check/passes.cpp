// SPDX-License-Identifier: Apache-2.0
#include "checker.hpp"

namespace coopvk::check {
namespace {

using reference::Choice;

// Programs that use one dimension alone are in races with themselves in others.
constexpr std::array<uint32_t, 3> kSeveralGroups[] = {{2, 2, 1}, {2, 1, 1}, {1, 2, 1}};

bool hasGroups(const Change& change) { return change.groups != std::array<uint32_t, 3>{1, 1, 1}; }

std::string nameOf(const Change& change) {
    std::string name;
    const auto add = [&](bool has, const std::string& text) {
        if (has) name += (name.empty() ? "" : ", ") + text;
    };
    add(change.values, "numbers with fractions");
    add(change.specials, "special numbers");
    add(change.parameters, "parameters that are no multiples of 16");
    add(hasGroups(change), std::to_string(change.groups[0]) + " x " +
                               std::to_string(change.groups[1]) + " workgroups");
    return name;
}

}  // namespace

Pass passWith(const Module& module, const Options& options, const Change& change) {
    MemoryChoice memory = options.memory;
    if (change.values) memory.values = Values::kAny;
    if (change.specials) memory.values = Values::kSpecial;
    if (change.parameters) memory.parameterRest = 8;
    Pass pass{.name = nameOf(change), .choice = memory, .memory = makeMemory(module, memory)};
    pass.groups = hasGroups(change) ? change.groups : options.groups;
    pass.schedules = pass.name.empty() ? options.schedules : std::vector{Choice::kPlain};
    return pass;
}

std::vector<std::vector<Change>> furtherChanges(const Options& options,
                                                const Interface& interface) {
    if (options.memory.given != nullptr) return {};
    const bool values = options.moreValues, groups = options.moreGroups;
    const bool parameters = options.moreParameters && !interface.needsAlignedRows;
    std::vector<std::vector<Change>> lists;
    std::vector<Change> alone;
    if (values) alone.push_back({.values = true});
    if (parameters) alone.push_back({.parameters = true});
    for (const std::array<uint32_t, 3>& several : kSeveralGroups) {
        if (!groups) break;
        lists.push_back({{.values = values, .parameters = parameters, .groups = several}});
        alone.push_back({.groups = several});
    }
    if (values || parameters) lists.push_back({{.values = values, .parameters = parameters}});
    lists.push_back(alone);
    return lists;
}

}  // namespace coopvk::check

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <format>
#include <unordered_set>

#include "ir/calls.hpp"
#include "ir/entry_point.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

void collectResults(const Function& function, std::unordered_set<Id>& gone) {
    gone.insert(function.id());
    for (const InstructionPtr& i : function.parameters) gone.insert(i->result);
    for (const auto& block : function.blocks) {
        gone.insert(block->id());
        for (const InstructionPtr& i : block->body) gone.insert(i->result);
    }
    gone.erase(0);
}

}  // namespace

std::optional<Error> keepOneEntryPoint(Module& module, std::string_view name, Stage stage) {
    InstructionList& entries = module.section(Section::kEntryPoints);
    const auto kept = std::ranges::find_if(entries, [&](const InstructionPtr& entry) {
        return stageOf(static_cast<spv::ExecutionModel>(entry->word(0))) == stage &&
               (name.empty() || stringFromOperands(*entry, 2) == name);
    });
    if (kept == entries.end()) {
        return Error{
            ErrorCode::kInvalidArgument,
            std::format("the module has no entry point '{}' of stage {}", name, stageName(stage))};
    }
    if (entries.size() == 1) return std::nullopt;
    std::iter_swap(entries.begin(), kept);
    for (size_t i = 1; i < entries.size(); ++i) module.retire(std::move(entries[i]));
    entries.resize(1);

    const std::unordered_set<Id> reached = functionsReachedFrom(module, {entries[0]->word(1)});
    std::unordered_set<Id> gone;
    std::erase_if(module.functions(), [&](const std::unique_ptr<Function>& function) {
        if (reached.contains(function->id())) return false;
        collectResults(*function, gone);
        return true;
    });
    module.forget(gone);
    module.dropDanglingNonSemantic();
    return std::nullopt;
}

}  // namespace coopvk::rewrite

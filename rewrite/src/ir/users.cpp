// SPDX-License-Identifier: Apache-2.0
#include "ir/users.hpp"

namespace coopvk::rewrite {

namespace {

// Each of these calls visit(id, use) for the uses by an instruction, a list, a function's blocks.

template <typename Visit>
void visitUses(Instruction& i, Position position, Visit visit) {
    if (i.type != 0) visit(i.type, Usage{&i, Users::kResultType, position});
    for (size_t o = 0; o < i.operands.size(); ++o) {
        if (i.operands[o].isId) visit(i.word(o), Usage{&i, o, position});
    }
}

template <typename Visit>
void visitUses(const InstructionList& list, Visit visit) {
    for (const InstructionPtr& i : list) visitUses(*i, {}, visit);
}

template <typename Visit>
void visitUses(const Function& function, Visit visit) {
    for (size_t b = 0; b < function.blocks.size(); ++b) {
        const InstructionList& body = function.blocks[b]->body;
        for (size_t at = 0; at < body.size(); ++at) visitUses(*body[at], {b, at}, visit);
    }
}

}  // namespace

template <typename VisitAll>
void Users::index(VisitAll visitAll) {
    size_t numbers = 0, count = 0;
    visitAll([&](Id id, const Usage&) {
        numbers = std::max(numbers, id + size_t{1});
        ++count;
    });
    constexpr size_t kMostUnused = 8;  // numbers for each use
    if (numbers > kMostUnused * count) {
        ids_.reserve(count);
        visitAll([&](Id id, const Usage&) { ids_.push_back(id); });
        std::ranges::sort(ids_);
        const auto equal = std::ranges::unique(ids_);
        ids_.erase(equal.begin(), equal.end());
        numbers = ids_.size();
    }
    first_.resize(numbers + 1);
    visitAll([&](Id id, const Usage&) { ++first_[*numberOf(id)]; });
    size_t end = 0;
    for (size_t& first : first_) first = std::exchange(end, end + first);
    uses_.resize(end);
    std::vector<size_t> next = first_;
    visitAll([&](Id id, const Usage& use) { uses_[next[*numberOf(id)]++] = use; });
}

std::optional<size_t> Users::numberOf(Id id) const {
    if (ids_.empty()) return id;
    const auto found = std::ranges::lower_bound(ids_, id);
    if (found == ids_.end() || *found != id) return std::nullopt;
    return static_cast<size_t>(found - ids_.begin());
}

Users::Users(const Function& function) {
    index([&](const auto& visit) { visitUses(function, visit); });
}

Users::Users(const Module& module) {
    index([&](const auto& visit) {
        visitUses(module.section(Section::kGlobals), visit);
        for (const auto& function : module.functions()) {
            visitUses(*function->definition, {}, visit);
            visitUses(function->parameters, visit);
            visitUses(*function, visit);
        }
    });
}

std::span<const Usage> Users::of(Id id) const {
    const std::optional<size_t> number = numberOf(id);
    if (!number || *number + 1 >= first_.size()) return {};
    return std::span(uses_).subspan(first_[*number], first_[*number + 1] - first_[*number]);
}

}  // namespace coopvk::rewrite

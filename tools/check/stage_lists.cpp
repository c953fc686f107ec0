// SPDX-License-Identifier: Apache-2.0
//
// What invocations of a stage get and give beside memory.
#include <algorithm>
#include <map>

#include "interface.hpp"

namespace coopvk::check {
namespace {

using reference::ListStorage;
using reference::Script;
using reference::StageList;
using spv::Op;

// What is larger has no list.
constexpr uint64_t kMostListBytes = uint64_t{1} << 22;

class ListFinder {
 public:
    ListFinder(const Module& module, const reference::Stage& stage)
        : module_(module), stage_(stage) {}

    std::vector<BufferUse> find() {
        const bool isCompute = stage_.model == spv::ExecutionModel::GLCompute;
        for (const Instruction& i : module_.instructions()) {
            if (i.opcode == Op::OpVariable && !isCompute) addVariable(i);
            if (const Script script = reference::scriptOf(i.opcode); script != Script::kNone)
                addScripted(i, script, isCompute);
        }
        if (!isCompute)
            add({.kind = StageList::Kind::kEnd}, Module::kWord, reference::kListedEvents);
        return std::move(lists_);
    }

 private:
    void add(const StageList& list, uint32_t type, uint32_t length, bool isShared = false) {
        const uint64_t each = module_.sizeOf(type) * (isShared ? 1 : stage_.invocations);
        if (each == 0 || each > kMostListBytes) return;
        const auto [known, isNew] = known_.try_emplace(list, lists_.size());
        if (isNew) lists_.push_back({.type = type, .place = Place::kList});
        BufferUse& use = lists_[known->second];
        // Entry points may have variables of several types there: room for the largest.
        if (!isNew && module_.sizeOf(use.type) >= module_.sizeOf(type)) return;
        use.type = type;
        use.list = list;
        use.length = static_cast<uint32_t>(std::min<uint64_t>(length, kMostListBytes / each));
        use.invocations = isShared ? 1 : stage_.invocations;
    }

    // Outputs that invocations share are in memory.
    void addVariable(const Instruction& i) {
        using enum spv::Decoration;
        const ListStorage* storage = reference::listStorage(static_cast<spv::StorageClass>(i[3]));
        if (storage == nullptr) return;
        const auto builtIn = module_.decorationOfVariable(i, BuiltIn);
        const auto valueOf = [&](spv::Decoration decoration) {
            return module_.decorationOfVariable(i, decoration).value_or(0);
        };
        StageList list{.of = i[3]};
        const uint32_t before = storage->isRepeated ? counts_[i[3]]++ : 0;
        list.number = builtIn ? reference::kBuiltIn | *builtIn
                              : module_.decorationOfVariable(i, Location).value_or(before);
        list.component = valueOf(Component) + 4 * valueOf(Index);
        const bool isShared = storage->isShared || (stage_.sharesOutputs && storage->isTaken);
        const uint32_t type = module_.definition(i[1])[3];
        const uint32_t length = reference::listLength(stage_, *storage);
        if (storage->isGiven || storage->isRepeated) add(list, type, length, isShared);
        list.kind = StageList::Kind::kTaken;
        if (storage->isTaken || storage->isRepeated) add(list, type, length, isShared);
    }

    // Of compute shaders, of which there may be many workgroups, only results.
    void addScripted(const Instruction& i, Script script, bool isCompute) {
        bool hasResult = false, hasType = false;
        spv::HasResultAndType(i.opcode, &hasResult, &hasType);
        const auto opcode = static_cast<uint32_t>(i.opcode);
        if (hasType)
            add({.kind = StageList::Kind::kResult, .of = opcode}, i[1], reference::kListedEvents);
        const uint32_t first = 1u + hasType + hasResult;
        for (uint32_t n = 0; first + n < i.words.size(); ++n) {
            const uint32_t type = module_.typeOf(i[first + n]);
            if (isCompute || script == Script::kAsks ||
                module_.definition(type).opcode == Op::OpTypePointer)
                continue;
            add({.kind = StageList::Kind::kOperand, .of = opcode, .number = n}, type,
                reference::kListedEvents);
        }
    }

    const Module& module_;
    const reference::Stage& stage_;
    std::vector<BufferUse> lists_;
    std::map<StageList, size_t> known_;    // its place in lists_
    std::map<uint32_t, uint32_t> counts_;  // variables, by storage class
};

}  // namespace

std::vector<BufferUse> findLists(const Module& module, spv::ExecutionModel stage) {
    const reference::Stage* row = reference::findStage(stage);
    return row != nullptr ? ListFinder(module, *row).find() : std::vector<BufferUse>{};
}

}  // namespace coopvk::check

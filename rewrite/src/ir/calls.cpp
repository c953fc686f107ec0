// SPDX-License-Identifier: Apache-2.0
#include "ir/calls.hpp"

#include "ir/memory_operands.hpp"
#include "ir/opcodes.hpp"

namespace coopvk::rewrite {

FunctionsById::FunctionsById(const Module& module) : byId_(module.bound()) {
    for (const auto& function : module.functions()) byId_[function->id()] = function.get();
}

std::unordered_set<Id> functionsReachedFrom(const Module& module, std::vector<Id> starts) {
    const FunctionsById functions(module);
    std::vector<Id> pending = std::move(starts);
    const auto visit = [&](const Instruction& i) {
        for (const Operand& operand : i.operands) {
            if (operand.isId && functions.find(operand.word)) pending.push_back(operand.word);
        }
    };
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (!isExtInst(i->opcode)) visit(*i);  // debug information
    }
    std::unordered_set<Id> reached;
    while (!pending.empty()) {
        const Id id = pending.back();
        pending.pop_back();
        const Function* function = functions.find(id);
        if (function != nullptr && reached.insert(id).second) function->visitBlocks(visit);
    }
    return reached;
}

CalledCode codeOf(const Module& module, Id function) {
    const std::unordered_set<Id> reached = functionsReachedFrom(module, {function});
    CalledCode code;
    for (const auto& one : module.functions()) {
        if (!reached.contains(one->id())) continue;
        one->visitBlocks([&](const Instruction& i) {
            code.words += i.wordCount();
            code.hasLoops |= i.opcode == OpLoopMerge;
        });
    }
    return code;
}

Effects::Effects(const Module& module) : module_(module), functions_(module) {}

const Function* Effects::function(Id id) const { return functions_.find(id); }

uint32_t Effects::withoutCallee(const Instruction& i) const {
    const auto access = [&](size_t memory) -> uint32_t {
        return isVolatile(operandsBehind(i, memory)) ? uint32_t{kIsVolatile} : 0;
    };
    const auto store = [&](Id pointer) -> uint32_t {
        const spv::StorageClass storage = module_.storage(pointer);
        if (module_.pointee(pointer) == 0 || !isPrivate(storage)) return kDoesMore;
        return storage == spv::StorageClass::Function ? kStoresInFunction : kStoresInPrivate;
    };
    switch (i.opcode) {
        case OpLoad:
            return access(1);
        case OpStore:
            return access(2) | store(i.word(0));
        case OpExtInst:
        case OpExtInstWithForwardRefsKHR: {
            if (isNonSemantic(module_, i)) return kPrints;
            // Modf and Frexp store their second result.
            const Id last = i.operands.empty() ? 0 : i.operands.back().word;
            const bool stores = isPointerType(module_.def(module_.def(last).type).opcode);
            return kExtends | (stores ? store(last) : 0);
        }
        case OpSwitch:
            return kSwitches;
        case OpCooperativeMatrixLoadKHR:
            return access(3) | kLoadsMatrix;
        case OpCooperativeMatrixMulAddKHR:
            return kMultiplies;
        case OpFunctionCall:
            return 0;
        default:
            return isPure(i.opcode) ? 0 : uint32_t{kDoesMore};
    }
}

uint32_t Effects::of(const Instruction& i) const {
    return i.opcode == OpFunctionCall ? ofFunction(i.word(0)) : withoutCallee(i);
}

uint32_t Effects::ofFunction(Id id) const {
    // Not by recursion, since hostile modules have long chains of calls.
    std::vector<Id> pending = {id};
    while (!pending.empty()) {
        const Id one = pending.back();
        const auto [entry, isNew] = known_.try_emplace(one);
        if (isNew) {
            entry->second = visit(one);
            for (const Id callee : std::vector(entry->second.callees)) {
                if (!known_.contains(callee)) pending.push_back(callee);
            }
            continue;
        }
        pending.pop_back();
        Known& known = entry->second;
        if (known.isDone) continue;
        known.effects = known.own;
        known.isDone = true;
        // A callee that is not done leads back to this function.
        for (const Id callee : known.callees) known.effects |= known_.at(callee).effects;
    }
    return known_.at(id).effects;
}

Effects::Known Effects::visit(Id id) const {
    Known known;
    const Function* found = function(id);
    known.own = found == nullptr ? uint32_t{kDoesMore} : 0;
    if (found == nullptr) return known;
    found->visitBlocks([&](const Instruction& i) {
        known.own |= withoutCallee(i);
        if (i.opcode == OpFunctionCall) known.callees.push_back(i.word(0));
    });
    return known;
}

}  // namespace coopvk::rewrite

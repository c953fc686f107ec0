// SPDX-License-Identifier: Apache-2.0
#include "module_facts.hpp"

#include <algorithm>

#include "mutator.hpp"

namespace coopvk::fuzz {

using spv::Op;

bool isTerminator(Op opcode) {
    switch (opcode) {
        case Op::OpBranch:
        case Op::OpBranchConditional:
        case Op::OpSwitch:
        case Op::OpReturn:
        case Op::OpReturnValue:
        case Op::OpKill:
        case Op::OpUnreachable:
        case Op::OpTerminateInvocation:
        case Op::OpIgnoreIntersectionKHR:
        case Op::OpTerminateRayKHR:
        case Op::OpEmitMeshTasksEXT:
            return true;
        default:
            return false;
    }
}

Facts::Facts(const Module& module) : module_(module) {
    const std::vector<Instruction>& list = module.instructions;
    firstFunction_ = list.size();
    bool inBlock = false, afterMerge = false;
    for (size_t at = 0; at < list.size(); ++at) {
        const Op opcode = list[at].opcode();
        if (opcode == Op::OpFunction) firstFunction_ = std::min(firstFunction_, at);
        if (const uint32_t result = list[at].result(); result != 0) {
            definitions_.emplace(result, at);
            if (list[at].type() != 0) values_.push_back(at);
        }
        if (opcode == Op::OpLabel) {
            inBlock = true;
            afterMerge = false;
            continue;
        }
        const bool isHead =
            opcode == Op::OpVariable || opcode == Op::OpPhi || opcode == Op::OpUntypedVariableKHR;
        if (inBlock && !isHead && !afterMerge) places_.push_back(at);
        if (opcode == Op::OpSelectionMerge || opcode == Op::OpLoopMerge) afterMerge = true;
        if (isTerminator(opcode)) inBlock = false;
    }
}

size_t Facts::definition(uint32_t id) const {
    const auto found = definitions_.find(id);
    return found == definitions_.end() ? kNone : found->second;
}

const Instruction* Facts::find(uint32_t id) const {
    const size_t at = definition(id);
    return at == kNone ? nullptr : &module_.instructions[at];
}

uint32_t Facts::typeOf(uint32_t id) const {
    const Instruction* found = find(id);
    return found == nullptr ? 0 : found->type();
}

size_t Facts::blockOf(size_t place) const {
    while (place > 0 && module_.instructions[place].opcode() != Op::OpLabel) --place;
    return place;
}

size_t Facts::functionOf(size_t place) const {
    while (place > 0 && module_.instructions[place].opcode() != Op::OpFunction) --place;
    return place;
}

std::vector<uint32_t> Facts::valuesAt(size_t place) const {
    const std::vector<Instruction>& list = module_.instructions;
    const size_t block = blockOf(place), function = functionOf(place);
    size_t entry = function;
    while (entry < place && list[entry].opcode() != Op::OpLabel) ++entry;
    size_t entryEnd = entry;
    while (entryEnd < place && !isTerminator(list[entryEnd].opcode())) ++entryEnd;
    std::vector<uint32_t> found;
    for (size_t at : values_) {
        if (at >= place) break;
        if (list[at].opcode() == Op::OpFunction) continue;
        const bool visible = at < firstFunction_ || (at > function && at < entryEnd) || at > block;
        if (visible) found.push_back(list[at].result());
    }
    return found;
}

std::vector<uint32_t> Facts::valuesAt(size_t place, uint32_t type) const {
    std::vector<uint32_t> found = valuesAt(place);
    std::erase_if(found, [&](uint32_t id) { return typeOf(id) != type; });
    return found;
}

uint32_t Facts::globalOf(Op opcode) const {
    for (size_t at = 0; at < firstFunction_; ++at) {
        if (module_.instructions[at].opcode() == opcode) return module_.instructions[at].result();
    }
    return 0;
}

uint32_t Facts::alike(const Facts& other, uint32_t id, Random& random) const {
    const Instruction* theirs = other.find(id);
    if (theirs == nullptr || module_.instructions.empty()) return id;
    const Instruction* theirType = other.find(theirs->type());
    uint32_t fallback = id;
    const size_t begin = random.below(module_.instructions.size());
    for (size_t step = 0; step < module_.instructions.size(); ++step) {
        const Instruction& ours =
            module_.instructions[(begin + step) % module_.instructions.size()];
        if (ours.result() == 0) continue;
        if (theirType == nullptr) {  // a type, or a label
            if (ours.opcode() != theirs->opcode()) continue;
            fallback = ours.result();
            if (ours.words.size() == theirs->words.size() && !random.oneOf(4)) return fallback;
            continue;
        }
        const Instruction* ourType = find(ours.type());
        if (ourType == nullptr || ourType->opcode() != theirType->opcode()) continue;
        fallback = ours.result();
        if (ours.opcode() == theirs->opcode()) return fallback;
    }
    return fallback;
}

}  // namespace coopvk::fuzz

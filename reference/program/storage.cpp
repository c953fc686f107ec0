// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "program/decoder.hpp"

namespace coopvk::reference {

namespace {

// How a value is used, by number of block and of instruction in the program.
struct Lifetime {
    uint32_t block = kNone;
    uint32_t last = 0;    // the instruction that reads it last
    bool shared = false;  // by several blocks, or by edges or calls
};

std::vector<Lifetime> lifetimesOf(const Program& program) {
    std::vector<Lifetime> all(program.slots.size());
    const auto share = [&](uint32_t slot) {
        if (slot != kNone) all[slot].shared = true;
    };
    uint32_t number = 0, position = 0;
    for (const auto& function : program.functions) {
        for (const uint32_t slot : function->parameters) share(slot);
        share(function->result);
        for (const Block& block : function->blocks) {
            ++number;
            for (const Instruction& instruction : block.instructions) {
                ++position;
                for (const Operand& operand : instruction.operands) {
                    if (operand.slot == kNone) continue;
                    Lifetime& read = all[operand.slot];
                    read.shared |= read.block != number;  // or it is not written yet
                    read.last = position;
                }
                if (instruction.result == kNone) continue;
                Lifetime& written = all[instruction.result];
                written.shared |= written.block != kNone || isVariable(instruction.opcode);
                written.block = number;
                written.last = position;
            }
            for (const Edge& edge : block.edges) {
                for (const auto& [to, from] : edge.copies) {
                    share(to);
                    share(from);
                }
            }
        }
    }
    return all;
}

}  // namespace

void assignStorage(Program& program) {
    const std::vector<Lifetime> lifetimes = lifetimesOf(program);
    const auto isLocal = [&](uint32_t slot) {
        return lifetimes[slot].block != kNone && !lifetimes[slot].shared;
    };
    const auto place = [&](Slot& slot) {
        slot.storage = program.storageComponents;
        program.storageComponents += slot.type->components;
    };
    for (uint32_t i = 0; i < program.slots.size(); ++i)
        if (!program.slots[i].constant && !isLocal(i)) place(program.slots[i]);
    uint32_t position = 0;
    for (const auto& function : program.functions) {  // keeps its values while it calls another
        std::multimap<uint32_t, uint64_t> free;       // size, place
        std::multimap<uint32_t, const Slot*> held;    // by the instruction that reads it last
        for (const Block& block : function->blocks) {
            for (const Instruction& instruction : block.instructions) {
                ++position;
                for (; !held.empty() && held.begin()->first < position; held.erase(held.begin())) {
                    const Slot& ended = *held.begin()->second;
                    free.emplace(ended.type->components, ended.storage);
                }
                if (instruction.result == kNone || !isLocal(instruction.result)) continue;
                Slot& slot = program.slots[instruction.result];
                const auto found = free.find(slot.type->components);
                if (found == free.end()) {
                    place(slot);
                } else {
                    slot.storage = found->second;
                    free.erase(found);
                }
                held.emplace(lifetimes[instruction.result].last, &slot);
            }
        }
    }
}

}  // namespace coopvk::reference

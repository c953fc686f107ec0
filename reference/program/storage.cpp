// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "program/decoder.hpp"

namespace coopvk::reference {

namespace {

// Where a slot is written and read, by number of block in the program.
struct Lifetime {
    uint32_t block = kNone;
    bool shared = false;  // by several blocks, or by edges or calls
    uint32_t last = 0;    // the instruction that reads it last
};

class Places {
 public:
    explicit Places(Program& program) : program_(program), lifetimes_(program.slots.size()) {}

    void assign() {
        for (const auto& function : program_.functions) note(*function);
        for (Slot& slot : program_.slots) {
            const Lifetime& lifetime =
                lifetimes_[static_cast<size_t>(&slot - program_.slots.data())];
            if (slot.constant || (lifetime.block != kNone && !lifetime.shared)) continue;
            slot.storage = program_.storageComponents;
            program_.storageComponents += slot.type->components;
        }
        // A function keeps its values while it calls another.
        for (const auto& function : program_.functions) {
            common_ = program_.storageComponents;
            for (const Block& block : function->blocks) placeIn(block);
        }
    }

 private:
    void noteUse(uint32_t slot, uint32_t position) {
        if (slot == kNone || program_.slots[slot].constant) return;
        Lifetime& lifetime = lifetimes_[slot];
        if (lifetime.block == kNone) lifetime.shared = true;  // read before it is written here
        if (lifetime.block != block_) lifetime.shared = true;
        lifetime.last = position;
    }

    void note(const Function& function) {
        for (const uint32_t slot : function.parameters) lifetimes_[slot].shared = true;
        if (function.result != kNone) lifetimes_[function.result].shared = true;
        for (const Block& block : function.blocks) {
            ++block_;
            for (uint32_t i = 0; i < block.instructions.size(); ++i) {
                const Instruction& instruction = block.instructions[i];
                for (const Operand& operand : instruction.operands) noteUse(operand.slot, i);
                if (instruction.result == kNone) continue;
                Lifetime& lifetime = lifetimes_[instruction.result];
                lifetime.shared |= lifetime.block != kNone;
                lifetime.block = block_;
                lifetime.last = std::max(lifetime.last, i);
                if (instruction.opcode == spv::Op::OpVariable ||
                    instruction.opcode == spv::Op::OpUntypedVariableKHR)
                    lifetime.shared = true;
            }
            for (const Edge& edge : block.edges) {
                for (const auto& [to, from] : edge.copies) {
                    lifetimes_[to].shared = true;
                    lifetimes_[from].shared = true;
                }
            }
        }
    }

    // In one block: a place is free once its value was read for the last time.
    void placeIn(const Block& block) {
        uint64_t end = common_;
        std::multimap<uint32_t, uint64_t> free;  // size, place
        std::multimap<uint32_t, uint32_t> ends;  // last read, slot
        for (uint32_t i = 0; i < block.instructions.size(); ++i) {
            for (auto over = ends.begin(); over != ends.end() && over->first < i;) {
                const Slot& slot = program_.slots[over->second];
                free.emplace(slot.type->components, slot.storage);
                over = ends.erase(over);
            }
            const uint32_t result = block.instructions[i].result;
            if (result == kNone || lifetimes_[result].shared || program_.slots[result].constant)
                continue;
            Slot& slot = program_.slots[result];
            const auto found = free.find(slot.type->components);
            if (found != free.end()) {
                slot.storage = found->second;
                free.erase(found);
            } else {
                slot.storage = end;
                end += slot.type->components;
            }
            ends.emplace(lifetimes_[result].last, result);
        }
        program_.storageComponents = std::max(program_.storageComponents, end);
    }

    Program& program_;
    std::vector<Lifetime> lifetimes_;
    uint32_t block_ = 0;
    uint64_t common_ = 0;
};

}  // namespace

void assignStorage(Program& program) { Places(program).assign(); }

}  // namespace coopvk::reference

// SPDX-License-Identifier: Apache-2.0
//
// A use of a value, and the instructions to insert so that another value replaces it.
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "module_facts.hpp"
#include "mutator.hpp"
#include "words.hpp"

namespace coopvk::fuzz {

struct Use {
    size_t place = 0;  // of the instruction that uses it
    size_t word = 0;   // of its words
    uint32_t value = 0;
    uint32_t type = 0;
};

// A random use, in a block, of a value that has a type. Matrices, vectors and types that contain
// them are more likely than other values.
std::optional<Use> findUse(const Module& module, const Facts& facts, Random& random);

class Edit {
 public:
    Edit(Module& module, const Facts& facts, const Use& use)
        : module_(module), facts_(facts), use_(use) {}

    // A type or constant with these operands: one that is there, else a new one.
    uint32_t global(spv::Op opcode, uint32_t type, std::initializer_list<Word> operands);
    uint32_t u32() { return global(spv::Op::OpTypeInt, 0, {literal(32), literal(0)}); }
    uint32_t number(uint32_t value) { return global(spv::Op::OpConstant, u32(), {literal(value)}); }
    uint32_t truth(bool value) {
        return global(value ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse,
                      global(spv::Op::OpTypeBool, 0, {}), {});
    }
    // A variable of the function that has the use.
    uint32_t variable(uint32_t type);
    // Inserts before the use; with a result if there is a type.
    uint32_t emit(spv::Op opcode, uint32_t type, std::initializer_list<Word> operands);
    uint32_t label();
    // Labels may be needed before they are inserted.
    void place(uint32_t label) { before_.push_back(makeInstruction(spv::Op::OpLabel, 0, label)); }
    uint32_t freshId() { return module_.freshId(); }
    void emitWithId(spv::Op opcode, uint32_t type, uint32_t result,
                    std::initializer_list<Word> operands);
    // A function T f(T x) { return x; }
    uint32_t identityFunction(uint32_t type);

    // The use's block ends in the emitted instructions and continues after this label.
    void blockContinuesAt(uint32_t label) { tail_ = label; }
    // Inserts everything; afterwards the use is a use of this value.
    void apply(uint32_t value);

 private:
    void insert(size_t at, const std::vector<Instruction>& list);
    void movePhis(uint32_t from, uint32_t to);

    Module& module_;
    const Facts& facts_;
    Use use_;
    std::vector<Instruction> globals_, variables_, before_, functions_;
    uint32_t tail_ = 0;
};

}  // namespace coopvk::fuzz

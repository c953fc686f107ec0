// SPDX-License-Identifier: Apache-2.0
//
// Shared memory through which the invocations of a workgroup hand elements of matrices of scope
// Workgroup to each other: one variable, words in vectors of four. Each instruction that uses it
// has it for itself between its barriers.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Words that an instruction may use: what is reserved for it and has room beside the module's own
// variables. 0 with an error at the instruction: less than `least` words.
uint32_t workgroupWords(MatrixContext& context, const Instruction& at, uint32_t least);

// The accesses of one instruction.
class WorkgroupMemory {
 public:
    WorkgroupMemory(MatrixContext& context, Emitter& emit);

    // The instruction uses words below `words`.
    void use(uint32_t words);
    Id load(Id index);  // u32
    // `count` words one after the other; of four, the first is at a multiple of four.
    std::vector<Id> loadRun(Id index, uint32_t count);
    void store(Id index, Id word);
    void storeRun(Id index, std::span<const Id> words);
    Id pointerToFour(Id index);  // to a vector of four words, at a multiple of four
    // Ahead of the first write, between writes and reads, and ahead of the next writes.
    void barrier();

 private:
    Id pointer(Id index);
    Id quad();

    MatrixContext& context_;
    Emitter& emit_;
};

// When all is lowered: declares the variable, as large as an instruction needs it.
void declareWorkgroupMemory(MatrixContext& context);

// A component of at most 32 bits as a u32, and back.
Id wordOf(Emitter& emit, const MatrixType& matrix, const Slot& component);
Id componentOf(Emitter& emit, const MatrixType& matrix, Id word);

}  // namespace coopvk::rewrite

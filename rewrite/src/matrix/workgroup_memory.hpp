// SPDX-License-Identifier: Apache-2.0
//
// Shared memory through which the invocations of a workgroup pass elements of matrices of scope
// Workgroup to each other: one variable, an array of vectors of four words. Each instruction that
// uses it uses all of it, between its barriers.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Words that an instruction may use: of those that the layer reserves, as many as the module's
// variables leave. 0, with an error at the instruction, if they are fewer than `least`.
uint32_t workgroupWords(MatrixContext& context, const Instruction& at, uint32_t least);
// Words that the module leaves of all shared memory, for slices so deep that they save barriers.
// More than 48 KB would leave room for too few workgroups on a processor.
uint32_t deepSliceWords(const MatrixContext& context);
// Bytes that no other variable may take.
uint64_t workgroupMemoryBytes(const MatrixContext& context);

// The accesses of one instruction.
class WorkgroupMemory {
 public:
    WorkgroupMemory(MatrixContext& context, Emitter& emit);

    // Declares that the instruction uses words 0 to words - 1.
    void use(uint32_t words);
    // Word number `first` + `offset` (u32). Constant parts of it belong in `offset`, since drivers
    // then need one address for all accesses with the same `first`.
    Id load(Id first, uint32_t offset = 0);
    void store(Id first, uint32_t offset, Id word);
    // One, two or four consecutive words, which begin at a multiple of their number.
    std::vector<Id> loadRun(Id first, uint32_t offset, uint32_t count);
    void storeRun(Id first, uint32_t offset, std::span<const Id> words);
    // Stores words of one vector of four: `vector` is its number, `component` that of the first
    // word.
    void storePart(Id vector, Id component, std::span<const Id> words);
    Id pointerToVector(Id vector);
    // Needed ahead of all stores, and between stores and loads.
    void barrier();

 private:
    // A word in the array of vectors, and what follows it in its vector.
    struct Place {
        Id vector = 0, component = 0;
    };
    Place placeOf(Id first, uint32_t offset);
    Id pointer(const Place& place, uint32_t following);
    Id fourWords();

    MatrixContext& context_;
    Emitter& emit_;
};

// Declares the variable, with as many words as the instructions that have been lowered use.
void declareWorkgroupMemory(MatrixContext& context);

// A component of at most 32 bits as a u32, and back.
Id wordOf(Emitter& emit, const MatrixType& matrix, const Slot& component);
Id componentOf(Emitter& emit, const MatrixType& matrix, Id word);

}  // namespace coopvk::rewrite

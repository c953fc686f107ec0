// SPDX-License-Identifier: Apache-2.0
//
// Atomic additions of f32 and f16 numbers to memory, by whatever the device and the memory's type
// allow: float atomics, compare-exchange of words, exchange of floats, or a lock.
#pragma once

#include "vector/memory.hpp"

namespace coopvk::rewrite {

class Accumulator {
 public:
    // `bytes`: 2 or 4, the size of the numbers in memory.
    Accumulator(VectorFunction& function, VectorMemory& memory, uint32_t bytes);

    // False where the memory cannot be added to atomically.
    bool valid() const { return way_ != Way::kNone; }
    // Numbers that one addition takes: those of a word.
    uint32_t perWord() const { return 4 / bytes_; }

    // Adds `values` (f32, one or two) to the numbers from `byte` (u32, a multiple of 4) on.
    void add(Id byte, std::span<const Id> values);
    // The same, by one invocation for all that are active: they must agree on `byte`.
    void addReduced(Id byte, std::span<const Id> values);

 private:
    enum class Way { kNone, kFloatAdd, kCompareExchange, kExchange, kLock };
    void addFloat(Id pointer, Id value);
    void addByWord(Id pointer, std::span<const Id> values);
    void addByExchange(Id pointer, Id value);
    void addLocked(Id byte, std::span<const Id> values);
    Id sum(Id word, std::span<const Id> values);
    Id relaxed();
    Id scope();

    VectorFunction& f_;
    Emitter& emit_;
    TypeTable& types_;
    VectorMemory& memory_;
    uint32_t bytes_;
    Way way_ = Way::kNone;
};

// Behind all lowering: where a lock is used, every workgroup starts with setting it free. (An
// initialiser would need shaderZeroInitializeWorkgroupMemory.)
void initialiseLock(VectorContext& context);

// Whether the stage may use the subgroup operations that addReduced() needs.
bool canReduce(const VectorContext& context);

// True (a boolean) if all active invocations have the same value of an integer scalar.
Id allEqual(Emitter& emit, Id value);

}  // namespace coopvk::rewrite

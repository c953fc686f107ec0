// SPDX-License-Identifier: Apache-2.0
//
// What instructions do besides giving a result: the one table that says what may be moved,
// repeated or removed. A row for each opcode and extended instruction is in effects_rows.inc.
#pragma once

#include "ir/calls.hpp"
#include "ir/module.hpp"

namespace coopvk::rewrite {

enum Effect : uint32_t {
    kReads = 1 << 0,             // memory that other instructions may change
    kWritesInFunction = 1 << 1,  // to a variable of storage class Function
    kWritesInPrivate = 1 << 2,   // to one of storage class Private
    kWritesMemory = 1 << 3,      // other memory, or an image
    kIsVolatile = 1 << 4,
    kPrints = 1 << 5,  // may print: instructions of non-semantic sets
    // Does more: orders memory, waits for others, ends the invocation, traces rays, and so on.
    kActs = 1 << 6,
    kMayTrap = 1 << 7,      // is undefined for some operands: must not run where it did not
    kOfQuad = 1 << 8,       // depends on what the invocations of a quad compute
    kTogether = 1 << 9,     // depends on which invocations execute it together
    kOfLane = 1 << 10,      // the result differs by invocation, also where the operands do not
    kVaries = 1 << 11,      // an equal instruction may give another value: OpUndef, OpFreeze
    kStands = 1 << 12,      // has its place: phis, variables, labels, what directs control flow
    kMultiplies = 1 << 13,  // matrices
    kLoadsMatrix = 1 << 14,
};

// What others notice, even if nothing reads the result.
inline constexpr uint32_t kWrites = kWritesInFunction | kWritesInPrivate | kWritesMemory;
inline constexpr uint32_t kChanges = kWrites | kIsVolatile | kPrints | kActs;
inline constexpr uint32_t kConvergent = kOfQuad | kTogether;
inline constexpr uint32_t kAnyEffect =
    kReads | kChanges | kMayTrap | kConvergent | kOfLane | kVaries;

// The effects of an instruction, as bits; any effect for those without a row. Of one that names
// functions (calls, decode functions and so on): any, too; Effects knows better.
uint32_t effectsOf(const Module& module, const Instruction& i);
// Of the instruction alone, without those of the functions that it names; a call has none.
uint32_t ownEffects(const Module& module, const Instruction& i);

// Whether an instruction combines the values of all lanes of a subgroup to one.
bool combinesLanes(const Instruction& i);
// The same, or it gives all lanes the value of one of them, or a ballot.
bool givesAllLanesOneValue(const Instruction& i);
// Whether it is a control barrier of a subgroup.
bool isSubgroupBarrier(const Module& module, const Instruction& i);

// Whether it gives the same value wherever its operands have the same values and it runs at all.
inline bool onlyComputes(uint32_t effects) { return (effects & ~kMayTrap) == 0; }
// Whether it computes, or directs control flow, and reads no memory.
inline bool isPure(uint32_t effects) { return (effects & ~(kMayTrap | kVaries | kStands)) == 0; }
// Whether it may be removed if nothing reads its result.
inline bool mayVanish(uint32_t effects) { return (effects & kChanges) == 0; }
// Whether running it again changes nothing but variables of the invocation.
inline bool mayRepeat(uint32_t effects) {
    return (effects & (kWritesMemory | kIsVolatile | kActs)) == 0;
}

// The effects of instructions and of what they call, each function visited once. Valid until
// instructions change.
class Effects {
 public:
    explicit Effects(const Module& module);

    uint32_t of(const Instruction& i) const;
    uint32_t ofFunction(Id function) const;
    // Whether calls of a function without pointer parameters only give a result: they write to no
    // variable that outlives the call, and so on.
    bool onlyGivesResult(Id function) const {
        return (ofFunction(function) &
                ~(kReads | kWritesInFunction | kMayTrap | kVaries | kStands)) == 0;
    }
    // nullptr: the module has no function with this id.
    const Function* function(Id id) const;

 private:
    struct Known {
        uint32_t effects = kAnyEffect;  // until it is done
        uint32_t own = 0;               // without those of callees
        std::vector<Id> callees;
        bool isDone = false;
    };
    Known visit(Id function) const;

    const Module& module_;
    FunctionsById functions_;
    mutable std::unordered_map<Id, Known> known_;
};

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
//
// An invocation's values in the lists of its stage.
#pragma once

#include "memory/pointer.hpp"

namespace coopvk::reference {

// How many values of each list the invocations have got or given.
class ListCounts {
 public:
    uint32_t& of(const StageList& list, uint32_t lane) { return counts_[list][lane]; }
    void clear() { counts_.clear(); }

 private:
    std::map<StageList, std::array<uint32_t, kMaxLanes>> counts_;
};

// Gets value `number` of each lane's, zeros where the list has none.
void readList(Subgroup& s, const StageList& list, const Value& to, LaneMask lanes,
              const std::function<uint32_t(uint32_t lane)>& number);
// The next value; nothing, where the list is full.
void appendTo(Subgroup& s, const StageList& list, const Value& value, LaneMask lanes);

// Before the entry point starts: variables of the stage, and which invocations are helpers.
void startInvocations(Workgroup& group, Subgroup& s);
// Lanes return from the entry point.
void finishInvocations(Subgroup& s, LaneMask lanes);
// The outputs, as a vertex; what an intersection shader found, as a hit.
void emitVertex(Subgroup& s);
void endPrimitive(Subgroup& s);
void takeHit(Subgroup& s);
// Lanes end before that, or become helpers.
void endEarly(Subgroup& s, uint32_t how, LaneMask lanes);
// Where invocations share them: what a variable points to.
const Range* sharedList(const Workgroup& group, const Variable& variable);

// A built-in variable that follows from where an invocation is; false: it is another one.
bool setBuiltIn(const Workgroup& group, Subgroup& s, const Variable& variable);

}  // namespace coopvk::reference

// SPDX-License-Identifier: Apache-2.0
//
// Matrices of 8-bit floats become the driver's f16 matrices, which have all their values. Loads,
// stores and conversions to 8-bit floats go through shared memory, since only the driver knows
// which invocation has which element.
#pragma once

#include "native/staged_elements.hpp"
#include "unify/small_floats/small_floats.hpp"

namespace coopvk::rewrite {

// Elements must be held as f16 already (unify/small_floats). `subgroups`: the most that a workgroup
// may have. kUnsupported where the driver's matrices do not suffice.
std::optional<Error> holdInDriverMatrices(TypeTable& types, const PlannedTarget& target,
                                          uint32_t subgroups);

// Shared memory from which a shader only loads matrices of 8-bit floats, all of one format, has f16
// in their place. Then each element is converted once, when the shader writes it, and the driver
// loads its f16 matrices from there directly. The memory takes twice as many bytes.

// A variable of which this may be true, with the pointers to its elements.
struct SharedCandidate {
    Id variable = 0;
    uint64_t length = 0;  // elements, as the module declares it
    uint64_t bytes = 0;   // that f16 need more
    SharedHalves halves;
    std::vector<Id> pointers;
};
std::vector<SharedCandidate> sharedCandidates(HalvesContext& context);

// Changes a candidate's type. It must be in context.sharedHalves with its pointers.
void holdSharedVariable(HalvesContext& context, const SharedCandidate& candidate);

// Lower what accesses such variables. Each returns false, and changes nothing, for other
// instructions.
bool holdSharedPointer(HalvesFunction& f, Instruction& chain);
bool holdSharedStore(HalvesFunction& f, const Instruction& store);
bool holdSharedLoad(HalvesFunction& f, Instruction& load);

}  // namespace coopvk::rewrite

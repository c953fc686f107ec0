// SPDX-License-Identifier: Apache-2.0
//
// Shared memory from which a shader only loads matrices of 8-bit floats, all of one format, has f16
// in their place. Then each element is converted once, when the shader writes it, and the driver
// loads its f16 matrices from there directly. The memory takes twice as many bytes.
#pragma once

#include "native/staged_elements.hpp"

namespace coopvk::rewrite {

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

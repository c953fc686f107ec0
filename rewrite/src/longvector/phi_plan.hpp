// SPDX-License-Identifier: Apache-2.0
//
// A phi of a value that is in a variable:
//
//   %a = OpPhi %vector %b %one %c %two       one: in = b;   two: in = c;   here: a = in;
//
// The copy from `in` is made only where `a` is defined, since other blocks may still use the
// former value. Where none does, `a` is `in`.
#pragma once

#include "longvector/liveness.hpp"

namespace coopvk::rewrite {

struct PhiInVariable {
    Id result = 0;
    Id incoming = 0;  // variable
};

struct PhiPlan {
    std::vector<PhiInVariable> inPlace;                             // the result is in `incoming`
    std::unordered_map<Id, std::vector<PhiInVariable>> copied;      // by block
    std::unordered_map<Id, std::vector<std::pair<Id, Id>>> copies;  // by block: to, from
};

// Plans the phis of which isInVariable(type) is true. declare(type) gives a variable.
PhiPlan planPhisOf(const Function& function, const LongVectorLiveness& liveness,
                   const std::function<bool(Id type)>& isInVariable,
                   const std::function<Id(Id type)>& declare);

}  // namespace coopvk::rewrite

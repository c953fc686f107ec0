// SPDX-License-Identifier: Apache-2.0
//
// Where the elements of matrices go by their numbers, and whether what a module computes depends
// on which lane holds which element.
#pragma once

#include <set>
#include <string_view>

#include "ir/module.hpp"

namespace coopvk::rewrite {

class MatrixUses;

struct ElementFlow {
    // Types of matrices: elements of the first one come from those of the second one, perhaps
    // changed on the way.
    std::set<std::pair<Id, Id>> copies;
    // Why the result depends on the lanes, other than by these copies. Empty: nothing shows that
    // it does.
    std::string_view why;
};

// Without an element that has a number, and without lengths, nothing flows. A result that does not
// depend on the lanes does the same with each element, whatever its number: so constant numbers
// must be all that a lane has.
ElementFlow followElements(const Module& module, const MatrixUses& uses);

}  // namespace coopvk::rewrite

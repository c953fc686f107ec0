// SPDX-License-Identifier: Apache-2.0
//
// Duplicates the code from tensor loads to the products that use them: one version for layouts that
// allow the fastest loads, one for all others. Without this, both ways to load join ahead of the
// product, where a GPU waits for the loads, and holds in registers what either way needs.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "ir/module.hpp"

namespace coopvk::rewrite {

struct LoweringContext;

struct LoadVersions {
    // The loads of the first version, by the boolean that selects it. That is an OpUndef, which
    // whoever lowers the loads must replace.
    std::map<Id, std::vector<const Instruction*>> loads;
    std::set<Id> fastest, others;  // the loads of the first and of the second version
};

// `followed`: the result of gatherTensorLoads(), to which the loads of both versions are added. A
// group without a product behind it in its block stays as it is.
LoadVersions duplicateLoads(LoweringContext& context, std::set<Id>& followed);

}  // namespace coopvk::rewrite

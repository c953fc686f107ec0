// SPDX-License-Identifier: Apache-2.0
//
// Splits the blocks of a function.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// A block without instructions. label 0: a new id.
std::unique_ptr<Block> makeBlock(Module& module, Id label = 0);

// Ends a block with OpBranch.
void branchTo(Block& block, Id label);

// A block `to` takes the place of `from` as the parent of phis, in all blocks of the function.
void renameParent(const Function& function, Id from, Id to);

// Moves the instructions of a block from number `at` on to a new block behind it, to which the
// first one then branches. Returns the new block.
Block& splitBlock(Module& module, Function& function, size_t block, size_t at);

}  // namespace coopvk::rewrite

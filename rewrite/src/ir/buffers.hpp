// SPDX-License-Identifier: Apache-2.0
//
// Buffers seen as arrays of another type: logical addressing has no pointer casts, but a module may
// declare another variable for the same binding.
#pragma once

#include "ir/types.hpp"

namespace coopvk::rewrite {

// A new struct { element data[]; } without gaps, of a kind (Block or BufferBlock), whose member has
// the qualifiers (NonWritable and the like).
Id bufferBlock(TypeTable& types, Id element, spv::Decoration kind,
               std::span<const spv::Decoration> qualifiers = {});

// The type of a variable that stands for one of type `original`: the block, or where the original
// is an array of descriptors, a new array of as many of it.
Id likeDescriptors(Module& module, Id original, Id block);

// No longer Restrict, but Aliased: another variable may change what this one reads.
void declareAliased(Module& module, Id variable);

}  // namespace coopvk::rewrite

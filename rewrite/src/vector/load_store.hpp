// SPDX-License-Identifier: Apache-2.0
//
// OpCooperativeVectorLoadNV and OpCooperativeVectorStoreNV.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

void lowerVectorLoad(VectorContext& context, Emitter& emit, const Instruction& instruction);
void lowerVectorStore(VectorContext& context, Emitter& emit, const Instruction& instruction);

}  // namespace coopvk::rewrite

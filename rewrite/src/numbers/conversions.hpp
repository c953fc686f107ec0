// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lowering/opcode_table.hpp"
#include "numbers/lower.hpp"

namespace coopvk::rewrite {

using NumbersFunction = FunctionLowering<NumbersContext>;

// Conversions, bit casts and dot products.
void addNumberConversions(OpcodeTable<NumbersFunction>& table);

}  // namespace coopvk::rewrite

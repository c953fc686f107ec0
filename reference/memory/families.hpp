// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "execution/opcode_table.hpp"

namespace coopvk::reference {

Rows chainRows();   // access chains and what else computes pointers
Rows accessRows();  // loads and stores
Rows copyRows();    // copies of memory, lengths of arrays
Rows atomicRows();

}  // namespace coopvk::reference

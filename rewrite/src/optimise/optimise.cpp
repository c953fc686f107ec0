// SPDX-License-Identifier: Apache-2.0
#include "optimise/optimise.hpp"

#include "optimise/dead_code.hpp"

namespace coopvk::rewrite {

void optimise(TypeTable& types, Within within) {
    Module& module = types.module();
    splitVariables(types);
    forwardVariables(module, [](const Instruction&) { return true; });
    mergeBlocks(module);
    shareEqualValues(types, within);
    removeUnread(module);
}

}  // namespace coopvk::rewrite

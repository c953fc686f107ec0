// SPDX-License-Identifier: Apache-2.0
#include "optimise/optimise.hpp"

#include "optimise/dead_code.hpp"

namespace coopvk::rewrite {

void optimise(TypeTable& types, Within within) {
    Module& module = types.module();
    for (const auto& function : module.functions()) {
        splitVariables(types, *function);
        forwardVariables(module, *function, Phis::kAllowed,
                         [](const Instruction&) { return true; });
        shareEqualValues(types, *function, within);
    }
    removeUnread(module);
    for (const auto& function : module.functions()) mergeBlocks(module, *function);
}

}  // namespace coopvk::rewrite

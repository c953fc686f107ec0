// SPDX-License-Identifier: Apache-2.0
#include "optimise/optimise.hpp"

#include "optimise/dead_code.hpp"

namespace coopvk::rewrite {

void optimise(TypeTable& types, Within within) {
    splitVariables(types);
    forwardVariables(types.module(), Phis::kAllowed, [](const Instruction&) { return true; });
    shareEqualValues(types, within);
    removeUnread(types.module());
}

}  // namespace coopvk::rewrite

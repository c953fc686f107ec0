// SPDX-License-Identifier: Apache-2.0
//
// With COOPVK_ORACLE_REWRITES=1 the oracle judges coopvk's rewriter: each module is rewritten for a
// device that lacks what it emulates, and the device executes the output. Which device, the
// module's text says.
#pragma once

#include <string>

#include "program_runner.hpp"

namespace coopvk::oracle {

bool judgesRewriter();

// Executes what coopvk makes of a module; the module itself where coopvk refuses it.
void executeRewritten(reference::test::Execution& execution, const std::string& text);

}  // namespace coopvk::oracle

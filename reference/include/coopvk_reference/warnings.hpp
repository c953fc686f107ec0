// SPDX-License-Identifier: Apache-2.0
//
// Programs of modules that are not quite valid.
#pragma once

#include <string>

#include "coopvk_reference/execute.hpp"

namespace coopvk::reference {

// As makeProgram(request). The warning says what is not valid in a module that is executed all the
// same, as every driver does; it is empty if there is nothing.
Result<std::shared_ptr<const Program>> makeProgram(const ProgramRequest& request,
                                                   std::string& warning);

}  // namespace coopvk::reference

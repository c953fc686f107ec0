// SPDX-License-Identifier: Apache-2.0
//
// What `coopvk check` prints.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "check.hpp"
#include "prove.hpp"

namespace coopvk::tool {

void printText(std::ostream& out, const std::vector<check::Outcome>& outcomes);
void printJson(std::ostream& out, const std::string& input, uint64_t seed,
               const std::vector<check::Outcome>& outcomes);

void printText(std::ostream& to, const std::vector<check::ProofOutcome>& outcomes);
void printJson(std::ostream& out, const std::string& input,
               const std::vector<check::ProofOutcome>& outcomes);
// One line: how many are proved, and the others by verdict. `unread`: inputs without an outcome.
void printSum(std::ostream& out, const std::vector<check::ProofVerdict>& verdicts, size_t unread);

}  // namespace coopvk::tool

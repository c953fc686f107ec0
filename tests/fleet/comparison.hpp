// SPDX-License-Identifier: Apache-2.0
//
// Figures of two runs beside each other.
#pragma once

#include <string>
#include <vector>

#include "measurement.hpp"

namespace coopvk::fleet {

// A table in Markdown of everything that both runs have: a row for each shader at each size on each
// device, in the order of `after`; "8 > 0" if a figure changed.
std::string compare(const std::vector<Measurement>& before, const std::vector<Measurement>& after);

}  // namespace coopvk::fleet

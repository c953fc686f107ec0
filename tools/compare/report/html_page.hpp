// SPDX-License-Identifier: Apache-2.0
//
// What pages have in common: one file each, that needs no other files and no scripts.
#pragma once

#include <string>
#include <string_view>

namespace coopvk::tool {

std::string escapeHtml(std::string_view text);
// Up to the start of the body. `style`: more rules.
std::string htmlHead(std::string_view title, std::string_view style = {});
// From yellow (0) to dark red (1).
std::string heatColour(double heat);

}  // namespace coopvk::tool

// SPDX-License-Identifier: Apache-2.0
//
// Values of lanes, as text.
#pragma once

#include <functional>
#include <string>

#include "coopvk_reference/debugger.hpp"

namespace coopvk::tool {

// "0-7, 13"; "none".
std::string lanesText(reference::LaneMask lanes);

// A matrix as a table. `mark`: of each element, what stands behind it; or null.
using CellText = std::function<std::string(const reference::ShownElement&)>;
std::string tableText(const reference::ShownValue& matrix, const CellText& cell);
// Numbers; '!' behind elements of which invocations hold different copies.
std::string matrixText(const reference::ShownValue& matrix);
// A line for neighbouring lanes that have the same.
std::string numbersText(const reference::ShownValue& value, reference::LaneMask active,
                        reference::LaneMask all);
// Of each element the number of the invocation that holds it; '+' where others do, too.
std::string holdersText(const reference::ShownValue& matrix);
// Who holds an element: "lane 13, component 2".
std::string holderText(const reference::ShownValue& matrix, const reference::ShownElement& element);

}  // namespace coopvk::tool

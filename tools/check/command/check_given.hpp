// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "memory.hpp"
#include "report/recorded_dispatch.hpp"

namespace coopvk::tool {

// Memory of a dispatch that the layer recorded, from the file in the folder.
rewrite::Result<std::shared_ptr<const check::Given>> givenMemory(
    const layer::RecordedDispatch& dispatch, const std::string& folder);

}  // namespace coopvk::tool

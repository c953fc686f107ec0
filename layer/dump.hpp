// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "log.hpp"
#include "rewrite_cache.hpp"

namespace coopvk::layer {

// Writes the original and the rewritten module, each as words and as text, into a folder that is
// made if need be:
//   <hash>.spv                                   the original
//   <hash>.<stage>.s<subgroup size>[.<hash of the specialization>].spv   its rewrite
// A failure is logged and changes nothing else.
void dumpRewrite(Log& log, const std::string& folder, const RewriteKey& key,
                 const rewrite::Rewritten& rewritten) noexcept;

}  // namespace coopvk::layer

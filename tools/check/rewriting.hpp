// SPDX-License-Identifier: Apache-2.0
//
// How a check rewrites its subject.
#pragma once

#include <optional>

#include "check.hpp"

namespace coopvk::check {

rewrite::Target targetFor(const Subject& subject, uint32_t lanes, rewrite::BackEnd backEnd);
rewrite::Result<rewrite::Rewritten> rewriteFor(const Subject& subject,
                                               const std::string& entryPoint, uint32_t lanes,
                                               rewrite::BackEnd backEnd);

// Where the reference device places elements; nullopt: where the schedule says.
std::optional<reference::Choice> placementOf(rewrite::ElementLayout layout);
// Both sides have the layout that the rewriter gives to modules which depend on it.
std::optional<reference::Choice> placementAt(const Subject& subject, const std::string& entryPoint,
                                             uint32_t lanes);

// Where the rewritten module expects matrices of the optimal layouts.
reference::OptimalLayout optimalLayoutOf(const Subject& subject);

// In words, why workgroups of this size cannot have the matrices of either module; else empty.
std::string lackedSubgroups(const Subject& subject, const reference::Program& native,
                            uint32_t lanes);

}  // namespace coopvk::check

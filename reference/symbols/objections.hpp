// SPDX-License-Identifier: Apache-2.0
//
// What makes behavior undefined, or another on other devices, although no value shows it: then
// nothing is proved.
#pragma once

#include <optional>
#include <string_view>

#include "execution/frame.hpp"

namespace coopvk::reference::symbols {

struct Objection {
    uint32_t lane;
    std::string_view text;
};
// To the instruction that the subgroup executes next; to the one that it executed.
std::optional<Objection> objectionBefore(const Subgroup& s, bool isOriginal);
std::optional<Objection> objectionAfter(const Subgroup& s);

}  // namespace coopvk::reference::symbols

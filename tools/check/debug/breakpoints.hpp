// SPDX-License-Identifier: Apache-2.0
//
// Where a user wants an execution to stop, in his words.
#pragma once

#include "check/debug/session.hpp"

namespace coopvk::tool {

struct ElementOf {
    uint32_t id = 0, row = 0, column = 0;
};

struct Breakpoint {
    uint32_t number = 0;
    std::string text;
    // What the text means on one side.
    std::vector<uint32_t> words = {};
    std::optional<NamedBytes> place = {};
    uint32_t checks = 0;
    std::optional<ElementOf> element = {};  // stops only in the subgroup that holds it
    std::string note = {};                  // what to say of it

    reference::StopRule rule(const check::MemoryCopy& memory) const;
};

// "%48", "z", "%48[3,5]", "OpStore", "a.comp:6", ":6", "word 443", "report", "report races",
// "0.1:212", "shared:64"; an error: there is no such thing on this side.
rewrite::Result<Breakpoint> breakpointAt(const Session& session, const Debuggee& side,
                                         const std::string& text);
// "%48[3,5]"; nothing: it has no indices. An error: they are not two numbers, or there is no such
// id.
rewrite::Result<std::optional<ElementOf>> elementIn(const Debuggee& side, const std::string& text);

}  // namespace coopvk::tool

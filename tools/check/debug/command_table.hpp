// SPDX-License-Identifier: Apache-2.0
//
// The debugger's commands.
#pragma once

#include <span>
#include <string>

#include "check/debug/prompt.hpp"

namespace coopvk::tool {

// May name the prompt's own commands.
struct CommandTable {
    struct Row {
        const char* name;
        const char* shortName;
        Prompt::MaybeWish (Prompt::*run)(const Arguments&);
        const char* arguments;
        const char* what;  // lines of the help
        size_t mostArguments = 0;
        bool repeats = false;  // by an empty line
    };
    static std::span<const Row> rows();
    // By name, short name, or a beginning that only one has. Null: none.
    static const Row* find(const std::string& name);
    static std::string usageOf(const Row& row);
    static std::string helpOf(const Row& row);
};

}  // namespace coopvk::tool

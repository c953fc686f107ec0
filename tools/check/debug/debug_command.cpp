// SPDX-License-Identifier: Apache-2.0
#include "check/debug/debug_command.hpp"

#include <fstream>
#include <iostream>

#include "check/command/check_output.hpp"
#include "check/debug/prompt.hpp"
#include "compare/compare_commands.hpp"
#include "failure.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {

rewrite::Result<int> debug(const check::Subject& subject, const check::Options& options,
                           const std::string& commands) {
    const auto replay = check::findReplay(subject, options);
    if (!replay) {
        printText(std::cout, check::check(subject, options));
        return failure("nothing is executed that could be debugged");
    }
    const Session session(*replay);
    std::ifstream file;
    if (!commands.empty()) {
        file.open(commands);
        if (!file) return failure("cannot read " + commands);
    }
    std::istream& in = commands.empty() ? std::cin : file;
    Prompt(session, in, std::cout, commands.empty() && system::readsTerminal()).run();
    return kAgree;
}

}  // namespace coopvk::tool

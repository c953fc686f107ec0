// SPDX-License-Identifier: Apache-2.0
//
// `coopvk doctor` knows the loader's folders, programs and sandboxes of Linux only.
#include <iostream>
#include <string>
#include <vector>

#include "commands.hpp"

namespace coopvk::tool {

void addDoctorCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand("doctor", "Not on Windows yet");
    auto ignored = std::make_shared<std::vector<std::string>>();
    command->add_option("app", *ignored, "The program and its arguments, after --");
    command->positionals_at_end();
    command->callback([ignored, &status] {
        std::cerr << "coopvk: doctor: not on Windows yet\n";
        status = 1;
    });
}

}  // namespace coopvk::tool

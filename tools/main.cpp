// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "parse.hpp"
#include "passed_on.hpp"
#include "run_main.hpp"
#include "version_text.hpp"

namespace {

int runTool(int argc, char** argv) {
    CLI::App app(
        "Emulates cooperative matrices, cooperative vectors and related extensions for Vulkan "
        "programs.",
        "coopvk");
    app.set_version_flag("--version", coopvk::tool::versionText("coopvk"));
    app.require_subcommand(1);
    int status = 0;
    coopvk::tool::addRunCommand(app, status);
    coopvk::tool::addDoctorCommand(app, status);
    coopvk::tool::addInfoCommand(app, status);
    coopvk::tool::addAdviseCommand(app, status);
    coopvk::tool::addConfigCommand(app, status);
    coopvk::tool::addReportCommand(app, status);
    coopvk::tool::addRewriteCommand(app, status);
    coopvk::tool::addPassedOnCommands(app);
    // Commands that are added later would have them, too.
    app.usage("coopvk COMMAND [OPTION]...");
    app.footer("coopvk COMMAND --help lists the options of each; man coopvk says more.");
    if (const auto passed = coopvk::tool::passOn(argc, argv)) return *passed;
    // CLI11 would only say that there is no command.
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommand_no_throw(argv[1]) == nullptr) {
        std::cerr << "coopvk: there is no command '" << argv[1] << "' (see coopvk --help)\n";
        return coopvk::tool::kWrongUsage;
    }
    return coopvk::tool::parse(app, argc, argv, status);
}

}  // namespace

int main(int argc, char** argv) {
    return coopvk::tool::runMain("coopvk", 1, [&] { return runTool(argc, argv); });
}

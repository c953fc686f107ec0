// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>
#include <string>

#include "commands.hpp"
#include "coopvk/rewrite.hpp"

namespace {

int runTool(int argc, char** argv) {
    CLI::App app("Emulation of cooperative matrices and their relatives for Vulkan.", "coopvk");
    app.set_version_flag("--version", "coopvk " COOPVK_VERSION " (rewriter " +
                                          std::string(coopvk::rewrite::version()) + ")");
    app.require_subcommand(1);
    int status = 0;
    coopvk::tool::addInfoCommand(app, status);
    coopvk::tool::addRewriteCommand(app, status);
    coopvk::tool::addRunCommand(app, status);
    coopvk::tool::addAdviseCommand(app, status);
    coopvk::tool::addConfigCommand(app, status);
    coopvk::tool::addDoctorCommand(app, status);
    coopvk::tool::addCompareCommand(app, status);
    // CLI11 would only tell that there is none.
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommand_no_throw(argv[1]) == nullptr) {
        std::cerr << "coopvk: there is no command '" << argv[1] << "' (see coopvk --help)\n";
        return 2;
    }
    CLI11_PARSE(app, argc, argv);
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return runTool(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "coopvk: " << error.what() << '\n';
        return 1;
    }
}

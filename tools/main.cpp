// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "commands.hpp"
#include "coopvk/rewrite.hpp"

namespace {

// Empty if the sources are in no repository.
constexpr std::string_view kCommit =
#include "commit.inc"
    ;

std::string versionText() {
    std::string text = "coopvk " COOPVK_VERSION " (";
    if (!kCommit.empty()) text.append("commit ").append(kCommit).append(", ");
    return text.append("rewriter ").append(coopvk::rewrite::version()).append(")");
}

int runTool(int argc, char** argv) {
    CLI::App app(
        "Emulates cooperative matrices, cooperative vectors and related extensions for Vulkan "
        "programs.",
        "coopvk");
    app.set_version_flag("--version", versionText());
    app.require_subcommand(1);
    int status = 0;
    coopvk::tool::addInfoCommand(app, status);
    coopvk::tool::addRewriteCommand(app, status);
    coopvk::tool::addRunCommand(app, status);
    coopvk::tool::addAdviseCommand(app, status);
    coopvk::tool::addConfigCommand(app, status);
    coopvk::tool::addDoctorCommand(app, status);
    coopvk::tool::addCompareCommand(app, status);
    coopvk::tool::addReportCommand(app, status);
    coopvk::tool::addSelftestCommand(app, status);
#ifdef COOPVK_HAS_CHECK
    coopvk::tool::addCheckCommand(app, status);
#endif
    // CLI11 would only say that there is no command.
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

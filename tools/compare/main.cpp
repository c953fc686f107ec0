// SPDX-License-Identifier: Apache-2.0
#include "compare/compare_commands.hpp"
#include "parse.hpp"
#include "run_main.hpp"
#include "version_text.hpp"

namespace {

int runCompareProgram(int argc, char** argv) {
    CLI::App app("Compares a driver's own matrices or vectors with coopvk's and with a reference.",
                 "coopvk-compare");
    app.set_version_flag("--version", coopvk::tool::versionText("coopvk-compare"));
    int status = 0;
    coopvk::tool::addCompareOptions(app, status);
    coopvk::tool::addCheckCommand(app, status);
    coopvk::tool::addProveCommand(app, status);
    coopvk::tool::addProbeCommand(app, status);
    coopvk::tool::addSelftestCommand(app, status);
    coopvk::tool::addTuneCommand(app, status);
    return coopvk::tool::parse(app, argc, argv, status);
}

}  // namespace

int main(int argc, char** argv) {
    return coopvk::tool::runMain("coopvk-compare", coopvk::tool::kCouldNotRun,
                                 [&] { return runCompareProgram(argc, argv); });
}

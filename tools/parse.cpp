// SPDX-License-Identifier: Apache-2.0
#include "parse.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "system/text.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {
namespace {

// Columns of the terminal; where there is none, of COLUMNS.
size_t columns() {
    if (const size_t width = system::terminalColumns(); width != 0) return width;
    const char* variable = std::getenv("COLUMNS");
    const std::string_view text = variable == nullptr ? "" : variable;
    size_t width = 0;
    std::from_chars(text.data(), text.data() + text.size(), width);
    return width == 0 ? 80 : width;
}

void setWidth(CLI::App& app) {
    constexpr size_t kNarrowest = 50, kWidest = 100, kOptions = 30;
    const size_t width = std::clamp(columns(), kNarrowest, kWidest);
    const auto formatter = app.get_formatter();
    formatter->column_width(kOptions);
    formatter->right_column_width(width - kOptions - 1);  // a blank ends each line
    formatter->description_paragraph_width(width - 1);
    formatter->footer_paragraph_width(width - 1);
}

// The values that an option takes, which CLI11 would write into its first line, follow what it is
// about.
void describeValues(CLI::Option& option) {
    const std::string type = option.get_type_name();
    const size_t begin = type.find('{'), end = type.rfind('}');
    if (begin == type.npos || end == type.npos || !option.get_option_text().empty()) return;
    std::string text = option.get_description() + " (";
    for (const char letter : type.substr(begin + 1, end - begin - 1)) {
        text += letter;
        if (letter == ',') text += ' ';
    }
    if (!option.get_default_str().empty()) text += "; default: " + option.get_default_str();
    option.option_text("NAME")->description(text + ")");
}

void describeAllValues(CLI::App& app) {
    for (CLI::Option* option : app.get_options()) describeValues(*option);
    for (CLI::App* command : app.get_subcommands(nullptr)) describeAllValues(*command);
}

// The command that was chosen, such as "coopvk run".
std::string nameOf(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return app.get_name() + (chosen.empty() ? "" : " " + chosen.front()->get_name());
}

// An argument that is not known explains more than one that is missing.
std::string problemIn(const CLI::App& app, const CLI::ParseError& error) {
    const bool isMissing = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    if (!isMissing && dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
    const auto left = app.remaining(true);
    if (!left.empty())
        return (left.front().starts_with('-') ? "there is no option " : "one argument too many: ") +
               left.front();
    if (app.get_subcommands().empty()) return "give a command";
    return "give " + std::string(error.what()).substr(0, std::string_view(error.what()).find(' '));
}

}  // namespace

int parse(CLI::App& app, int argc, char** argv, const int& status) {
    setWidth(app);
    describeAllValues(app);
    try {
        app.parse(argc, argv);
        return status;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // help, or the version
        const std::string name = nameOf(app);
        std::cerr << name << ": " << layer::printable(problemIn(app, error)) << " (see " << name
                  << " --help)\n";
        return name == "coopvk run" ? kRunFailed : kWrongUsage;
    }
}

void startsProgram(CLI::App& command, bool isOptional) {
    const std::string program = "-- APP [ARGUMENT]...";
    command.usage(command.get_parent()->get_name() + " " + command.get_name() + " [OPTION]... " +
                  (isOptional ? "[" + program + "]" : program));
}

}  // namespace coopvk::tool

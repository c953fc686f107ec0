// SPDX-License-Identifier: Apache-2.0
#include "setting_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "failure.hpp"
#include "settings/asked_for.hpp"
#include "settings/names.hpp"
#include "settings/settings.hpp"
#include "system/system.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

constexpr const layer::SettingInfo& kDumpDir = *layer::findSetting("dump_dir");

const std::string& textOf(const SettingTexts& texts, const layer::SettingInfo& setting) {
    return texts[static_cast<size_t>(&setting - layer::kSettings)];
}

// "log_level" becomes --log-level, which overrides the environment's COOPVK_LOG_LEVEL.
void addSetting(CLI::App& command, const layer::SettingInfo& setting, std::string& value) {
    std::string name = "--" + std::string(setting.key);
    std::ranges::replace(name, '_', '-');
    const std::string help(setting.description);
    if (setting.type == "BOOL") {
        command.add_flag_callback(name, [&value] { value = "true"; }, help);
        return;
    }
    if (setting.key == "statistics") {
        command.add_flag(name + "{1}", value, help)->option_text("[=FILE]");
        return;
    }
    CLI::Option* option = command.add_option(name, value, help);
    if (setting.values().empty()) {
        option->option_text(setting.type == "SAVE_FILE"     ? "FILE"
                            : setting.type == "SAVE_FOLDER" ? "DIR"
                                                            : "TEXT");
        return;
    }
    const auto values = setting.values();
    option->check(CLI::IsMember(std::vector<std::string>(values.begin(), values.end())));
}

}  // namespace

void addSettingOptions(CLI::App& command, SettingTexts& texts) {
    for (size_t i = 0; i < texts.size(); ++i) {
        addSetting(command, layer::kSettings[i], texts[i]);
    }
}

std::string valueOf(const SettingTexts& texts, const layer::SettingInfo& setting) {
    const std::string& text = textOf(texts, setting);
    const bool isPath = setting.type.starts_with("SAVE_") || setting.key == "statistics";
    return isPath && text != "1" && !text.empty() ? fs::absolute(text).string() : text;
}

rewrite::Result<Environment> layerEnvironment(const SettingTexts& texts) {
    // The layer could only log a warning, which a program may hide.
    for (const layer::SettingInfo& setting : layer::kSettings) {
        const auto complaints = layer::checkSetting(setting.key, textOf(texts, setting));
        if (!complaints.empty()) return failure(complaints.front());
    }
    const auto manifests = findManifestFolder();
    if (!manifests) {
        return failure(std::string("the layer's manifest ") + kManifest + " is " +
                       system::kManifestFolders + ", relative to this program's folder");
    }
    if (const std::string& folder = textOf(texts, kDumpDir);
        !folder.empty() && folder.find('%') == std::string::npos) {
        // The layer makes folders with the program's name.
        std::error_code error;
        fs::create_directories(folder, error);
        if (error) return failure("cannot make the folder " + folder + ": " + error.message());
    }
    // How the loader finds the layer.
    const SearchPath path = searchPath(*manifests);
    Environment environment = path.environment;
    if (!path.implicit) {
        environment.emplace_back("VK_INSTANCE_LAYERS",
                                 join(layer::kLayerName, std::getenv("VK_INSTANCE_LAYERS"),
                                      layer::system::kListSeparator));
    }
    environment.emplace_back(layer::kEnableVariable, "1");
    for (const layer::SettingInfo& setting : layer::kSettings) {
        if (textOf(texts, setting).empty()) continue;
        environment.emplace_back(setting.variable, valueOf(texts, setting));
    }
    return environment;
}

}  // namespace coopvk::tool

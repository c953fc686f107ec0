// SPDX-License-Identifier: Apache-2.0
#include "settings/settings.hpp"

#include <cctype>
#include <charconv>
#include <fstream>
#include <iterator>
#include <memory>
#include <vulkan/layer/vk_layer_settings.hpp>

#include "chain/pnext.hpp"
#include "settings/program_names.hpp"
#include "settings/setting_table.hpp"
#include "settings/unknown_settings.hpp"
#include "system/program.hpp"
#include "system/system.hpp"

namespace coopvk::layer {
namespace {

void ignoreMessage(const char*, const char*) {}

// The set of settings of the settings library, for one call.
class SettingSet {
 public:
    explicit SettingSet(const VkInstanceCreateInfo* createInfo) {
        first_ = findNode<VkLayerSettingsCreateInfoEXT>(
            createInfo == nullptr ? nullptr : createInfo->pNext,
            VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT);
        if (vkuCreateLayerSettingSet(kLayerName, first_, nullptr, ignoreMessage, &set_) !=
            VK_SUCCESS) {
            set_ = VK_NULL_HANDLE;
        }
    }
    ~SettingSet() {
        if (set_ != VK_NULL_HANDLE) vkuDestroyLayerSettingSet(set_, nullptr);
    }
    SettingSet(const SettingSet&) = delete;
    SettingSet& operator=(const SettingSet&) = delete;

    // The value as text, from any source; the manifest's default if there is none.
    SettingFound find(const SettingInfo& setting, const ConfiguredSettings& configured) const {
        if (const auto value = system::trustedVariable(setting.variable)) {
            return {*value, setting.variable};
        }
        // The library does not say whether a value is from a variable or from its file.
        const std::string variable = libraryVariable(setting);
        const auto librarys = system::trustedVariable(variable.c_str());
        const bool isInVariable = librarys && !librarys->empty();
        if (const auto& value = configured[setting]; value && !isInVariable) {
            return {value->text, value->origin};
        }
        if (auto text = librarysText(std::string(setting.key))) {
            return {*text, isInVariable ? variable : kSettingsFile};
        }
        return {std::string(setting.standard), "default"};
    }

    // Names from the application that the manifest does not have.
    std::vector<const char*> unknown() const {
        std::vector<const char*> known, names;
        for (const SettingInfo& setting : kSettings) known.push_back(setting.key.data());
        if (set_ == VK_NULL_HANDLE || first_ == nullptr ||
            vkuGetUnknownSettings(set_, static_cast<uint32_t>(known.size()), known.data(), first_,
                                  names) != VK_SUCCESS) {
            names.clear();
        }
        return names;
    }

 private:
    // A list of strings becomes a comma list.
    std::optional<std::string> librarysText(const std::string& key) const {
        std::vector<std::string> values;
        if (set_ == VK_NULL_HANDLE || !vkuHasLayerSetting(set_, key.c_str()) ||
            vkuGetLayerSettingValues(set_, key.c_str(), values) != VK_SUCCESS) {
            return std::nullopt;
        }
        std::string joined;
        for (const std::string& value : values) {
            if (!joined.empty()) joined += ',';
            joined += value;
        }
        return joined;
    }

    const VkLayerSettingsCreateInfoEXT* first_ = nullptr;
    VkuLayerSettingSet set_ = VK_NULL_HANDLE;
};

// Reads a setting into a member of Settings. An empty `text` means the default.
struct SettingReader {
    std::string_view key;
    void (*read)(std::string_view text, Settings& settings, std::vector<std::string>& complaints);
};

using Complaints = std::vector<std::string>;

void complain(Complaints& complaints, std::string_view key, std::string_view what,
              std::string_view value) {
    std::string line = "setting ";
    line.append(key).append(": ").append(what).append(" '").append(value).append("'");
    complaints.push_back(std::move(line));
}

void readEmulate(std::string_view text, Settings& settings, Complaints& complaints) {
    settings.emulate = EmulatePolicy::parse(text, complaints);
    settings.emulateText = text;
}

void readBackEnd(std::string_view text, Settings& settings, Complaints& complaints) {
    if (const auto backEnd = rewrite::backEndFromName(text)) {
        settings.backEnd = *backEnd;
    } else if (!text.empty()) {
        complain(complaints, "back_end", "unknown back-end", text);
    }
}

void readLogLevel(std::string_view text, Settings& settings, Complaints& complaints) {
    if (const auto level = logLevelFromName(text)) {
        settings.logLevel = *level;
    } else if (!text.empty()) {
        complain(complaints, "log_level", "unknown level", text);
    }
}

void readBoolean(std::string_view key, std::string_view text, bool& setting,
                 Complaints& complaints) {
    if (const auto value = booleanFromText(text)) {
        setting = *value;
    } else if (!text.empty()) {
        complain(complaints, key, "neither true nor false:", text);
    }
}

// A number and what follows it; nothing if there is no number.
std::optional<uint64_t> takeNumber(std::string_view& text) {
    uint64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(parsed.ptr - text.data()));
    return number;
}

// "64M", "64M,10": bytes with K, M or G behind them; dispatches.
std::optional<DumpedInputs> dumpedInputsFromText(std::string_view text) {
    constexpr std::string_view kUnits = "KMG";
    DumpedInputs inputs;
    const auto bytes = takeNumber(text);
    if (!bytes || *bytes > UINT32_MAX) return std::nullopt;
    inputs.bytes = *bytes;
    const size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.front());
    if (unit != kUnits.npos) {
        inputs.bytes <<= 10 * (unit + 1);
        text.remove_prefix(1);
    }
    if (text.starts_with(',')) {
        text.remove_prefix(1);
        const auto dispatches = takeNumber(text);
        if (!dispatches || *dispatches > UINT32_MAX) return std::nullopt;
        inputs.dispatches = static_cast<uint32_t>(*dispatches);
    }
    return text.empty() ? std::optional(inputs) : std::nullopt;
}

void readDumpInputs(std::string_view text, Settings& settings, Complaints& complaints) {
    if (const auto inputs = dumpedInputsFromText(text)) {
        settings.dumpInputs = *inputs;
    } else if (!text.empty()) {
        complain(complaints, "dump_inputs", "no size, nor a size and a number:", text);
    }
}

void readStatistics(std::string_view text, Settings& settings, Complaints&) {
    const auto value = booleanFromText(text);
    settings.statistics = !value ? expandPath(text) : *value ? "1" : "";
}

void readVendorId(std::string_view text, Settings& settings, Complaints& complaints) {
    settings.shownIds.vendor = idFromText(text);
    if (!settings.shownIds.vendor && !text.empty()) {
        complain(complaints, "vendor_id", "no hexadecimal number:", text);
    }
}

void readDeviceId(std::string_view text, Settings& settings, Complaints& complaints) {
    settings.shownIds.device = idFromText(text);
    if (!settings.shownIds.device && !text.empty()) {
        complain(complaints, "device_id", "no hexadecimal number:", text);
    }
}

void readDriverId(std::string_view text, Settings& settings, Complaints& complaints) {
    settings.shownIds.driver = driverIdFromText(text);
    if (!settings.shownIds.driver && !text.empty()) {
        complain(complaints, "driver_id", "no VkDriverId:", text);
    }
}

constexpr SettingReader kReaders[] = {
    {"emulate", readEmulate},
    {"back_end", readBackEnd},
    {"log_level", readLogLevel},
    {"log_file", [](std::string_view text, Settings& settings,
                    Complaints&) { settings.logFile = expandPath(text); }},
    {"dump_dir", [](std::string_view text, Settings& settings,
                    Complaints&) { settings.dumpDir = expandPath(text); }},
    {"dump_inputs", readDumpInputs},
    {"lines",
     [](std::string_view text, Settings& settings, Complaints& complaints) {
         readBoolean("lines", text, settings.lines, complaints);
     }},
    {"validate_output",
     [](std::string_view text, Settings& settings, Complaints& complaints) {
         readBoolean("validate_output", text, settings.validateOutput, complaints);
     }},
    {"vendor_id", readVendorId},
    {"device_id", readDeviceId},
    {"driver_id", readDriverId},
    {"statistics", readStatistics},
};

void complainOfUnknown(const SettingSet& set, Complaints& complaints) {
    findUnknownVariables(system::environment(), complaints);
    if (const std::string path = settingsFile(); !path.empty()) {
        std::ifstream file(path);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        findUnknownKeys(text, complaints);
    }
    for (const char* name : set.unknown()) complaints.push_back(unknownSetting(name, name));
}

consteval bool readersMatchManifest() {
    // Not findSetting: with GCC's undefined-behaviour sanitizer, a comparison of a pointer into
    // kSettings with null is no constant expression.
    for (const SettingReader& reader : kReaders) {
        if (std::ranges::count(kSettings, reader.key, &SettingInfo::key) != 1) return false;
    }
    return std::size(kReaders) == std::size(kSettings);
}
static_assert(readersMatchManifest(), "manifest/VkLayer_coopvk.json.in lists other settings");

}  // namespace

std::optional<bool> booleanFromText(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower == "1" || lower == "true") return true;
    if (lower == "0" || lower == "false") return false;
    return std::nullopt;
}

std::string_view backEndName(rewrite::BackEnd backEnd) {
    constexpr std::string_view kNames[] = {"auto", "core", "native"};
    return kNames[static_cast<size_t>(backEnd)];
}

std::vector<SettingFound> explainSettings(const ConfiguredSettings& configured) {
    const SettingSet set(nullptr);
    std::vector<SettingFound> found;
    for (const SettingInfo& setting : kSettings) found.push_back(set.find(setting, configured));
    return found;
}

std::vector<std::string> checkSetting(std::string_view key, std::string_view value) {
    std::vector<std::string> complaints;
    const auto* reader = std::ranges::find(kReaders, key, &SettingReader::key);
    Settings unused;
    if (reader != std::end(kReaders)) reader->read(value, unused, complaints);
    return complaints;
}

Settings loadSettings(const VkInstanceCreateInfo* createInfo,
                      std::vector<std::string>& complaints) {
    const SettingSet set(createInfo);
    const ConfiguredSettings configured =
        configuredFor(readConfigurations(), programNames(createInfo));
    complaints.insert(complaints.end(), configured.faults.begin(), configured.faults.end());
    Settings settings;
    for (const SettingReader& reader : kReaders) {
        reader.read(set.find(*findSetting(reader.key), configured).text, settings, complaints);
    }
    complainOfUnknown(set, complaints);
    return settings;
}

}  // namespace coopvk::layer

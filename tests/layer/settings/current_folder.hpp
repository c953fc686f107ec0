// SPDX-License-Identifier: Apache-2.0
//
// A current folder with a settings file that names what to write.
#pragma once

#include "settings/settings_fixture.hpp"

namespace coopvk::layer {

inline constexpr const char* kDataVariable = "XDG_DATA_HOME";

class CurrentFolder : public SettingsTest {
 protected:
    CurrentFolder() {
        useFile(
            "coopvk_emulation.log_level = info\n"
            "coopvk_emulation.log_file = /from/file\n"
            "coopvk_emulation.dump_dir = /from/file\n"
            "coopvk_emulation.dump_inputs = 64M\n"
            "coopvk_emulation.statistics = /from/file\n");
        if (const char* data = std::getenv(kDataVariable)) before_ = data;
        setenv(kDataVariable, (folder / "none").c_str(), 1);
        unsetenv("VK_LAYER_SETTINGS_PATH");
        std::filesystem::current_path(folder);
    }
    ~CurrentFolder() override {
        std::filesystem::current_path(start_);
        before_.empty() ? unsetenv(kDataVariable) : setenv(kDataVariable, before_.c_str(), 1);
    }

 private:
    const std::filesystem::path start_ = std::filesystem::current_path();
    std::string before_;
};

}  // namespace coopvk::layer

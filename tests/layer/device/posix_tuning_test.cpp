// SPDX-License-Identifier: Apache-2.0
//
// Profiles of `coopvk tune`: which ones the layer uses, and what it says of others.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "device/device_facts.hpp"
#include "device/tuning.hpp"
#include "settings/settings.hpp"

namespace coopvk::layer::tuning_test {
namespace {

using nlohmann::ordered_json;

class ProfileTest : public testing::Test {
 protected:
    ProfileTest() {
        setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
        facts.ids.vendor = 0x10de;
        facts.ids.device = 0x2335;
        facts.ids.driver = VK_DRIVER_ID_NVIDIA_PROPRIETARY;
        facts.properties.driverVersion = 580;
        facts.traits.name = "a GPU";
    }
    ~ProfileTest() override {
        std::filesystem::remove_all(folder);
        old.empty() ? unsetenv("XDG_CONFIG_HOME") : setenv("XDG_CONFIG_HOME", old.c_str(), 1);
    }
    ordered_json profile(const char* choices = "slice=4,sums=closed") const {
        ordered_json json = profileKey(facts);
        json["tuning"] = choices;
        return json;
    }
    DeviceTuning with(const std::string& text) const {
        const std::filesystem::path path = profilePath(facts);
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return tuningFor(settings, facts);
    }

    const std::string old = getenv("XDG_CONFIG_HOME") == nullptr ? "" : getenv("XDG_CONFIG_HOME");
    const std::string folder = testing::TempDir() + "profiles-" + std::to_string(getpid());
    DeviceFacts facts;
    Settings settings;
};

TEST_F(ProfileTest, IsUsedForItsDevice) {
    EXPECT_EQ(profilePath(facts).filename(), "10de-2335-4.json");
    EXPECT_EQ(textOf(tuningFor(settings, facts)), "");  // there is none yet
    const DeviceTuning tuning = with(profile().dump());
    EXPECT_EQ(tuning.choices.sliceDepth, 4u);
    EXPECT_EQ(tuning.choices.openSums, false);
    EXPECT_EQ(tuning.ignored, "");
    EXPECT_EQ(textOf(tuning), "tuned by " + profilePath(facts).string() + ": slice=4,sums=closed");
    EXPECT_EQ(textOf(with(profile("").dump())),
              "tuned by " + profilePath(facts).string() + ": the usual choices are the fastest");
}

// Each part of the key, and each kind of damage. No choice of such a file counts.
TEST_F(ProfileTest, OthersAreIgnored) {
    std::vector<std::pair<std::string, std::string>> rows = {
        {"", "damaged"}, {"{", "damaged"}, {"[]", "damaged"}, {"null", "damaged"}};
    const ordered_json key = profileKey(facts);
    for (const auto& [name, value] : key.items()) {
        ordered_json other = profile();
        other[name] = value.is_string() ? ordered_json("x") : ordered_json(7);
        rows.emplace_back(other.dump(), "it was made for another " + name + ": " +
                                            other[name].dump() + ", not " + value.dump());
        other[name] = ordered_json::array({ordered_json::array()});
        rows.emplace_back(other.dump(), "'" + name + "' is no number or text");
        other[name] = nullptr;
        rows.emplace_back(other.dump(), "another " + name);
        other.erase(name);
        rows.emplace_back(other.dump(), "no '" + name + "'");
    }
    EXPECT_EQ(rows.size(), 4u + 4 * 7);
    ordered_json json = profile();
    for (const ordered_json& wrong :
         {ordered_json(), ordered_json(3), ordered_json("slice=3"), ordered_json("\x1b[0m=1")}) {
        json["tuning"] = wrong;
        rows.emplace_back(json.dump(), "damaged");
    }
    json.erase("tuning");
    rows.emplace_back(json.dump(), "damaged");
    rows.emplace_back(profile().dump().substr(0, 100), "damaged");
    for (const auto& [text, why] : rows) {
        const DeviceTuning tuning = with(text);
        EXPECT_EQ(tuning.choices, rewrite::MatrixTuning()) << text;
        EXPECT_NE(tuning.ignored.find(why), std::string::npos) << tuning.ignored << ": " << text;
        EXPECT_EQ(tuning.ignored.find('\x1b'), std::string::npos);
        EXPECT_TRUE(textOf(tuning).starts_with(profilePath(facts).string() + " is ignored: "));
    }
}

TEST_F(ProfileTest, SettingsDecide) {
    settings.readsProfile = false;
    EXPECT_EQ(textOf(with(profile().dump())), "");
    settings.tuning.sliceDepth = 8;
    EXPECT_EQ(textOf(with(profile().dump())), "tuned by the setting tuning: slice=8");
    settings.tuning = {};
    settings.readsProfile = true;
    settings.numerics = rewrite::Numerics::kSame;
    const DeviceTuning tuning = with(profile().dump());
    EXPECT_EQ(tuning.choices, rewrite::MatrixTuning());
    EXPECT_NE(tuning.ignored.find("numerics"), std::string::npos);
}

TEST(ChoicesAt, AGridHasNoMoreRowsThanLanes) {
    rewrite::MatrixTuning choices;
    choices.gridRows = 16;
    choices.sliceDepth = 4;
    EXPECT_EQ(choicesAt(choices, 16), choices);
    rewrite::MatrixTuning others;
    others.sliceDepth = 4;
    EXPECT_EQ(choicesAt(choices, 8), others);
    EXPECT_EQ(choicesAt(others, 4), others);
}

}  // namespace
}  // namespace coopvk::layer::tuning_test

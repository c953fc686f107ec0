// SPDX-License-Identifier: Apache-2.0
//
// Values at their limits, and names that are nearly those of settings.
#include <gtest/gtest.h>

#include "settings/settings.hpp"
#include "settings/settings_fixture.hpp"
#include "settings/unknown_settings.hpp"

namespace coopvk::layer::setting_values_test {
namespace {

TEST(SettingValues, AmountsOf64Bits) {
    EXPECT_EQ(stepsFromText("18446744073709551615"), UINT64_MAX);
    EXPECT_EQ(stepsFromText("18446744073709551616"), std::nullopt);
    EXPECT_EQ(stepsFromText("18446744073709551K"), 18446744073709551000u);
    EXPECT_EQ(stepsFromText("18446744073709552K"), std::nullopt);
    EXPECT_EQ(stepsFromText("18446744073G"), 18446744073000000000u);
    EXPECT_EQ(stepsFromText("18446744074G"), std::nullopt);
}

// Up to three letters that are changed, missing or too many.
TEST(SettingValues, TheNameThatIsMeant) {
    for (const char* name : {"emilete", "xmxlatx", "emul", "emulates", "emulatexxx"}) {
        EXPECT_NE(unknownSetting(name, name).find("did you mean 'emulate'?"), std::string::npos)
            << name;
    }
    for (const char* name : {"xmxlxtx", "emulatexxxx"}) {
        EXPECT_EQ(unknownSetting(name, name).find("did you mean 'emulate'?"), std::string::npos)
            << name;
    }
}

TEST_F(SettingsTest, AValueBehindAByteOrderMark) {
    for (const char* line :
         {"coopvk_emulation.log_level=error\n", "coopvk_emulation.log_level = error # as ever\n"}) {
        useFile(std::string("\xef\xbb\xbf") + line);
        EXPECT_EQ(settingsFile().markedValue("log_level"), "error") << line;
        EXPECT_EQ(load().logLevel, LogLevel::kError) << line;
    }
}

}  // namespace
}  // namespace coopvk::layer::setting_values_test

// SPDX-License-Identifier: Apache-2.0
#include "settings/configuration.hpp"

#include <gtest/gtest.h>

#include "system/system.hpp"

namespace coopvk::layer::configuration_test {
namespace {

constexpr const SettingInfo& kEmulate = *findSetting("emulate");
constexpr const SettingInfo& kLogLevel = *findSetting("log_level");
constexpr const SettingInfo& kDumpDir = *findSetting("dump_dir");

ConfiguredSettings forProgram(std::string_view text, const ProgramNames& names) {
    const ConfigurationFile file = parseConfiguration("f", text);
    return configuredFor(std::span(&file, 1), names);
}

std::string valueOf(const ConfiguredSettings& settings, const SettingInfo& setting) {
    return settings[setting] ? settings[setting]->text : "(none)";
}

const ProgramNames kBench = {"llama-bench", "", "ggml", "llama.cpp"};

TEST(Configuration, Sections) {
    constexpr std::string_view kText =
        "# a comment\n"
        "log_level=info # another\r\n"
        "\n"
        "  [ exe =  llama-* ]  # its programs\n"
        "\tenable = true\n"
        "emulate = VK_KHR_cooperative_matrix, VK_NV_cooperative_vector\n"
        "[exe = whisper]\n"
        "dump_dir = /a = b";
    EXPECT_TRUE(parseConfiguration("f", kText).faults().empty());
    const auto bench = forProgram(kText, kBench);
    EXPECT_EQ(valueOf(bench, kLogLevel), "info");
    EXPECT_EQ(bench[kLogLevel]->origin, "f:2");
    EXPECT_EQ(valueOf(bench, kEmulate), "VK_KHR_cooperative_matrix, VK_NV_cooperative_vector");
    EXPECT_EQ(bench[kEmulate]->origin, "f:6");
    EXPECT_EQ(valueOf(bench, kDumpDir), "(none)");
    EXPECT_TRUE(bench.isEnabled());
    EXPECT_EQ(bench.enable->origin, "f:5");

    const auto whisper = forProgram(kText, {"whisper", "", "", ""});
    EXPECT_EQ(valueOf(whisper, kLogLevel), "info");
    EXPECT_EQ(valueOf(whisper, kEmulate), "(none)");
    EXPECT_EQ(valueOf(whisper, kDumpDir), "/a = b");
    EXPECT_FALSE(whisper.isEnabled());
}

TEST(Configuration, ByteOrderMark) {
    constexpr std::string_view kText = "\xef\xbb\xbf[exe = llama-bench]\r\nenable = true\r\n";
    EXPECT_TRUE(parseConfiguration("f", kText).faults().empty());
    EXPECT_TRUE(forProgram(kText, kBench).isEnabled());
}

TEST(Configuration, Conditions) {
    const ProgramNames game = {"wine64-preloader", "Witcher3.exe", "vkd3d", "D3D12 App"};
    struct Row {
        const char* section;
        bool bench, game;
    };
    for (const Row& row : {
             Row{"[exe = llama-bench]", true, false},
             Row{"[exe = llama-benc]", false, false},
             Row{"[exe = LLAMA-BENCH]", system::kFileNamesIgnoreCase, false},
             Row{"[exe = llama-[a-c]ench]", true, false},
             Row{"[exe = *]", true, true},
             Row{"[exe = llama?bench]", true, false},
             Row{"[exe=llama-bench,engine=ggml]", true, false},
             Row{"[exe = llama-bench, engine = vkd3d]", false, false},
             Row{"[engine = ggml]", true, false},
             Row{"[application = llama*]", true, false},
             Row{"[application = D3D12 App]", false, true},
             Row{"[wine = witcher3.exe]", false, true},  // as Windows takes names
             Row{"[wine = *]", false, true},
             Row{"[wine = witcher3]", false, false},
         }) {
        const std::string text = std::string(row.section) + "\nenable = 1\n";
        EXPECT_TRUE(parseConfiguration("f", text).faults().empty()) << row.section;
        EXPECT_EQ(forProgram(text, kBench).isEnabled(), row.bench) << row.section;
        EXPECT_EQ(forProgram(text, game).isEnabled(), row.game) << row.section;
    }
    const auto engine = parseConfiguration("f", "[exe = a, engine = b]\n").sections[1];
    EXPECT_FALSE(holdsFor(engine, {"a", "", "", ""}));
    EXPECT_TRUE(mayHoldFor(engine, {"a", "", "", ""}));
    EXPECT_FALSE(mayHoldFor(engine, {"c", "", "", ""}));
}

TEST(Configuration, LaterLinesAndFilesWin) {
    const ConfigurationFile files[] = {
        parseConfiguration("system",
                           "log_level = error\n"
                           "[exe = *]\nenable = true\nemulate = all\ndump_dir = /system\n"),
        parseConfiguration("user",
                           "log_level = warn\n"
                           "[exe = llama-*]\nlog_level = info\nenable = false\n"
                           "[engine = ggml]\nlog_level = debug\n[exe = other]\nemulate = auto\n"),
    };
    const auto bench = configuredFor(files, kBench);
    EXPECT_EQ(valueOf(bench, kLogLevel), "debug");
    EXPECT_EQ(bench[kLogLevel]->origin, "user:6");
    EXPECT_EQ(valueOf(bench, kEmulate), "all");
    EXPECT_EQ(valueOf(bench, kDumpDir), "/system");
    EXPECT_FALSE(bench.isEnabled());
    const auto other = configuredFor(files, {"other", "", "", ""});
    EXPECT_EQ(valueOf(other, kLogLevel), "warn");
    EXPECT_EQ(valueOf(other, kEmulate), "auto");
    EXPECT_TRUE(other.isEnabled());
}

// Each fault is logged with its line; the rest of the file applies.
TEST(Configuration, Faults) {
    struct Row {
        const char* line;
        const char* fault;  // a part of it
    };
    for (const Row& row : {
             Row{"emulat = all", "there is no such setting; did you mean 'emulate'?"},
             Row{"nonsense = 1", "setting nonsense: there is no such setting"},
             Row{"log_level", "neither 'key = value' nor '[section]': 'log_level'"},
             Row{"log_level = loud", "unknown level 'loud'"},
             Row{"back_end = gpu", "unknown back-end 'gpu'"},
             Row{"validate_output = perhaps", "neither true nor false"},
             Row{"emulate = VK_XYZ_nothing", "VK_XYZ_nothing"},
             Row{"enable = maybe", "enable: neither true nor false: 'maybe'"},
             Row{" = all", "there is no such setting"},
             Row{"\x1b[31m = all", "setting \\x1b[31m: "},
         }) {
        const std::string text = std::string("[exe = llama-bench]\nenable = true\n") + row.line +
                                 "\ndump_dir = /x\n[exe = a]\nlog_level = info\n";
        const auto faults = parseConfiguration("path/file", text).faults();
        ASSERT_EQ(faults.size(), 1u) << row.line;
        EXPECT_TRUE(faults[0].starts_with("path/file:3: ")) << faults[0];
        EXPECT_NE(faults[0].find(row.fault), std::string::npos) << faults[0];
        const auto bench = forProgram(text, kBench);
        EXPECT_EQ(valueOf(bench, kDumpDir), "/x");
        EXPECT_EQ(valueOf(bench, kLogLevel), "(none)");
        EXPECT_EQ(valueOf(bench, kEmulate), "(none)");
        EXPECT_EQ(bench.faults.size(), 1u);
        // Programs that the section does not match log nothing about it.
        EXPECT_TRUE(forProgram(text, {"a", "", "", ""}).faults.empty());
    }
}

TEST(Configuration, BrokenSections) {
    for (const char* title : {"[exe = a", "[]", "[a]", "[name = a]", "[exe =]", "[exe = a,]",
                              "[exe = a; engine = b]x", "[", "[= a]"}) {
        const std::string text = std::string(title) + "\nenable = true\nnonsense = 1\n";
        const ConfigurationFile file = parseConfiguration("f", text);
        EXPECT_EQ(file.faults().size(), 2u) << title;
        // In every program, since nobody knows for which one it was meant.
        const auto any = configuredFor(std::span(&file, 1), {"a", "a.exe", "a", "a"});
        EXPECT_FALSE(any.isEnabled()) << title;
        ASSERT_EQ(any.faults.size(), 1u) << title;
        EXPECT_TRUE(any.faults[0].starts_with("f:1: ")) << any.faults[0];
        EXPECT_NE(any.faults[0].find("section"), std::string::npos) << any.faults[0];
    }
}

TEST(Configuration, EnableIsForSections) {
    const ConfigurationFile file = parseConfiguration("f", "enable = true\n");
    ASSERT_EQ(file.faults().size(), 1u);
    EXPECT_TRUE(file.faults()[0].starts_with("f:1: enable must be in a section"));
    EXPECT_FALSE(configuredFor(std::span(&file, 1), kBench).isEnabled());
}

TEST(Configuration, WindowsPrograms) {
    using namespace std::string_view_literals;
    struct Row {
        std::string_view exe, arguments;
        const char* program;
    };
    for (const Row& row : {
             Row{"wine64-preloader", "C:\\Games\\A b\\Game.EXE\0-dx12\0"sv, "Game.EXE"},
             Row{"wine-preloader", "/usr/bin/wine\0./game.exe\0"sv, "game.exe"},
             Row{"wine64", "wine64\0Z:\\a\\launcher.exe\0game.exe\0"sv, "launcher.exe"},
             Row{"wine", "wine\0notepad"sv, ""},
             Row{"wine", "C:\\.exe\0"sv, ""},
             Row{"wine", ""sv, ""},
             Row{"bash", "bash\0game.exe\0"sv, ""},
         }) {
        EXPECT_EQ(windowsProgram(row.exe, row.arguments), row.program) << row.arguments;
    }
}

TEST(Configuration, NamesOfThisProcess) {
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    EXPECT_EQ(programNames(nullptr).exe, COOPVK_LAYER_TESTS);
    EXPECT_EQ(programNames(&info).engine, "");
    application.pEngineName = "an engine";
    application.pApplicationName = "an application";
    const ProgramNames names = programNames(&info);
    EXPECT_EQ(names.exe, COOPVK_LAYER_TESTS);
    EXPECT_EQ(names.wine, "");
    EXPECT_EQ(names.engine, "an engine");
    EXPECT_EQ(names.application, "an application");
}

}  // namespace
}  // namespace coopvk::layer::configuration_test

// SPDX-License-Identifier: Apache-2.0
#include "config/saved_section.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "settings/configuration.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

const SavedLines kLines = {{"enable", "true"}, {"emulate", "all"}};

// The settings that programs get from a saved text.
layer::ConfiguredSettings find(const std::string& text, const layer::ProgramNames& names) {
    const auto file = layer::parseConfiguration("f", text);
    EXPECT_TRUE(file.faults().empty()) << text;
    return layer::configuredFor(std::span(&file, 1), names);
}

TEST(SavedSection, Texts) {
    struct Row {
        const char *before, *after;
    };
    for (const Row& row : {
             Row{"", "[exe = a]\nenable = true\nemulate = all\n"},
             Row{"log_level = info",
                 "log_level = info\n\n[exe = a]\nenable = true\nemulate = all\n"},
             // Replaces the settings of the same section; comments and other sections stay.
             Row{"# top\n[exe = a]\n# why\nback_end = core\nenable = false\n\n[exe = b]\n"
                 "enable = false\n",
                 "# top\n[exe = a]\nenable = true\nemulate = all\n# why\n\n[exe = b]\n"
                 "enable = false\n"},
             // If there are several, the last one applies.
             Row{"[exe = a]\nback_end = core\n[exe = a]\nback_end = native\n",
                 "[exe = a]\nback_end = core\n[exe = a]\nenable = true\nemulate = all\n"},
             Row{"[exe = a, engine = b]\nenable = false\n",
                 "[exe = a, engine = b]\nenable = false\n\n[exe = a]\nenable = true\nemulate = "
                 "all\n"},
         }) {
        const std::string text = withSection(row.before, "[exe = a]", kLines);
        EXPECT_EQ(text, row.after);
        EXPECT_EQ(withSection(text, "[exe = a]", kLines), text) << "not the same when saved twice";
        EXPECT_TRUE(find(text, {"a", "", "", ""}).isEnabled());
    }
}

// Whatever a program's name is, its section matches it.
TEST(SavedSection, NamesMatchThemselves) {
    for (const layer::ProgramNames& names :
         {layer::ProgramNames{"plain-1.2_3", "", "", ""},
          {"a b", "", "", ""},
          {"a*[b]?,c#d\\e=f", "", "", ""},
          {"x\ty", "", "", ""},
          {"wine64-preloader", "Game, the [second].exe", "", ""}}) {
        const std::string text = withSection("", sectionOf(names), kLines);
        EXPECT_TRUE(find(text, names).isEnabled()) << text;
        EXPECT_FALSE(find(text, {"other", "other.exe", "", ""}).isEnabled()) << text;
    }
    EXPECT_EQ(sectionOf({"wine", "a.exe", "", ""}), "[wine = a.exe]");
}

TEST(SavedSection, ProgramsOfAReport) {
    const auto programs = programsOf(
        "instance\t1\tname\nprogram\t1\tname\tpython3.12\t\ndecision\t1\tname\tGPU\tVK_"
        "X\tnative\ty\n"
        "program\t2\tname\tpython3.12\t\nprogram\t3\tname\twine\ta.exe\nprogram\t4\tcut\n");
    ASSERT_EQ(programs.size(), 2u);
    EXPECT_EQ(programs[0].exe, "python3.12");
    EXPECT_EQ(programs[1].wine, "a.exe");
}

class SavedFile : public testing::Test {
 protected:
    SavedFile() : folder(fs::temp_directory_path() / ("coopvk-save-" + std::to_string(getpid()))) {
        fs::create_directories(folder);
    }
    ~SavedFile() override { fs::remove_all(folder); }

    static std::string textOf(const fs::path& path) {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    fs::path folder;
};

TEST_F(SavedFile, IsMadeAndReplaced) {
    const fs::path path = folder / "new/coopvk/coopvk.conf";
    const layer::ProgramNames named = {"named", "", "", ""};
    const auto first = saveSections({}, named, kLines, path);
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(textOf(path), "[exe = named]\nenable = true\nemulate = all\n");
    const auto second = saveSections({{"a", "", "", ""}}, named, kLines, path);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->size(), 1u);
    EXPECT_TRUE(find(textOf(path), named).isEnabled());
    EXPECT_TRUE(find(textOf(path), {"a", "", "", ""}).isEnabled());
    EXPECT_EQ(std::distance(fs::directory_iterator(path.parent_path()), {}), 1);
}

TEST_F(SavedFile, WhatCannotBe) {
    const layer::ProgramNames named = {"named", "", "", ""};
    EXPECT_FALSE(saveSections({}, named, {{"log_file", "/a#b"}}, folder / "f"));
    EXPECT_FALSE(fs::exists(folder / "f"));
    EXPECT_FALSE(saveSections({}, named, kLines, ""));
    std::ofstream(folder / "file") << "x";
    EXPECT_FALSE(saveSections({}, named, kLines, folder / "file/coopvk.conf"));
    // What cannot be read is not replaced.
    std::ofstream(folder / "large") << std::string(size_t{2} << 20, '#');
    EXPECT_FALSE(saveSections({}, named, kLines, folder / "large"));
    EXPECT_EQ(fs::file_size(folder / "large"), size_t{2} << 20);
}

}  // namespace
}  // namespace coopvk::tool

// SPDX-License-Identifier: Apache-2.0
//
// A configuration file that is a link, on systems where users make them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "config/saved_section.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

// If the file is a link, the file that it points to is changed, and keeps its rights.
TEST(SavedLink, LinksAndRights) {
    const fs::path folder = fs::temp_directory_path() / ("coopvk-link-" + std::to_string(getpid()));
    fs::create_directories(folder);
    const fs::path real = folder / "real.conf", link = folder / "coopvk.conf";
    std::ofstream(real) << "log_level = info\n";
    fs::permissions(real, fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    fs::create_symlink(real, link);
    ASSERT_TRUE(replaceFile(link, "text\n"));
    EXPECT_TRUE(fs::is_symlink(link));
    std::ostringstream text;
    text << std::ifstream(real).rdbuf();
    EXPECT_EQ(text.str(), "text\n");
    EXPECT_EQ(fs::status(real).permissions(),
              fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
    fs::remove_all(folder);
}

}  // namespace
}  // namespace coopvk::tool

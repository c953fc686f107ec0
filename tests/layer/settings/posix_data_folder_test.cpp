// SPDX-License-Identifier: Apache-2.0
#include "settings/current_folder.hpp"

namespace coopvk::layer::posix_data_folder_test {
namespace {

// A relative path makes it the user's data folder.
TEST_F(CurrentFolder, AsDataFolder) {
    std::filesystem::create_directories("vulkan/settings.d");
    std::filesystem::copy("vk_layer_settings.txt", "vulkan/settings.d");
    setenv(kDataVariable, ".", 1);
    EXPECT_EQ(load().logFile, "");
    EXPECT_EQ(complaints.size(), 4u);
    setenv(kDataVariable, folder.c_str(), 1);
    EXPECT_EQ(load().logFile, "/from/file");
}

}  // namespace
}  // namespace coopvk::layer::posix_data_folder_test

// SPDX-License-Identifier: Apache-2.0
#include "report/messenger.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace coopvk::layer::messenger_test {
namespace {

struct Report {
    VkDebugReportFlagsEXT flags;
    VkDebugReportObjectTypeEXT type;
    uint64_t object, location;
    int32_t code;
    std::string prefix, message;
    bool operator==(const Report&) const = default;
};
using Reports = std::vector<Report>;

VKAPI_ATTR VkBool32 VKAPI_CALL keep(VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT type,
                                    uint64_t object, size_t location, int32_t code,
                                    const char* prefix, const char* message, void* data) {
    static_cast<Reports*>(data)->push_back({flags, type, object, location, code, prefix, message});
    return VK_FALSE;
}

Reports& reports() {
    static Reports all;
    return all;
}

VKAPI_ATTR void VKAPI_CALL report(VkInstance, VkDebugReportFlagsEXT flags,
                                  VkDebugReportObjectTypeEXT type, uint64_t object, size_t location,
                                  int32_t code, const char* prefix, const char* message) {
    keep(flags, type, object, location, code, prefix, message, &reports());
}

constexpr auto kInstance = VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT;
constexpr auto kWarning = VK_DEBUG_REPORT_WARNING_BIT_EXT;
constexpr auto kError = VK_DEBUG_REPORT_ERROR_BIT_EXT;

// A callback hears what its flags name, and nothing else.
TEST(Messengers, FlagsOfReportCallbacks) {
    Reports heard;
    VkDebugReportCallbackCreateInfoEXT callback = {
        VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT};
    callback.pfnCallback = keep;
    callback.pUserData = &heard;
    const VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &callback};
    CreationMessenger messenger(info);
    callback.flags =
        VK_DEBUG_REPORT_INFORMATION_BIT_EXT | VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT;
    messenger.heard(LogLevel::kWarn, "w");
    messenger.heard(LogLevel::kError, "e");
    EXPECT_TRUE(heard.empty());
    callback.flags = kWarning;
    messenger.heard(LogLevel::kError, "e");
    messenger.heard(LogLevel::kWarn, "w");
    messenger.heard(LogLevel::kInfo, "i");
    EXPECT_EQ(heard, (Reports{{kWarning, kInstance, 0, 0, 0, "coopvk", "w"}}));
}

// Where there is only VK_EXT_debug_report.
TEST(Messengers, ReportsOfAnInstance) {
    reports().clear();
    VkuInstanceDispatchTable next = {};
    next.DebugReportMessageEXT = report;
    Messenger messenger;
    messenger.connect(reinterpret_cast<VkInstance>(uint64_t{7}), next);
    messenger.heard(LogLevel::kError, "e");
    EXPECT_EQ(reports(), (Reports{{kError, kInstance, 7, 0, 0, "coopvk", "e"}}));
}

}  // namespace
}  // namespace coopvk::layer::messenger_test

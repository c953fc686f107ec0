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

std::string& submitted() {
    static std::string all;
    return all;
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

struct Message {
    VkDebugUtilsMessageSeverityFlagBitsEXT severity;
    VkDebugUtilsMessageTypeFlagsEXT types;
    std::string id, text;
    bool operator==(const Message&) const = default;
};
using Messages = std::vector<Message>;

VKAPI_ATTR VkBool32 VKAPI_CALL keepMessage(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                           VkDebugUtilsMessageTypeFlagsEXT types,
                                           const VkDebugUtilsMessengerCallbackDataEXT* message,
                                           void* data) {
    static_cast<Messages*>(data)->push_back(
        {severity, types, message->pMessageIdName, message->pMessage});
    return VK_FALSE;
}

// A messenger hears what it names both the severity and the type of.
TEST(Messengers, SeveritiesAndTypesOfMessengers) {
    constexpr auto kErrors = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    constexpr auto kWarnings = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
    constexpr auto kGeneral = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    constexpr VkDebugUtilsMessageSeverityFlagsEXT kOthers =
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT |
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
    constexpr VkDebugUtilsMessageTypeFlagsEXT kOtherTypes =
        VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
        VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    const Message error = {kErrors, kGeneral, "coopvk", "e"};
    const Message warning = {kWarnings, kGeneral, "coopvk", "w"};
    struct {
        VkDebugUtilsMessageSeverityFlagsEXT severities;
        VkDebugUtilsMessageTypeFlagsEXT types;
        Messages expected;
    } const rows[] = {
        {kErrors | kWarnings, kGeneral, {error, warning}},
        {kErrors, kGeneral | kOtherTypes, {error}},
        {kWarnings | kOthers, kGeneral, {warning}},
        {kOthers, kGeneral, {}},
        {kErrors | kWarnings, kOtherTypes, {}},
    };
    for (const auto& row : rows) {
        Messages heard;
        VkDebugUtilsMessengerCreateInfoEXT callback = {
            VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
        callback.messageSeverity = row.severities;
        callback.messageType = row.types;
        callback.pfnUserCallback = keepMessage;
        callback.pUserData = &heard;
        const VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, &callback};
        CreationMessenger messenger(info);
        messenger.heard(LogLevel::kError, "e");
        messenger.heard(LogLevel::kWarn, "w");
        messenger.heard(LogLevel::kInfo, "i");
        messenger.heard(LogLevel::kDebug, "d");
        EXPECT_EQ(heard, row.expected) << row.severities << ' ' << row.types;
    }
}

VKAPI_ATTR void VKAPI_CALL submit(VkInstance instance,
                                  VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                  VkDebugUtilsMessageTypeFlagsEXT types,
                                  const VkDebugUtilsMessengerCallbackDataEXT* message) {
    EXPECT_EQ(instance, reinterpret_cast<VkInstance>(uint64_t{7}));
    EXPECT_EQ(severity, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT);
    EXPECT_EQ(types, VkFlags{VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT});
    EXPECT_EQ(message->sType, VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT);
    submitted() += std::string(message->pMessageIdName) + ": " + message->pMessage + "\n";
}

// By VK_EXT_debug_utils alone where there is both; nowhere where there is neither.
TEST(Messengers, MessagesOfAnInstance) {
    for (const bool hasReports : {true, false}) {
        reports().clear();
        submitted().clear();
        VkuInstanceDispatchTable next = {};
        next.SubmitDebugUtilsMessageEXT = submit;
        if (hasReports) next.DebugReportMessageEXT = report;
        Messenger messenger;
        messenger.heard(LogLevel::kWarn, "before");
        messenger.connect(reinterpret_cast<VkInstance>(uint64_t{7}), next);
        messenger.heard(LogLevel::kWarn, "w");
        messenger.heard(LogLevel::kInfo, "i");
        EXPECT_EQ(submitted(), "coopvk: w\n");
        EXPECT_TRUE(reports().empty());
    }
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

// SPDX-License-Identifier: Apache-2.0
#include "report/messenger.hpp"

#include <string>

#include "chain/pnext.hpp"

namespace coopvk::layer {
namespace {

constexpr const char* kPrefix = "coopvk";

VkDebugUtilsMessageSeverityFlagBitsEXT severityOf(LogLevel level) {
    return level == LogLevel::kError ? VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT
                                     : VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
}

VkDebugReportFlagsEXT reportFlagsOf(LogLevel level) {
    return level == LogLevel::kError ? VK_DEBUG_REPORT_ERROR_BIT_EXT
                                     : VK_DEBUG_REPORT_WARNING_BIT_EXT;
}

constexpr VkDebugUtilsMessageTypeFlagBitsEXT kType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;

VkDebugUtilsMessengerCallbackDataEXT dataOf(const std::string& text) {
    VkDebugUtilsMessengerCallbackDataEXT data = {
        VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT};
    data.pMessageIdName = kPrefix;
    data.pMessage = text.c_str();
    return data;
}

bool isComplaint(LogLevel level) { return level == LogLevel::kError || level == LogLevel::kWarn; }

void tell(const VkDebugUtilsMessengerCreateInfoEXT& messenger, LogLevel level,
          const std::string& text) {
    const auto severity = severityOf(level);
    if ((messenger.messageSeverity & severity) == 0 || (messenger.messageType & kType) == 0) return;
    VkDebugUtilsMessengerCallbackDataEXT data = dataOf(text);
    messenger.pfnUserCallback(severity, kType, &data, messenger.pUserData);
}

void tell(const VkDebugReportCallbackCreateInfoEXT& callback, LogLevel level,
          const std::string& text) {
    const auto flags = reportFlagsOf(level);
    if ((callback.flags & flags) == 0) return;
    callback.pfnCallback(flags, VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT, 0, 0, 0, kPrefix,
                         text.c_str(), callback.pUserData);
}

}  // namespace

void Messenger::connect(VkInstance instance, const VkuInstanceDispatchTable& next) {
    instance_ = instance;
    submit_ = next.SubmitDebugUtilsMessageEXT;
    report_ = next.DebugReportMessageEXT;
}

void Messenger::heard(LogLevel level, std::string_view text) noexcept {
    if (!isComplaint(level) || (submit_ == nullptr && report_ == nullptr)) return;
    try {
        const std::string message(text);
        if (submit_ != nullptr) {
            VkDebugUtilsMessengerCallbackDataEXT data = dataOf(message);
            submit_(instance_, severityOf(level), kType, &data);
        } else {
            report_(instance_, reportFlagsOf(level), VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT,
                    reinterpret_cast<uint64_t>(instance_), 0, 0, kPrefix, message.c_str());
        }
    } catch (...) {
        // The log has it.
    }
}

void CreationMessenger::heard(LogLevel level, std::string_view text) noexcept {
    if (!isComplaint(level)) return;
    try {
        const std::string message(text);
        const auto* node = static_cast<const VkBaseInStructure*>(info_.pNext);
        for (; node != nullptr; node = node->pNext) {
            if (node->sType == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT) {
                tell(*reinterpret_cast<const VkDebugUtilsMessengerCreateInfoEXT*>(node), level,
                     message);
            }
            if (node->sType == VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT) {
                tell(*reinterpret_cast<const VkDebugReportCallbackCreateInfoEXT*>(node), level,
                     message);
            }
        }
    } catch (...) {
    }
}

}  // namespace coopvk::layer

// SPDX-License-Identifier: Apache-2.0
//
// Passes errors and warnings to the application's messengers (VK_EXT_debug_utils) and report
// callbacks (VK_EXT_debug_report), whatever the log's level is.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <string_view>

#include "report/log.hpp"

namespace coopvk::layer {

// To those that the application created. The loader knows them all, so the layer submits its lines
// as an application submits its own messages: by vkSubmitDebugUtilsMessageEXT, which also calls
// report callbacks, or by vkDebugReportMessageEXT if there is only that.
class Messenger : public LogListener {
 public:
    void connect(VkInstance instance, const VkuInstanceDispatchTable& next);
    void heard(LogLevel level, std::string_view text) noexcept override;

 private:
    VkInstance instance_ = VK_NULL_HANDLE;
    PFN_vkSubmitDebugUtilsMessageEXT submit_ = nullptr;
    PFN_vkDebugReportMessageEXT report_ = nullptr;
};

// To those of the instance's chain, which get messages while the instance is created.
class CreationMessenger : public LogListener {
 public:
    explicit CreationMessenger(const VkInstanceCreateInfo& info) : info_(info) {}
    void heard(LogLevel level, std::string_view text) noexcept override;

 private:
    const VkInstanceCreateInfo& info_;
};

}  // namespace coopvk::layer

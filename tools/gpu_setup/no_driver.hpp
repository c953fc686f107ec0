// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace coopvk::vulkan {

struct NoDriver {
    std::string what, advice;
};

// Why the loader may find no driver that starts.
inline NoDriver noDriver() {
#ifdef _WIN32
    constexpr char kSeparator = ';';
#else
    constexpr char kSeparator = ':';
#endif
    // The loader reads only the first of them that is set.
    for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
        const char* value = std::getenv(variable);
        if (value == nullptr || *value == '\0') continue;
        const std::string name = variable;
        for (std::string_view rest = value; !rest.empty();) {
            const std::string_view path = rest.substr(0, rest.find(kSeparator));
            rest.remove_prefix(path.size() == rest.size() ? rest.size() : path.size() + 1);
            std::error_code error;
            if (!path.empty() && !std::filesystem::exists(std::filesystem::path(path), error))
                return {name + " names " + std::string(path) + ", and there is no such file",
                        "unset " + name + ", or set it to a driver's file"};
        }
        return {"no Vulkan driver could be started of those that " + name + " names: " + value,
                "unset " + name + ", or set it to a driver's file"};
    }
    return {"no Vulkan driver could be started",
            "install a Vulkan driver with which vulkaninfo works"};
}

}  // namespace coopvk::vulkan

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <system_error>

namespace coopvk::tool {

// Replaces a file by another one, so that nobody ever finds a part of it, whenever this process
// ends. False if that fails.
inline bool replaceFile(const std::filesystem::path& path, std::string_view bytes) {
    const std::filesystem::path other = path.string() + ".new";
    {
        std::ofstream file(other, std::ios::binary);
        file << bytes;
        if (!file.flush()) return false;
    }
    std::error_code error;
    std::filesystem::rename(other, path, error);
    return !error;
}

// The first of these files that cannot be written, or nothing; "" is no file. For what takes long,
// before it does.
inline std::string firstUnwritable(std::initializer_list<std::string> paths) {
    for (const std::string& path : paths) {
        if (path.empty()) continue;
        std::error_code error;
        const bool isNew = !std::filesystem::exists(path, error);
        if (!std::ofstream(path, std::ios::app)) return path;
        if (isNew) std::filesystem::remove(path, error);
    }
    return {};
}

}  // namespace coopvk::tool

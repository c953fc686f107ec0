// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string_view>

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

}  // namespace coopvk::tool

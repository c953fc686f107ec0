// SPDX-License-Identifier: Apache-2.0
#include "system/read_text.hpp"

#include <array>
#include <fstream>

namespace coopvk::layer {

std::optional<std::string> readText(const std::filesystem::path& path, size_t most) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
    std::ifstream stream(path, std::ios::binary);
    std::string text;
    std::array<char, 4096> piece;
    while (stream && text.size() <= most) {
        stream.read(piece.data(), piece.size());
        text.append(piece.data(), static_cast<size_t>(stream.gcount()));
    }
    if (!stream.eof() || text.size() > most) return std::nullopt;
    return text;
}

}  // namespace coopvk::layer

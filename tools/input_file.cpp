// SPDX-License-Identifier: Apache-2.0
#include "input_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "report/archive.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

// Null: it cannot be read.
std::optional<std::string> bytesOf(const fs::path& path) {
    std::error_code error;
    // Devices such as /dev/zero have no end.
    if (fs::is_directory(path, error) || fs::is_character_file(path, error)) return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) return std::nullopt;
    return bytes;
}

// Empty: it is no archive.
std::vector<ArchivedFile> filesIn(const fs::path& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return {};
    const auto bytes = bytesOf(path);
    return bytes ? readArchive(*bytes).value_or(std::vector<ArchivedFile>{})
                 : std::vector<ArchivedFile>{};
}

}  // namespace

rewrite::Result<std::string> readFile(const std::string& path) {
    if (auto bytes = bytesOf(path)) return std::move(*bytes);
    const fs::path whole(path);
    for (fs::path archive = whole.parent_path(); archive.has_filename();
         archive = archive.parent_path()) {
        const std::string name = whole.lexically_relative(archive).generic_string();
        for (ArchivedFile& file : filesIn(archive))
            if (file.name == name) return std::move(file.bytes);
    }
    return rewrite::Error{rewrite::ErrorCode::kInvalidArgument, "cannot read " + path};
}

std::vector<std::string> requestsOf(const std::string& path) {
    const std::vector<ArchivedFile> files = filesIn(path);
    if (files.empty()) return {path};
    std::vector<std::string> requests;
    for (const ArchivedFile& file : files)
        if (file.name.starts_with("shaders/") && file.name.ends_with(".json"))
            requests.push_back(path + "/" + file.name);
    return requests;
}

}  // namespace coopvk::tool

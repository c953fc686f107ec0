// SPDX-License-Identifier: Apache-2.0
#include "input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "report/archive.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

using rewrite::Error;
using rewrite::ErrorCode;

// The error is why it cannot be read.
rewrite::Result<std::string> bytesOf(const fs::path& path) {
    const auto because = [](std::string reason) {
        return Error{ErrorCode::kInvalidArgument, std::move(reason)};
    };
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) return because(error.message());
    if (fs::is_directory(status)) return because("it is a folder");
    // Devices such as /dev/zero have no end.
    if (fs::is_character_file(status)) return because("it is a device");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (!file) return because(std::generic_category().message(errno == 0 ? EIO : errno));
    return bytes;
}

// Empty: it is no archive.
std::vector<ArchivedFile> filesIn(const fs::path& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return {};
    const auto bytes = bytesOf(path);
    if (!bytes) return {};
    return readArchive(*bytes).value_or(std::vector<ArchivedFile>{});
}

}  // namespace

rewrite::Result<std::string> readFile(const std::string& path) {
    auto bytes = bytesOf(path);
    if (bytes) return bytes;
    std::string reason = bytes.error().message;
    const fs::path whole(path);
    for (fs::path archive = whole.parent_path(); archive.has_filename();
         archive = archive.parent_path()) {
        const std::string name = whole.lexically_relative(archive).generic_string();
        auto files = filesIn(archive);
        for (ArchivedFile& file : files)
            if (file.name == name) return std::move(file.bytes);
        if (!files.empty()) reason = archive.string() + " has no " + name;
    }
    return Error{ErrorCode::kInvalidArgument,
                 "cannot read " + (path.empty() ? "''" : path) + ": " + reason};
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "system/tool_system.hpp"

namespace coopvk::tool {

inline constexpr const char* kNoTemporaryFile =
    "no temporary file can be made: TMPDIR, or /tmp, must be a folder with room to write to";

// A temporary file for the layer's report or a program's output. The destructor removes it.
class TemporaryFile {
 public:
    TemporaryFile() : path_(system::makeTemporaryFile()) {}
    ~TemporaryFile() { remove(); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void remove() {
        std::error_code error;
        if (!path_.empty()) std::filesystem::remove(path_, error);
    }
    const std::string& path() const { return path_; }  // empty: there is none
    std::string text() const {
        std::ifstream file(std::filesystem::path(path_), std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

 private:
    std::string path_;
};

}  // namespace coopvk::tool

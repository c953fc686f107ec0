// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace coopvk::tool {

// A temporary file for the layer's report or a program's output. The destructor removes it.
class TemporaryFile {
 public:
    TemporaryFile()
        : path_((std::filesystem::temp_directory_path() / "coopvk-run-XXXXXX").string()) {
        const int file = ::mkostemp(path_.data(), O_CLOEXEC);
        if (file < 0) path_.clear();
        if (file >= 0) ::close(file);
    }
    ~TemporaryFile() { remove(); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void remove() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    const std::string& path() const { return path_; }  // empty: there is none
    std::string text() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

 private:
    std::string path_;
};

}  // namespace coopvk::tool

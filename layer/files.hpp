// SPDX-License-Identifier: Apache-2.0
//
// Files that the layer writes where its settings say. In folders that others can write to as well,
// as /tmp, nobody else decides what is written to, or reads it: links there are not followed, only
// this user's own files are appended to, and new files come into a folder that others cannot enter.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "coopvk/rewrite.hpp"

namespace coopvk::layer {

// Closes it at the end.
class FileDescriptor {
 public:
    FileDescriptor() = default;
    explicit FileDescriptor(int number) : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~FileDescriptor();

    bool isOpen() const { return number_ >= 0; }
    int number() const { return number_; }

 private:
    int number_ = -1;
};

enum class IfMissing { kCreate, kFail };

// A file to append to. A new one is readable by its owner alone, and its folder must exist. Of
// /dev/stdout, /dev/stderr and /dev/fd/N, the open stream itself. The error says what is wrong with
// the path.
rewrite::Result<FileDescriptor> openForAppending(const std::string& path, IfMissing ifMissing);

// A folder for files that are written whole.
class OutputFolder {
 public:
    // Made if need be, with those above it. In one that others can write to, a new folder of an
    // unpredictable name is used instead.
    static rewrite::Result<OutputFolder> open(const std::string& path);

    // Where files really come.
    const std::string& path() const { return path_; }

    // In place of what was there. No reader meets half a file, and threads do not collide.
    bool write(const std::string& name, std::string_view bytes) const;

 private:
    OutputFolder(FileDescriptor folder, std::string path)
        : folder_(std::move(folder)), path_(std::move(path)) {}

    FileDescriptor folder_;
    std::string path_;
};

}  // namespace coopvk::layer

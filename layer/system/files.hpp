// SPDX-License-Identifier: Apache-2.0
//
// Files that the layer writes to the paths in its settings. In folders that others can write to,
// such as /tmp, no other user can redirect or read what the layer writes: it follows no links
// there, appends only to this user's own files, and puts new files into a folder that others cannot
// enter. On Windows, files get the rights of their folder, and the layer checks nothing of this.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

inline constexpr int kErrorStream = 2;

// Writes up to kMaxPieces pieces, usually in one call, so that lines of processes do not mix.
// Stops at an error; a pipe without a reader does not send the program a signal. Allocates nothing.
void writePieces(int file, std::span<const std::string_view> pieces) noexcept;
inline constexpr size_t kMaxPieces = 16;

enum class IfMissing { kCreate, kFail };

// Opens a file to append to. Only its owner can read a new file, whose folder must exist. For
// /dev/stdout, /dev/stderr and /dev/fd/N this is the open stream itself. The error says what is
// wrong with the path.
rewrite::Result<FileDescriptor> openForAppending(const std::string& path, IfMissing ifMissing);

// Of this user's own file, the first `most` bytes; nullopt if it is none, or cannot be read.
std::optional<std::string> readOwnFile(const std::string& path, size_t most);

// This process has the file until it ends, so that others can tell whether it has.
void holdFile(int file) noexcept;
// Reads and removes a file that a process held, and no process holds any more; else nullopt.
std::optional<std::string> takeAbandonedFile(const std::string& path, size_t most);
void emptyFile(int file) noexcept;

// The names of what is in a folder; none if it can't be read. Unlike std::filesystem's iterators,
// which end the process where memory runs out between two names, throws std::bad_alloc.
std::vector<std::string> namesInFolder(const std::string& path);

// Makes the folder and its parents if they do not exist, but none in another user's folder, where
// that user could not remove it. False if that fails, or if others can write to it.
bool makeOwnFolder(const std::string& path);

// A folder for files that are written completely or not at all.
class OutputFolder {
 public:
    // Makes the folder and its parents if they do not exist. If others can write to the folder,
    // uses a new folder in it with an unpredictable name.
    static rewrite::Result<OutputFolder> open(const std::string& path);
    // A new folder with an unpredictable name in one that exists.
    static rewrite::Result<OutputFolder> makePrivate(const std::string& parent);

    // The folder into which files really go.
    const std::string& path() const { return path_; }

    // Replaces an existing file. No reader sees a part of a file, and threads do not disturb each
    // other.
    bool write(const std::string& name, std::string_view bytes) const;

 private:
    OutputFolder(FileDescriptor folder, std::string path)
        : folder_(std::move(folder)), path_(std::move(path)) {}
    static rewrite::Result<OutputFolder> makeIn(const FileDescriptor& parent,
                                                const std::string& path);

    FileDescriptor folder_;
    std::string path_;
};

}  // namespace coopvk::layer

// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>

#include "system/files.hpp"
#include "system/hash.hpp"
#include "system/pipe_signal.hpp"

namespace coopvk::layer {
namespace {

using rewrite::Error;
using rewrite::ErrorCode;
using rewrite::Result;

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
constexpr mode_t kFileMode = 0600, kFolderMode = 0700;

Error problem(std::string what) { return {ErrorCode::kInvalidArgument, std::move(what)}; }
Error systemProblem() { return problem(std::strerror(errno)); }

// A user's own group has no other members. By convention it has the user's number; a primary group
// with another one, such as "users" or "staff", is that of many.
bool isOwnGroup(gid_t group) { return group == ::getegid() && group == ::geteuid(); }

// A folder of root's is nobody else's.
bool isOfAnotherUser(int folder) {
    struct stat info = {};
    return ::fstat(folder, &info) != 0 || (info.st_uid != ::geteuid() && info.st_uid != 0);
}

// Whether users other than this one and root can write to the folder.
bool isShared(int folder) {
    struct stat info = {};
    if (::fstat(folder, &info) != 0) return true;
    const bool groupWrites = (info.st_mode & S_IWGRP) != 0 && !isOwnGroup(info.st_gid);
    return isOfAnotherUser(folder) || groupWrites || (info.st_mode & S_IWOTH) != 0;
}

bool isLink(int folder, const char* name) {
    struct stat info = {};
    return ::fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode);
}

// Opens with O_NOFOLLOW; without it only if no other user can have made the link.
Result<FileDescriptor> openIn(int folder, const std::string& name, int flags) {
    FileDescriptor file(::openat(folder, name.c_str(), flags | O_NOFOLLOW, kFileMode));
    if (file.isOpen()) return file;
    const int error = errno;
    if (isLink(folder, name.c_str())) {
        if (isShared(folder)) {
            return problem("'" + name + "' is a link in a folder that others can write to");
        }
        file = FileDescriptor(::openat(folder, name.c_str(), flags, kFileMode));
        if (file.isOpen()) return file;
    } else {
        errno = error;
    }
    return systemProblem();
}

// Root's programs make nothing in another user's folder, unless everybody may write there.
bool mayMakeIn(int folder) {
    struct stat info = {};
    return ::fstat(folder, &info) == 0 && (!isOfAnotherUser(folder) || info.st_mode & S_IWOTH);
}

// Folder by folder, so that the folder that was checked is the one that is used. `inOwn`: makes
// folders only where mayMakeIn() says so.
Result<FileDescriptor> openFolder(std::string_view path, IfMissing ifMissing, bool inOwn = false) {
    FileDescriptor folder(::open(path.starts_with('/') ? "/" : ".", kFolderFlags));
    if (!folder.isOpen()) return systemProblem();
    while (!path.empty()) {
        const std::string name(path.substr(0, path.find('/')));
        path.remove_prefix(std::min(name.size() + 1, path.size()));
        if (name.empty()) continue;
        int problem = 0;
        if (ifMissing == IfMissing::kCreate && (!inOwn || mayMakeIn(folder.number())) &&
            ::mkdirat(folder.number(), name.c_str(), kFolderMode) != 0 && errno != EEXIST)
            problem = errno;
        auto next = openIn(folder.number(), name, kFolderFlags);
        if (!next && problem != 0 && ::faccessat(folder.number(), name.c_str(), F_OK, 0) != 0) {
            errno = problem;
            return systemProblem();
        }
        if (!next) return next.error();
        folder = std::move(*next);
    }
    return folder;
}

// Others could read another user's file, or it could be a hard link to an important file.
bool isOwnFile(int file) {
    struct stat info = {};
    return ::fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == ::geteuid() &&
           info.st_nlink == 1;
}

// Everybody may write to /dev/null, whose folder seems to be another user's in a user namespace.
bool isNullDevice(int file) {
    struct stat info = {}, null = {};
    return ::fstat(file, &info) == 0 && S_ISCHR(info.st_mode) && ::stat("/dev/null", &null) == 0 &&
           info.st_rdev == null.st_rdev;
}

struct Opened {
    FileDescriptor folder, file;
};
// Opens a file by its path, as openIn does, in a folder that exists. Does not wait for the other
// end of a named pipe.
Result<Opened> openByPath(const std::string& path, int flags) {
    const size_t start = path.rfind('/') + 1;  // 0 if there is none
    auto folder = openFolder(std::string_view(path).substr(0, start), IfMissing::kFail);
    if (!folder) return folder.error();
    constexpr int kAlways = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
    auto file = openIn(folder->number(), path.substr(start), flags | kAlways);
    if (!file) return file.error();
    return Opened{std::move(*folder), std::move(*file)};
}

// The result of a system call that signals do not interrupt.
template <typename F>
ssize_t uninterrupted(F&& call) {
    for (;;)
        if (const ssize_t result = call(); result >= 0 || errno != EINTR) return result;
}

std::optional<std::string> textOf(int file, size_t most) {
    std::string text(most, '\0');
    size_t size = 0;
    for (;;) {
        const ssize_t got =
            uninterrupted([&] { return ::read(file, text.data() + size, most - size); });
        if (got < 0) return std::nullopt;
        if (got == 0) break;  // the end, or no more is wanted
        size += static_cast<size_t>(got);
    }
    text.resize(size);
    return text;
}

// A new folder that only this user can enter.
Result<std::string> makePrivateFolder(int parent) {
    uint64_t random;  // no folder has such a name by chance
    if (::getrandom(&random, sizeof(random), 0) != sizeof(random)) return systemProblem();
    std::string name = "coopvk-" + hexName(random);
    if (::mkdirat(parent, name.c_str(), kFolderMode) != 0) return systemProblem();
    return name;
}

// The number of an open stream that a path names; -1 for other paths.
int streamOf(std::string_view path) {
    if (path == "/dev/stdout") return STDOUT_FILENO;
    if (path == "/dev/stderr") return STDERR_FILENO;
    for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
        if (!path.starts_with(folder)) continue;
        const std::string_view digits = path.substr(folder.size());
        int number = -1;
        const char* end = digits.data() + digits.size();
        const auto parsed = std::from_chars(digits.data(), end, number);
        if (parsed.ec == std::errc() && parsed.ptr == end) return number;
    }
    return -1;
}

bool writeAll(int file, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written =
            uninterrupted([&] { return ::write(file, bytes.data(), bytes.size()); });
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

}  // namespace

FileDescriptor::~FileDescriptor() {
    if (isOpen()) ::close(number_);
}

void writePieces(int file, std::span<const std::string_view> pieces) noexcept {
    std::array<iovec, kMaxPieces> ranges;
    const size_t count = std::min(pieces.size(), ranges.size());
    std::ranges::transform(pieces.first(count), ranges.begin(), [](std::string_view piece) {
        return iovec{const_cast<char*>(piece.data()), piece.size()};
    });
    auto left = std::span(ranges).first(count);
    const PipeSignalHeld held;
    while (!left.empty()) {
        const ssize_t written = uninterrupted(
            [&] { return ::writev(file, left.data(), static_cast<int>(left.size())); });
        if (written <= 0) return;
        auto size = static_cast<size_t>(written);
        while (!left.empty() && size >= left.front().iov_len) {
            size -= left.front().iov_len;
            left = left.subspan(1);
        }
        if (left.empty()) return;
        left.front().iov_base = static_cast<char*>(left.front().iov_base) + size;
        left.front().iov_len -= size;
    }
}

Result<FileDescriptor> openForAppending(const std::string& path, IfMissing ifMissing) {
    // If a file is opened again, it has a second write position, and its writers overwrite each
    // other.
    if (const int stream = streamOf(path); stream >= 0) {
        FileDescriptor file(::fcntl(stream, F_DUPFD_CLOEXEC, 0));
        if (!file.isOpen()) return systemProblem();
        return file;
    }
    const int create = ifMissing == IfMissing::kCreate ? O_CREAT : 0;
    auto opened = openByPath(path, O_WRONLY | O_APPEND | create);
    if (!opened) return opened.error();
    auto& [folder, file] = *opened;
    if (isShared(folder.number()) && !isOwnFile(file.number()) && !isNullDevice(file.number())) {
        return problem("not this user's own file, in a folder that others can write to");
    }
    const int status = ::fcntl(file.number(), F_GETFL);
    ::fcntl(file.number(), F_SETFL, status & ~O_NONBLOCK);
    return std::move(file);
}

std::optional<std::string> readOwnFile(const std::string& path, size_t most) {
    const auto opened = openByPath(path, O_RDONLY);
    if (!opened || !isOwnFile(opened->file.number())) return std::nullopt;
    return textOf(opened->file.number(), most);
}

std::vector<std::string> namesInFolder(const std::string& path) {
    const auto close = [](DIR* folder) { ::closedir(folder); };
    const std::unique_ptr<DIR, decltype(close)> folder(::opendir(path.c_str()));
    std::vector<std::string> names;
    if (!folder) return names;
    while (const dirent* entry = ::readdir(folder.get())) names.emplace_back(entry->d_name);
    std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
    return names;
}

bool makeOwnFolder(const std::string& path) {
    const auto folder = openFolder(path, IfMissing::kCreate, true);
    return folder && !isShared(folder->number());
}

void holdFile(int file) noexcept { ::flock(file, LOCK_EX | LOCK_NB); }

std::optional<std::string> takeAbandonedFile(const std::string& path, size_t most) {
    const auto opened = openByPath(path, O_RDONLY);
    if (!opened || !isOwnFile(opened->file.number())) return std::nullopt;
    if (::flock(opened->file.number(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
    auto text = textOf(opened->file.number(), most);
    return ::unlink(path.c_str()) == 0 ? text : std::nullopt;
}

void emptyFile(int file) noexcept {
    if (::ftruncate(file, 0) != 0) return;  // then it stays longer
}

Result<OutputFolder> OutputFolder::open(const std::string& path) {
    auto folder = openFolder(path, IfMissing::kCreate);
    if (!folder) return folder.error();
    if (!isShared(folder->number())) return OutputFolder(std::move(*folder), path);
    return makeIn(*folder, path);
}

Result<OutputFolder> OutputFolder::makePrivate(const std::string& parent) {
    const auto folder = openFolder(parent, IfMissing::kFail);
    if (!folder) return folder.error();
    return makeIn(*folder, parent);
}

Result<OutputFolder> OutputFolder::makeIn(const FileDescriptor& parent, const std::string& path) {
    const auto name = makePrivateFolder(parent.number());
    if (!name) return name.error();
    auto own = openIn(parent.number(), *name, kFolderFlags);
    if (!own) return own.error();
    return OutputFolder(std::move(*own), path + "/" + *name);
}

bool OutputFolder::write(const std::string& name, std::string_view bytes) const {
    static std::atomic<uint32_t> counter = 0;
    const std::string unfinished =
        name + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp";
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const FileDescriptor file(::openat(folder_.number(), unfinished.c_str(), kFlags, kFileMode));
    if (!file.isOpen()) return false;
    if (writeAll(file.number(), bytes) &&
        ::renameat(folder_.number(), unfinished.c_str(), folder_.number(), name.c_str()) == 0) {
        return true;
    }
    ::unlinkat(folder_.number(), unfinished.c_str(), 0);
    return false;
}

}  // namespace coopvk::layer

// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <random>

#include "system/files.hpp"
#include "system/hash.hpp"
#include "system/system.hpp"

namespace coopvk::layer {
namespace {

namespace fs = std::filesystem;

using rewrite::Error;
using rewrite::ErrorCode;
using rewrite::Result;

constexpr size_t kMaxLine = 4096;  // bytes that are written in one call

Error problem(std::string what) { return {ErrorCode::kInvalidArgument, std::move(what)}; }
Error systemProblem() {
    return problem(
        std::error_code(static_cast<int>(::GetLastError()), std::system_category()).message());
}

// Opens or creates a file whose writes all go to its end, or a new one.
FileDescriptor openFile(const fs::path& path, DWORD access, DWORD creation) {
    const HANDLE handle =
        ::CreateFileW(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                      nullptr, creation, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle == INVALID_HANDLE_VALUE) return FileDescriptor();
    return FileDescriptor(
        ::_open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_BINARY | _O_NOINHERIT));
}

// Programs without a console have no standard error stream.
HANDLE handleOf(int file) {
    return file == kErrorStream ? ::GetStdHandle(STD_ERROR_HANDLE)
                                : reinterpret_cast<HANDLE>(::_get_osfhandle(file));
}

bool writeAll(int file, std::string_view bytes) noexcept {
    constexpr size_t kMaxBytes = size_t{1} << 30;
    const HANDLE handle = handleOf(file);
    while (!bytes.empty()) {
        DWORD written = 0;
        if (::WriteFile(handle, bytes.data(), static_cast<DWORD>(std::min(bytes.size(), kMaxBytes)),
                        &written, nullptr) == 0 ||
            written == 0) {
            return false;
        }
        bytes.remove_prefix(written);
    }
    return true;
}

}  // namespace

FileDescriptor::~FileDescriptor() {
    if (isOpen()) ::_close(number_);
}

// Pieces that are too long for one call are written in several.
void writePieces(int file, std::span<const std::string_view> pieces) noexcept {
    std::array<char, kMaxLine> line;
    size_t size = 0;
    for (std::string_view piece : pieces) {
        while (!piece.empty()) {
            const size_t count = piece.copy(line.data() + size, line.size() - size);
            size += count;
            piece.remove_prefix(count);
            if (size < line.size()) continue;
            if (!writeAll(file, {line.data(), size})) return;
            size = 0;
        }
    }
    writeAll(file, {line.data(), size});
}

Result<FileDescriptor> openForAppending(const std::string& path, IfMissing ifMissing) {
    auto file = openFile(path, FILE_APPEND_DATA | SYNCHRONIZE,
                         ifMissing == IfMissing::kCreate ? OPEN_ALWAYS : OPEN_EXISTING);
    if (!file.isOpen()) return systemProblem();
    return file;
}

namespace {

std::optional<std::string> textOf(const FileDescriptor& file, size_t most) {
    if (!file.isOpen()) return std::nullopt;
    std::string text(most, '\0');
    DWORD got = 0;
    if (::ReadFile(handleOf(file.number()), text.data(), static_cast<DWORD>(most), &got, nullptr) ==
        0) {
        return std::nullopt;
    }
    text.resize(got);
    return text;
}

}  // namespace

std::optional<std::string> readOwnFile(const std::string& path, size_t most) {
    return textOf(openFile(path, GENERIC_READ, OPEN_EXISTING), most);
}

std::vector<std::string> namesInFolder(const std::string& path) {
    const auto close = [](void* search) { ::FindClose(search); };
    WIN32_FIND_DATAW entry = {};
    const HANDLE found = ::FindFirstFileW((fs::path(path) / "*").c_str(), &entry);
    std::vector<std::string> names;
    if (found == INVALID_HANDLE_VALUE) return names;
    const std::unique_ptr<void, decltype(close)> search(found);
    do names.push_back(fs::path(entry.cFileName).string());
    while (::FindNextFileW(search.get(), &entry) != 0);
    std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
    return names;
}

bool makeOwnFolder(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    return fs::is_directory(path, error);
}

void holdFile(int file) noexcept {
    OVERLAPPED behindTheEnd = {};
    behindTheEnd.OffsetHigh = 1;  // so that others can read the file
    ::LockFileEx(handleOf(file), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
                 &behindTheEnd);
}

std::optional<std::string> takeAbandonedFile(const std::string& path, size_t most) {
    const FileDescriptor file = openFile(path, GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING);
    OVERLAPPED behindTheEnd = {};
    behindTheEnd.OffsetHigh = 1;
    if (!file.isOpen() ||
        ::LockFileEx(handleOf(file.number()), LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY,
                     0, 1, 0, &behindTheEnd) == 0) {
        return std::nullopt;
    }
    auto text = textOf(file, most);
    return ::DeleteFileW(fs::path(path).c_str()) != 0 ? text : std::nullopt;
}

void emptyFile(int file) noexcept { ::_chsize(file, 0); }

Result<OutputFolder> OutputFolder::open(const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (!fs::is_directory(path, error)) {
        return problem(error ? error.message() : "is no folder");
    }
    return OutputFolder(FileDescriptor(), path);
}

Result<OutputFolder> OutputFolder::makePrivate(const std::string& parent) {
    constexpr int kTries = 16;
    std::random_device random;
    for (int i = 0; i < kTries; ++i) {
        const fs::path path =
            fs::path(parent) / ("coopvk-" + hexName(uint64_t{random()} << 32 | random()));
        if (::CreateDirectoryW(path.c_str(), nullptr) != 0) {
            return OutputFolder(FileDescriptor(), path.string());
        }
        if (::GetLastError() != ERROR_ALREADY_EXISTS) break;
    }
    return systemProblem();
}

bool OutputFolder::write(const std::string& name, std::string_view bytes) const {
    static std::atomic<uint32_t> counter = 0;
    const fs::path target = fs::path(path_) / name;
    fs::path unfinished = target;
    unfinished +=
        "." + std::to_string(system::processId()) + "-" + std::to_string(counter++) + ".tmp";
    bool isWritten = false;
    {
        const FileDescriptor file = openFile(unfinished, GENERIC_WRITE, CREATE_NEW);
        isWritten = file.isOpen() && writeAll(file.number(), bytes);
    }
    if (isWritten &&
        ::MoveFileExW(unfinished.c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING) != 0) {
        return true;
    }
    ::DeleteFileW(unfinished.c_str());
    return false;
}

}  // namespace coopvk::layer

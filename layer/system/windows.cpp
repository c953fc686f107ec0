// SPDX-License-Identifier: Apache-2.0
#include <windows.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cwchar>

#include "system/pattern.hpp"
#include "system/system.hpp"

namespace coopvk::layer::system {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxPath = 32768;  // characters of a path or a variable

// UTF-8, as everywhere in this project.
std::string narrow(std::wstring_view text) { return fs::path(text).string(); }
std::wstring wide(std::string_view text) { return fs::path(text).native(); }

std::optional<std::wstring> variable(const std::wstring& name) {
    std::wstring value(kMaxPath, L'\0');
    ::SetLastError(ERROR_SUCCESS);
    const DWORD size = ::GetEnvironmentVariableW(name.c_str(), value.data(), kMaxPath);
    if (size == 0 && ::GetLastError() != ERROR_SUCCESS) return std::nullopt;
    value.resize(std::min<size_t>(size, kMaxPath));
    return value;
}

fs::path folder(const wchar_t* name) {
    if (hasElevatedRights()) return {};
    const fs::path path = variable(name).value_or(L"");
    return path.is_absolute() ? path : fs::path();
}

// Wine tells of every program that its rights are elevated; it has no others.
bool isWine() {
    const HMODULE library = ::GetModuleHandleW(L"ntdll.dll");
    return library != nullptr && ::GetProcAddress(library, "wine_get_version") != nullptr;
}

// A name of at most 255 characters, in the bytes that UTF-8 needs for them, without allocation.
class OwnName {
 public:
    OwnName() noexcept {
        std::array<wchar_t, 1024> path;
        const DWORD size =
            ::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
        std::wstring_view name(path.data(), size);
        name.remove_prefix(name.find_last_of(L"\\/") + 1);
        const int bytes =
            ::WideCharToMultiByte(CP_UTF8, 0, name.data(), static_cast<int>(name.size()),
                                  text_.data(), static_cast<int>(text_.size()), nullptr, nullptr);
        size_ = static_cast<size_t>(std::max(bytes, 0));
    }
    std::string_view text() const { return {text_.data(), size_}; }

 private:
    std::array<char, 768> text_;
    size_t size_ = 0;
};

}  // namespace

const char kListSeparator = ';';
const bool kFileNamesIgnoreCase = true;
const char* const kNoUserFolder = "APPDATA names no folder";

std::optional<std::string> trustedVariable(const char* name) {
    if (hasElevatedRights()) return std::nullopt;
    const auto value = variable(wide(name));
    return value ? std::optional(narrow(*value)) : std::nullopt;
}

// The C runtime's own copy, too.
void setVariable(const std::string& name, const std::string& value) {
    ::_wputenv_s(wide(name).c_str(), wide(value).c_str());
    ::SetEnvironmentVariableW(wide(name).c_str(), wide(value).c_str());
}

void unsetVariable(const std::string& name) {
    ::_wputenv_s(wide(name).c_str(), L"");
    ::SetEnvironmentVariableW(wide(name).c_str(), nullptr);
}

const char* const* environment() { return _environ; }

fs::path systemConfigFolder() { return folder(L"PROGRAMDATA"); }
fs::path userCacheFolder() { return folder(L"LOCALAPPDATA"); }
fs::path userConfigFolder() { return folder(L"APPDATA"); }

// The registry names its files.
fs::path settingsFolder() { return {}; }

int processId() { return static_cast<int>(::GetCurrentProcessId()); }

std::string_view programName() {
    static const OwnName name;
    return name.text();
}

fs::path programFile() {
    std::wstring path(kMaxPath, L'\0');
    path.resize(::GetModuleFileNameW(nullptr, path.data(), kMaxPath));
    return path;
}

std::string programArguments() { return {}; }

// Elevated by a question to the user, or another user's decision. Where there is no such question,
// programs have the rights of whoever starts them.
bool hasElevatedRights() {
    if (isWine()) return false;
    HANDLE token = nullptr;
    if (::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return true;
    TOKEN_ELEVATION_TYPE type = TokenElevationTypeFull;
    DWORD size = 0;
    const bool isKnown =
        ::GetTokenInformation(token, TokenElevationType, &type, sizeof(type), &size) != 0;
    ::CloseHandle(token);
    return !isKnown || type == TokenElevationTypeFull;
}

void* functionOfLoaded(const char* library, const char* function) {
    const HMODULE handle = ::GetModuleHandleA(library);
    if (handle == nullptr) return nullptr;
    return reinterpret_cast<void*>(::GetProcAddress(handle, function));
}

void stayLoaded() {
    HMODULE library = nullptr;
    ::GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                         reinterpret_cast<const wchar_t*>(reinterpret_cast<uintptr_t>(&stayLoaded)),
                         &library);
}

// Page by page: a range with a page that cannot be read fails as a whole.
size_t copyReadable(const void* source, void* target, size_t size) {
    constexpr uintptr_t kPage = 4096;
    const auto start = reinterpret_cast<uintptr_t>(source);
    size_t copied = 0;
    while (copied < size) {
        const size_t count = std::min<size_t>(size - copied, kPage - (start + copied) % kPage);
        SIZE_T got = 0;
        if (::ReadProcessMemory(::GetCurrentProcess(),
                                static_cast<const std::byte*>(source) + copied,
                                static_cast<std::byte*>(target) + copied, count, &got) == 0) {
            break;
        }
        copied += got;
    }
    return copied;
}

bool matchesPattern(const std::string& pattern, const std::string& name, bool ignoreCase) {
    return matchesWithoutFnmatch(pattern, name, ignoreCase);
}

}  // namespace coopvk::layer::system

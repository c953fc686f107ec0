// SPDX-License-Identifier: Apache-2.0
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <random>

#include "system/tool_system.hpp"

namespace coopvk::tool::system {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxPath = 32768;  // characters
constexpr std::array kCrashSignals = {SIGSEGV, SIGILL, SIGFPE, SIGABRT};
constexpr const wchar_t* kImplicitLayers = L"SOFTWARE\\Khronos\\Vulkan\\ImplicitLayers";

// Where the loader looks for manifests: values whose names are paths, and whose data is 0.
class ImplicitLayers {
 public:
    explicit ImplicitLayers(bool forAllUsers)
        : problem_(::RegCreateKeyExW(forAllUsers ? HKEY_LOCAL_MACHINE : HKEY_CURRENT_USER,
                                     kImplicitLayers, 0, nullptr, 0, KEY_SET_VALUE, nullptr, &key_,
                                     nullptr)) {}
    ~ImplicitLayers() {
        if (key_ != nullptr) ::RegCloseKey(key_);
    }
    ImplicitLayers(const ImplicitLayers&) = delete;
    ImplicitLayers& operator=(const ImplicitLayers&) = delete;

    std::string add(const fs::path& manifest) {
        constexpr DWORD kOn = 0;
        if (problem_ == ERROR_SUCCESS) {
            problem_ = ::RegSetValueExW(key_, manifest.c_str(), 0, REG_DWORD,
                                        reinterpret_cast<const BYTE*>(&kOn), sizeof(kOn));
        }
        return text();
    }
    std::string remove(const fs::path& manifest) {
        if (problem_ == ERROR_SUCCESS) problem_ = ::RegDeleteValueW(key_, manifest.c_str());
        return text();
    }

 private:
    std::string text() const {
        if (problem_ == ERROR_SUCCESS) return {};
        return "registry: " + std::error_code(problem_, std::system_category()).message();
    }

    HKEY key_ = nullptr;
    LONG problem_;
};

}  // namespace

const bool kHasWine = false;
const char* const kLoaderLibrary = "vulkan-1.dll";
const char* const kManifestFolders = "neither in this folder nor in ../layer";

std::vector<fs::path> manifestFolders(const fs::path& program) {
    const fs::path folder = program.parent_path();
    return {folder, folder.parent_path() / "layer"};
}

std::string registerManifest(const fs::path& manifest, bool forAllUsers) {
    return ImplicitLayers(forAllUsers).add(manifest);
}
std::string unregisterManifest(const fs::path& manifest, bool forAllUsers) {
    return ImplicitLayers(forAllUsers).remove(manifest);
}

const char* const kCudaLibrary = "nvcuda.dll";
void* loadLibrary(const char* name) { return LoadLibraryA(name); }
void* functionOf(void* library, const char* name) {
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

fs::path findProgram(const std::string& name) {
    std::wstring path(kMaxPath, L'\0');
    const DWORD size = ::SearchPathW(nullptr, fs::path(name).make_preferred().c_str(), L".exe",
                                     kMaxPath, path.data(), nullptr);
    path.resize(std::min<size_t>(size, kMaxPath));
    return path;
}

std::string makeTemporaryFile() {
    std::error_code error;
    std::random_device random;
    const fs::path path =
        fs::temp_directory_path(error) /
        ("coopvk-run-" + std::to_string(::GetCurrentProcessId()) + "-" + std::to_string(random()));
    const HANDLE file = ::CreateFileW(path.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                                      FILE_ATTRIBUTE_TEMPORARY, nullptr);
    if (file == INVALID_HANDLE_VALUE) return {};
    ::CloseHandle(file);
    return path.string();
}

// For cmd.exe.
std::vector<std::string> showCommand(const std::filesystem::path& path) {
    return {"explorer", path.string()};
}

std::string setCommand(const std::string& name, const std::string& value) {
    return "set \"" + name + '=' + value + '"';
}

std::string unsetCommand(const std::string& name) { return "set " + name + "="; }

std::span<const int> crashSignals() { return kCrashSignals; }

void writeToErrorStream(std::string_view text) noexcept {
    ::_write(2, text.data(), static_cast<unsigned>(text.size()));
}

bool readsTerminal() { return ::_isatty(0) != 0; }
bool writesTerminal() { return ::_isatty(1) != 0; }

size_t terminalColumns() {
    CONSOLE_SCREEN_BUFFER_INFO info = {};
    if (::GetConsoleScreenBufferInfo(::GetStdHandle(STD_OUTPUT_HANDLE), &info) == 0) return 0;
    return static_cast<size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

}  // namespace coopvk::tool::system

// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "system/files.hpp"
#include "system/read_text.hpp"
#include "system/system.hpp"

namespace coopvk::layer::system {

namespace fs = std::filesystem;

const char kListSeparator = ':';
const bool kFileNamesIgnoreCase = false;
const char* const kNoUserFolder = "neither XDG_CONFIG_HOME nor HOME names a folder";

std::optional<std::string> trustedVariable(const char* name) {
    const char* value = ::secure_getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void setVariable(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
}

void unsetVariable(const std::string& name) { ::unsetenv(name.c_str()); }

const char* const* environment() { return environ; }

fs::path systemConfigFolder() { return "/etc"; }

fs::path userConfigFolder() {
    const char* folder = ::secure_getenv("XDG_CONFIG_HOME");
    if (folder != nullptr && *folder == '/') return folder;  // relative ones are to be ignored
    const char* home = ::secure_getenv("HOME");
    return home == nullptr || *home == '\0' ? fs::path() : fs::path(home) / ".config";
}

fs::path userCacheFolder() {
    if (hasElevatedRights()) return {};
    const char* folder = ::secure_getenv("XDG_CACHE_HOME");
    if (folder != nullptr && *folder == '/') return folder;
    const char* home = ::secure_getenv("HOME");
    return home == nullptr || *home != '/' ? fs::path() : fs::path(home) / ".cache";
}

fs::path settingsFolder() {
    if (const fs::path data = variable("XDG_DATA_HOME"); !data.empty()) {
        return data / "vulkan/settings.d";
    }
    const fs::path home = variable("HOME");
    return home.empty() ? fs::path() : home / ".local/share/vulkan/settings.d";
}

int processId() { return ::getpid(); }

std::string_view programName() {
    const std::string_view name = program_invocation_short_name;
    return name.substr(name.rfind('\\') + 1);
}

fs::path programFile() {
    std::error_code error;
    const fs::path link = fs::read_symlink("/proc/self/exe", error);
    if (!error) return link;
    // Without /proc, as in a folder that a process made its root: what the kernel was given.
    const auto* given = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    if (given == nullptr) return {};
    const fs::path file = fs::canonical(given, error);
    return error ? fs::path(given) : file;
}

std::string programArguments() {
    constexpr size_t kMost = size_t{1} << 22;
    return readText("/proc/self/cmdline", kMost).value_or("");
}

// set-uid, set-gid, or with capabilities
bool hasElevatedRights() { return ::getauxval(AT_SECURE) != 0; }

void* functionOfLoaded(const char* library, const char* function) {
    void* const handle = ::dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
    if (handle == nullptr) return nullptr;
    void* const found = ::dlsym(handle, function);
    ::dlclose(handle);  // those who loaded it keep it
    return found;
}

// The linker said so (-z nodelete).
void stayLoaded() {}

// Through a pipe: the kernel refuses to write to it what it cannot read. Some sandboxes end
// processes that ask for more direct ways, such as process_vm_readv. Page by page, since a write
// may fail as a whole. Not by ::write, in which AddressSanitizer ends programs for bytes after an
// object.
size_t copyReadable(const void* source, void* target, size_t size) {
    constexpr uintptr_t kPage = 4096;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return 0;
    const FileDescriptor out(ends[0]), in(ends[1]);
    const auto* from = static_cast<const std::byte*>(source);
    auto* to = static_cast<std::byte*>(target);
    size_t done = 0;
    while (done < size) {
        const size_t rest = kPage - reinterpret_cast<uintptr_t>(from + done) % kPage;
        const ssize_t written =
            ::syscall(SYS_write, in.number(), from + done, std::min(size - done, rest));
        if (written <= 0) break;
        const ssize_t got = ::read(out.number(), to + done, static_cast<size_t>(written));
        if (got <= 0) break;
        done += static_cast<size_t>(got);
    }
    return done;
}

bool matchesPattern(const std::string& pattern, const std::string& name, bool ignoreCase) {
    return ::fnmatch(pattern.c_str(), name.c_str(), ignoreCase ? FNM_CASEFOLD : 0) == 0;
}

}  // namespace coopvk::layer::system

// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <optional>

#include "supervisor.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool::system {
namespace {

namespace fs = std::filesystem;

constexpr std::array kCrashSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

[[noreturn]] void becomeProgram(const std::vector<std::string>& command, const Environment& set,
                                const std::vector<std::string>& unset, const std::string& output,
                                int failure) {
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    const int out = ::open(output.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    for (const std::string& name : unset) ::unsetenv(name.c_str());
    for (const auto& [name, value] : set) ::setenv(name.c_str(), value.c_str(), 1);
    const int error = replaceBy(command);
    [[maybe_unused]] const ssize_t written = ::write(failure, &error, sizeof(error));
    ::_exit(EXIT_FAILURE);
}

// The status of a child; nothing where it had to be ended after so many seconds, or 0.
std::optional<int> waitFor(pid_t child, double limit) {
    using Clock = std::chrono::steady_clock;
    constexpr timespec kPause = {0, 5'000'000};
    const Clock::time_point start = Clock::now();
    bool isEnded = false;
    int status = 0;
    for (;;) {
        const pid_t got = ::waitpid(child, &status, limit > 0 && !isEnded ? WNOHANG : 0);
        if (got == child) return isEnded ? std::nullopt : std::optional(status);
        if (got < 0 && errno != EINTR) return 0;
        if (got != 0) continue;
        isEnded = std::chrono::duration<double>(Clock::now() - start).count() > limit;
        if (isEnded)
            ::kill(child, SIGKILL);
        else
            ::nanosleep(&kPause, nullptr);
    }
}

std::string failureOf(int status) {
    if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? "" : "status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

const bool kHasWine = true;
const char* const kLoaderLibrary = "libvulkan.so.1";
const char* const kManifestFolders = "neither in ../share/vulkan/implicit_layer.d nor in ../layer";

std::vector<fs::path> manifestFolders(const fs::path& program) {
    const fs::path above = program.parent_path().parent_path();
    return {above / "share/vulkan/implicit_layer.d", above / "layer"};
}

// It looks into folders.
std::string registerManifest(const fs::path&, bool) { return {}; }
std::string unregisterManifest(const fs::path&, bool) { return {}; }

const char* const kCudaLibrary = "libcuda.so.1";
void* loadLibrary(const char* name) { return ::dlopen(name, RTLD_NOW | RTLD_LOCAL); }
void* functionOf(void* library, const char* name) { return ::dlsym(library, name); }

fs::path findProgram(const std::string& name) {
    const auto isProgram = [](const fs::path& path) {
        std::error_code error;
        return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string::npos) return isProgram(name) ? fs::path(name) : fs::path();
    const char* variable = std::getenv("PATH");
    std::string_view folders = variable == nullptr ? "/bin:/usr/bin" : variable;
    for (;;) {
        const std::string_view folder = folders.substr(0, folders.find(':'));
        if (const fs::path path = fs::path(folder) / name; isProgram(path)) return path;
        if (folder.size() == folders.size()) return {};
        folders.remove_prefix(folder.size() + 1);
    }
}

std::string makeTemporaryFile() {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    if (error) return {};
    std::string path = (folder / "coopvk-run-XXXXXX").string();
    const int file = ::mkostemp(path.data(), O_CLOEXEC);
    if (file < 0) return {};
    ::close(file);
    return path;
}

// For a POSIX shell.
std::vector<std::string> showCommand(const std::filesystem::path& path) {
    return {"xdg-open", path.string()};
}

std::string setCommand(const std::string& name, const std::string& value) {
    std::string quoted = "'";
    for (const char c : value) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return "export " + name + '=' + quoted + "'";
}

std::string unsetCommand(const std::string& name) { return "unset " + name; }

std::span<const int> crashSignals() { return kCrashSignals; }

void writeToErrorStream(std::string_view text) noexcept {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    static_cast<void>(written);
}

ProcessEnd runIntoFile(const std::vector<std::string>& command, const Environment& set,
                       const std::vector<std::string>& unset, const std::string& output,
                       double limit) {
    ProcessEnd end;
    int failure[2];
    if (::pipe2(failure, O_CLOEXEC) != 0) return {errno, {}};
    const pid_t child = ::fork();
    if (child == 0) becomeProgram(command, set, unset, output, failure[1]);
    ::close(failure[1]);
    if (child < 0) end.error = errno;
    const std::optional<int> status = child > 0 ? waitFor(child, limit) : 0;
    int error = 0;
    if (::read(failure[0], &error, sizeof(error)) == sizeof(error)) end.error = error;
    ::close(failure[0]);
    end.failure = status ? failureOf(*status) : noEndWithin(limit);
    return end;
}

bool readsTerminal() { return ::isatty(STDIN_FILENO) != 0; }
bool writesTerminal() { return ::isatty(STDOUT_FILENO) != 0; }

size_t terminalColumns() {
    winsize size = {};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace coopvk::tool::system

// SPDX-License-Identifier: Apache-2.0
#include "advise/measure.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>

#include "supervisor.hpp"
#include "temporary_file.hpp"

namespace coopvk::tool {
namespace {

constexpr size_t kMaxOutput = size_t{16} << 20;  // bytes that are looked at

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

std::string failureOf(int status) {
    if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? "" : "status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Run runOnce(const std::vector<std::string>& command, const Environment& set,
            const std::vector<std::string>& unset) {
    Run run;
    const TemporaryFile output;
    int failure[2];
    if (output.path().empty() || ::pipe2(failure, O_CLOEXEC) != 0) {
        run.error = errno;
        return run;
    }
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = ::fork();
    if (child == 0) becomeProgram(command, set, unset, output.path(), failure[1]);
    ::close(failure[1]);
    int status = 0;
    if (child < 0) run.error = errno;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    int error = 0;
    if (::read(failure[0], &error, sizeof(error)) == sizeof(error)) run.error = error;
    ::close(failure[0]);
    run.failure = failureOf(status);
    run.output = output.text();
    if (run.output.size() > kMaxOutput) run.output.erase(0, run.output.size() - kMaxOutput);
    return run;
}

}  // namespace coopvk::tool

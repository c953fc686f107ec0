// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "supervisor.hpp"

namespace coopvk::tool {
namespace {

constexpr std::array kPassedOn = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGWINCH};

volatile sig_atomic_t programId = 0;

// The program also gets signals that the kernel sends for a key of the terminal. Only this process
// gets signals that another process sends to it.
void passOn(int number, siginfo_t* info, void*) {
    const int error = errno;
    if (info->si_code <= 0 && programId > 0) ::kill(programId, number);
    errno = error;
}

void passSignalsOn() {
    struct sigaction action = {};
    action.sa_sigaction = passOn;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (const int number : kPassedOn) {
        struct sigaction before = {};
        ::sigaction(number, nullptr, &before);
        // Signals that are ignored, for example because of nohup, stay ignored in the program.
        if (before.sa_handler != SIG_IGN) ::sigaction(number, &action, nullptr);
    }
}

[[noreturn]] void becomeProgram(const std::vector<std::string>& command, pid_t parent, int failure,
                                const sigset_t& signals) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(EXIT_FAILURE);
    ::sigprocmask(SIG_SETMASK, &signals, nullptr);
    const int error = replaceBy(command);
    [[maybe_unused]] const ssize_t written = ::write(failure, &error, sizeof(error));
    ::_exit(EXIT_FAILURE);
}

// The program's status. This process also waits for children that the program left.
int waitFor(pid_t child) {
    for (;;) {
        int status = 0;
        const pid_t ended = ::waitpid(-1, &status, 0);
        if (ended == child) return status;
        if (ended < 0 && errno != EINTR) return 0;
    }
}

bool hasChildren() {
    pid_t ended = 0;
    do {
        ended = ::waitpid(-1, nullptr, WNOHANG);
    } while (ended > 0);
    return ended == 0;
}

}  // namespace

Ended runAndWait(const std::vector<std::string>& command) {
    Ended result;
    int failure[2];
    if (::pipe2(failure, O_CLOEXEC) != 0) return {errno, 0, false};
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    // No signal may arrive between the fork and the time when the program's number is known.
    sigset_t all, signals;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &signals);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) becomeProgram(command, parent, failure[1], signals);
    result.error = child < 0 ? errno : 0;
    programId = child;
    passSignalsOn();
    ::sigprocmask(SIG_SETMASK, &signals, nullptr);
    ::close(failure[1]);
    if (child > 0) {
        int error = 0;
        ssize_t size = 0;
        do {
            size = ::read(failure[0], &error, sizeof(error));
        } while (size < 0 && errno == EINTR);
        result.status = waitFor(child);
        programId = 0;
        if (size == sizeof(error)) result.error = error;
    }
    ::close(failure[0]);
    result.othersLeft = hasChildren();
    return result;
}

void endLike(int status) {
    if (WIFSIGNALED(status)) {
        const rlimit none = {};
        ::setrlimit(RLIMIT_CORE, &none);  // the program has left its own
        ::signal(WTERMSIG(status), SIG_DFL);
        sigset_t signals;
        ::sigemptyset(&signals);
        ::sigprocmask(SIG_SETMASK, &signals, nullptr);
        ::raise(WTERMSIG(status));
    }
    std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE);
}

int replaceBy(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const std::string& argument : command) {
        arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
    return errno;
}

}  // namespace coopvk::tool

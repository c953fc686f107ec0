// SPDX-License-Identifier: Apache-2.0
#include <windows.h>

#include <cerrno>
#include <cstdlib>
#include <cwchar>
#include <filesystem>
#include <format>
#include <utility>

#include "supervisor.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

// Closes it at the end.
class Handle {
 public:
    explicit Handle(HANDLE handle) : handle_(handle) {}
    Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Handle& operator=(Handle&&) = delete;
    ~Handle() {
        if (handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE) ::CloseHandle(handle_);
    }
    HANDLE get() const { return handle_; }

 private:
    HANDLE handle_;
};

// As CommandLineToArgvW takes it apart: backslashes count before a quotation mark only.
std::wstring quote(const std::wstring& argument) {
    if (!argument.empty() && argument.find_first_of(L" \t\n\v\"") == argument.npos) return argument;
    std::wstring quoted = L"\"";
    size_t backslashes = 0;
    for (const wchar_t c : argument) {
        if (c == L'"') quoted.append(backslashes + 1, L'\\');
        backslashes = c == L'\\' ? backslashes + 1 : 0;
        quoted += c;
    }
    return quoted.append(backslashes, L'\\') + L'"';
}

std::wstring commandLine(const std::vector<std::string>& command) {
    std::wstring line;
    for (const std::string& argument : command) {
        line += (line.empty() ? L"" : L" ") + quote(fs::path(argument).native());
    }
    return line;
}

struct Started {
    int error = 0;
    Handle process{nullptr}, thread{nullptr};
};

Started start(const std::vector<std::string>& command, STARTUPINFOW startup, DWORD flags,
              void* environment) {
    const fs::path program = system::findProgram(command.front());
    if (program.empty()) return {ENOENT};
    std::wstring line = commandLine(command);
    startup.cb = sizeof(startup);
    PROCESS_INFORMATION info = {};
    if (::CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE, flags, environment,
                         nullptr, &startup, &info) == 0) {
        return {EACCES};
    }
    return {0, Handle(info.hProcess), Handle(info.hThread)};
}

DWORD waitFor(const Handle& process) {
    DWORD status = EXIT_FAILURE;
    ::WaitForSingleObject(process.get(), INFINITE);
    ::GetExitCodeProcess(process.get(), &status);
    return status;
}

// Whether the programs of the job end with this process, which has the only handle to it.
void killAtTheEnd(const Handle& job, bool kill) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
    limits.BasicLimitInformation.LimitFlags = kill ? JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE : 0;
    ::SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits,
                              sizeof(limits));
}

bool hasProcesses(const Handle& job) {
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION counts = {};
    return ::QueryInformationJobObject(job.get(), JobObjectBasicAccountingInformation, &counts,
                                       sizeof(counts), nullptr) != 0 &&
           counts.ActiveProcesses > 0;
}

// Keys of the console are for the program, which gets them, too.
BOOL WINAPI ignoreKeys(DWORD event) { return event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT; }

// This process's environment with changes: NAME=VALUE, a zero behind each, and one behind all.
std::wstring environmentWith(const Environment& set, const std::vector<std::string>& unset) {
    std::vector<std::pair<std::wstring, std::wstring>> changes;
    for (const std::string& name : unset) changes.emplace_back(fs::path(name).native(), L"");
    for (const auto& [name, value] : set) {
        changes.emplace_back(fs::path(name).native(), fs::path(value).native());
    }
    std::wstring block;
    wchar_t* const all = ::GetEnvironmentStringsW();
    for (const wchar_t* entry = all; *entry != L'\0'; entry += std::wcslen(entry) + 1) {
        bool isChanged = false;
        for (const auto& [name, value] : changes) {
            isChanged = isChanged || (::_wcsnicmp(entry, name.c_str(), name.size()) == 0 &&
                                      entry[name.size()] == L'=');
        }
        if (!isChanged) block.append(entry).push_back(L'\0');
    }
    ::FreeEnvironmentStringsW(all);
    for (const auto& [name, value] : changes) {
        if (!value.empty()) block.append(name + L'=' + value).push_back(L'\0');
    }
    block.push_back(L'\0');
    return block;
}

// For a program that inherits it.
Handle openInherited(const fs::path& path, DWORD access) {
    SECURITY_ATTRIBUTES inherited = {sizeof(inherited), nullptr, TRUE};
    return Handle(::CreateFileW(path.c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                &inherited, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
}

}  // namespace

Ended runAndWait(const std::vector<std::string>& command) {
    const Handle job(::CreateJobObjectW(nullptr, nullptr));
    killAtTheEnd(job, true);
    ::SetConsoleCtrlHandler(ignoreKeys, TRUE);
    const Started started = start(command, {}, CREATE_SUSPENDED, nullptr);
    Ended result;
    result.error = started.error;
    if (result.error != 0) return result;
    ::AssignProcessToJobObject(job.get(), started.process.get());
    ::ResumeThread(started.thread.get());
    result.status = static_cast<int>(waitFor(started.process));
    killAtTheEnd(job, false);
    result.othersLeft = hasProcesses(job);
    return result;
}

void endLike(int status) { std::exit(status); }

int replaceBy(const std::vector<std::string>& command) {
    const Ended ended = runAndWait(command);
    if (ended.error == 0) endLike(ended.status);
    return ended.error;
}

system::ProcessEnd system::runIntoFile(const std::vector<std::string>& command,
                                       const Environment& set,
                                       const std::vector<std::string>& unset,
                                       const std::string& output, double limit) {
    constexpr DWORD kException = 0xC0000000;
    const Handle nothing = openInherited("NUL", GENERIC_READ);
    const Handle out = openInherited(output, FILE_APPEND_DATA | SYNCHRONIZE);
    STARTUPINFOW startup = {};
    startup.dwFlags = STARTF_USESTDHANDLES;
    startup.hStdInput = nothing.get();
    startup.hStdOutput = startup.hStdError = out.get();
    std::wstring environment = environmentWith(set, unset);
    const Started started = start(command, startup, CREATE_UNICODE_ENVIRONMENT, environment.data());
    if (started.error != 0) return {started.error, {}};
    if (limit > 0 && ::WaitForSingleObject(started.process.get(),
                                           static_cast<DWORD>(limit * 1000)) == WAIT_TIMEOUT) {
        ::TerminateProcess(started.process.get(), EXIT_FAILURE);
        waitFor(started.process);
        return {0, noEndWithin(limit)};
    }
    const DWORD status = waitFor(started.process);
    if (status >= kException) return {0, std::format("exception 0x{:08X}", status)};
    return {0, status == 0 ? "" : "status " + std::to_string(status)};
}

}  // namespace coopvk::tool

// SPDX-License-Identifier: Apache-2.0
#include "compare/run/crash_note.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include "system/tool_system.hpp"

namespace coopvk::compare {
namespace {

// A signal handler may safely use nothing else.
thread_local std::array<char, 512> currentCase;
thread_local volatile std::sig_atomic_t currentLength = 0;

void onCrash(int signal) {
    using tool::system::writeToErrorStream;
    writeToErrorStream("coopvk compare: crash in case ");
    writeToErrorStream({currentCase.data(), static_cast<size_t>(currentLength)});
    writeToErrorStream(currentLength ? "\n" : "(a thread of the driver's)\n");
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

CrashNote::CrashNote(const std::string& name) {
    const size_t length = std::min(name.size(), currentCase.size());
    std::copy_n(name.begin(), length, currentCase.begin());
    currentLength = static_cast<std::sig_atomic_t>(length);
    for (const int signal : tool::system::crashSignals()) std::signal(signal, onCrash);
}

CrashNote::~CrashNote() { currentLength = 0; }

}  // namespace coopvk::compare

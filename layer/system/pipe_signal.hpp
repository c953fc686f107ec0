// SPDX-License-Identifier: Apache-2.0
//
// Prevents SIGPIPE, which ends an application by default, when writing to a pipe without a reader.
#pragma once

#include <signal.h>

#include <ctime>

namespace coopvk::layer {

// While this object exists, the thread gets EPIPE instead of SIGPIPE for its writes. Signals that
// were already pending for the thread or the process stay pending.
class PipeSignalHeld {
 public:
    PipeSignalHeld() noexcept {
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        sigset_t waiting;
        sigpending(&waiting);
        isHeld_ = sigismember(&waiting, SIGPIPE) == 0 &&
                  pthread_sigmask(SIG_BLOCK, &pipe_, &before_) == 0;
    }
    ~PipeSignalHeld() {
        if (!isHeld_) return;
        const timespec none = {};
        sigtimedwait(&pipe_, nullptr, &none);
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    PipeSignalHeld(const PipeSignalHeld&) = delete;
    PipeSignalHeld& operator=(const PipeSignalHeld&) = delete;

 private:
    sigset_t pipe_ = {}, before_ = {};
    bool isHeld_ = false;
};

}  // namespace coopvk::layer

// SPDX-License-Identifier: Apache-2.0
//
// Writing to a pipe whose reader is gone without the signal that ends the application by default.
#pragma once

#include <signal.h>

#include <ctime>

namespace coopvk::layer {

// While it lives, this thread gets no SIGPIPE for what it writes: EPIPE tells. Signals that wait
// for the thread or the process already are left to them.
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

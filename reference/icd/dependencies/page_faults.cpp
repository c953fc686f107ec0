// SPDX-License-Identifier: Apache-2.0
#include "dependencies/page_faults.hpp"

#include <ucontext.h>

#include <csignal>
#include <mutex>
#include <vector>

#include "dependencies/host_copies.hpp"

namespace coopvk::reference::icd {
namespace {

struct Handlers {
    std::mutex mutex;
    std::vector<HostCopies*> all;
    struct sigaction before = {};
};

Handlers& handlers() {
    static Handlers& only = *new Handlers;  // programs may fault while they exit
    return only;
}

// Where the processor does not say it, none is reported as a read.
bool isWriteFault([[maybe_unused]] const void* context) {
#ifdef __x86_64__
    constexpr auto kWriteBit = 2;
    return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWriteBit;
#else
    return true;
#endif
}

void onFault(int number, siginfo_t* info, void* context) {
    Handlers& known = handlers();
    {
        const std::lock_guard lock(known.mutex);
        const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
        for (HostCopies* copies : known.all)
            if (copies->open(address, isWriteFault(context))) return;
    }
    const struct sigaction& before = known.before;
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(number);
    else
        sigaction(number, &before, nullptr);  // and the access faults again
}

}  // namespace

void addFaultHandler(HostCopies* copies) {
    Handlers& known = handlers();
    const std::lock_guard lock(known.mutex);
    known.all.push_back(copies);
    if (known.all.size() != 1) return;
    struct sigaction action = {};
    action.sa_sigaction = onFault;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigaction(SIGSEGV, &action, &known.before);
}

void removeFaultHandler(HostCopies* copies) {
    Handlers& known = handlers();
    const std::lock_guard lock(known.mutex);
    std::erase(known.all, copies);
    struct sigaction now = {};
    if (known.all.empty() && sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_sigaction == onFault)
        sigaction(SIGSEGV, &known.before, nullptr);
}

}  // namespace coopvk::reference::icd

// SPDX-License-Identifier: Apache-2.0
//
// system::copyReadable, also in sandboxes that end a process which reads memory as debuggers do.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <vector>

#include "last_page.hpp"
#include "system/system.hpp"

namespace coopvk::layer {
namespace {

constexpr size_t kSize = 2048, kPage = 4096, kRest = 100;

// Whether all is copied that can be read: across a page's end, to a page's end, and nothing.
bool copiesWhatCanBeRead() {
    alignas(kPage) static unsigned char source[2 * kPage];
    for (size_t i = 0; i < std::size(source); ++i) source[i] = static_cast<unsigned char>(i % 251);
    std::vector<unsigned char> target(kSize);
    const unsigned char* const across = source + kPage - 8;
    if (system::copyReadable(across, target.data(), kSize) != kSize ||
        std::memcmp(across, target.data(), kSize) != 0) {
        return false;
    }
    const test::LastPage page;
    if (page.end() == nullptr) return false;
    std::memset(page.end() - kRest, 0x5A, kRest);
    return system::copyReadable(page.end() - kRest, target.data(), kSize) == kRest &&
           std::memcmp(page.end() - kRest, target.data(), kRest) == 0 &&
           system::copyReadable(page.end(), target.data(), kSize) == 0;
}

// Where no filter can be set, the test is the same as the one without.
void endOnReadingAsDebuggersDo() {
    sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                             BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
                             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter = {std::size(program), program};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

TEST(Readable, Copied) { EXPECT_TRUE(copiesWhatCanBeRead()); }

TEST(Readable, CopiedInASandbox) {
    const auto body = [] {
        endOnReadingAsDebuggersDo();
        std::_Exit(copiesWhatCanBeRead() ? 0 : 1);
    };
    EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace coopvk::layer

// SPDX-License-Identifier: Apache-2.0
//
// system::copyReadable, and the chains for which it is there, also in sandboxes that end a process
// which reads memory as debuggers do.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <vector>

#include "chain/pnext.hpp"
#include "last_page.hpp"
#include "system/system.hpp"

namespace coopvk::layer::posix_readable_test {
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
           system::copyReadable(page.end() - 1, target.data(), kSize) == 1 &&
           system::copyReadable(page.end(), target.data(), kSize) == 0;
}

// False where no filter can be set, as in QEMU's emulation of processes.
bool endOnReadingAsDebuggersDo() {
    sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                             BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
                             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
                             BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter = {std::size(program), program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Whether an unknown structure, and the application's structures around it, come through an edit.
bool editsChains() {
    struct {
        VkStructureType sType = static_cast<VkStructureType>(1999999001);
        const void* pNext = nullptr;
        uint64_t payload = 11;
    } unknown;
    constexpr auto kType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
    VkPhysicalDevice16BitStorageFeatures last = {};
    last.sType = kType;
    unknown.pNext = &last;
    Scratch scratch;
    ChainEditor chain(&unknown, scratch);
    if (!chain.remove(kType)) return false;
    const auto* copy = static_cast<const decltype(unknown)*>(chain.head());
    return copy != &unknown && copy->pNext == nullptr && copy->payload == 11;
}

TEST(Readable, Copied) { EXPECT_TRUE(copiesWhatCanBeRead()); }

class Sandbox : public testing::Test {
 protected:
    static constexpr int kRight = 0, kWrong = 1, kNoFilter = 2;

    // What ends a process that runs `body` in the sandbox: an exit code, or a signal as a negative
    // number.
    template <typename Body>
    static int endOf(Body body) {
        const pid_t child = ::fork();
        if (child == 0)
            ::_exit(!endOnReadingAsDebuggersDo() ? kNoFilter : body() ? kRight : kWrong);
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

    void SetUp() override {
        const int end = endOf([] {
            char from = 0, to = 0;
            const iovec source = {&from, 1}, target = {&to, 1};
            return ::process_vm_readv(::getpid(), &target, 1, &source, 1, 0) == 1;
        });
        if (end == kNoFilter) GTEST_SKIP() << "processes can have no filter of system calls here";
        ASSERT_EQ(end, -SIGSYS) << "the sandbox does not end who reads memory as debuggers do";
    }
};

TEST_F(Sandbox, MemoryIsCopied) { EXPECT_EQ(endOf(copiesWhatCanBeRead), kRight); }

TEST_F(Sandbox, ChainsWithUnknownStructuresAreEdited) { EXPECT_EQ(endOf(editsChains), kRight); }

}  // namespace
}  // namespace coopvk::layer::posix_readable_test

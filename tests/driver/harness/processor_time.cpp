// SPDX-License-Identifier: Apache-2.0
#include "processor_time.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace coopvk::test {
namespace {

// Only what is safe in a signal handler.
void onLimit(int) {
    constexpr std::string_view kText =
        "\ndriver_tests: more processor time than COOPVK_TEST_PROCESSOR_SECONDS allows\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
    _exit(EXIT_FAILURE);
}

}  // namespace

int64_t processorTime() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

void limitProcessorTime() {
    const char* text = std::getenv("COOPVK_TEST_PROCESSOR_SECONDS");
    if (!text) return;
    rlimit limit{};
    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = std::strtoul(text, nullptr, 10);
    setrlimit(RLIMIT_CPU, &limit);
    std::signal(SIGXCPU, onLimit);
}

}  // namespace coopvk::test

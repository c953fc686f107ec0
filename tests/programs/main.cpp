// SPDX-License-Identifier: Apache-2.0
//
// usage: random_programs [--count N] [--seconds T] [--seed S] [--threads T] [--every T] [--text]
//                        [--kind matrices|vectors|long-vectors] [--size small|large]
// Executes random programs natively and through coopvk on the reference device. Program n has the
// seed S + n. It prints the seeds of those that part, and every 60 seconds and at the end how many
// it executed. It ends after N programs, or after T seconds.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "case.hpp"

namespace coopvk::programs {
namespace {

using check::Verdict;
using Clock = std::chrono::steady_clock;

struct Arguments {
    // count: 0 is 1000, or without an end if there are seconds.
    uint64_t count = 0, seconds = 0, seed = 1, threads = 0, every = 60;
    bool text = false;           // print the program, what it becomes, and its outcome
    const Kind* kind = nullptr;  // of all programs; null: of any kind
    std::optional<Size> size;    // the same
};

class Runner {
 public:
    explicit Runner(const Arguments& arguments) : arguments_(arguments), begin_(Clock::now()) {
        if (arguments_.seconds != 0) end_ = begin_ + std::chrono::seconds(arguments_.seconds);
        if (arguments_.count == 0) arguments_.count = arguments_.seconds != 0 ? UINT64_MAX : 1000;
    }

    int run() {
        std::jthread reporter([this](const std::stop_token& stop) { report(stop); });
        std::vector<std::jthread> threads;
        uint64_t count = arguments_.threads;
        if (count == 0) count = std::thread::hardware_concurrency();
        for (uint64_t t = 0; t < count; ++t) threads.emplace_back([this] { work(); });
        threads.clear();
        reporter.request_stop();
        reporter.join();
        const std::lock_guard lock(mutex_);
        print("");
        return isBad_ ? EXIT_FAILURE : EXIT_SUCCESS;
    }

 private:
    void work() {
        while (Clock::now() < end_) {
            const uint64_t number = next_.fetch_add(1);
            if (number >= arguments_.count) return;
            const Case made = caseOf(arguments_.seed + number, arguments_.kind, arguments_.size);
            Result result;
            const auto words = assemble(made.program.text, result.message);
            result.verdict = Verdict::kNotExecutable;
            if (arguments_.text) {
                std::printf("%s\n; rewritten:\n%s\n", made.program.text.c_str(),
                            words ? rewritten(made, *words, targetOf(made)).c_str() : "");
                std::fflush(stdout);  // execution may end the process
            }
            if (words) result = execute(made, *words);
            note(made, result);
        }
    }

    void report(const std::stop_token& stop) {
        std::mutex own;
        std::condition_variable_any wakes;
        std::unique_lock lock(own);
        const auto every = std::chrono::seconds(arguments_.every);
        while (!wakes.wait_for(lock, stop, every, [] { return false; }) && !stop.stop_requested()) {
            const std::lock_guard counts(mutex_);
            print("so far: ");
        }
    }

    // All seeds below the first one that is not counted are done, but for one of each thread.
    void print(const char* prefix) const {
        const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
        uint64_t done = 0;
        for (const auto& [verdict, number] : verdicts_) done += number;
        std::printf("%s%llu programs in %.1f s, %.1f in a second:", prefix,
                    static_cast<unsigned long long>(done), seconds,
                    static_cast<double>(done) / seconds);
        for (const auto& [verdict, number] : verdicts_)
            std::printf(" %llu %s,", static_cast<unsigned long long>(number),
                        std::string(check::nameOf(verdict)).c_str());
        std::printf(" %llu rely on reconvergence,", static_cast<unsigned long long>(relying_));
        std::printf(" seeds from %llu\n", static_cast<unsigned long long>(arguments_.seed));
        std::fflush(stdout);
    }

    void note(const Case& made, const Result& result) {
        const std::lock_guard lock(mutex_);
        ++verdicts_[result.verdict];
        relying_ += result.reliesOnReconvergence ? 1 : 0;
        isBad_ |= !isGood(result.verdict);
        if (isGood(result.verdict) && !arguments_.text) return;
        std::printf("seed %llu, %u lanes, %s, %s: %s: %s\n",
                    static_cast<unsigned long long>(made.seed), made.program.lanes,
                    std::string(made.deviceClass).c_str(),
                    made.backEnd == rewrite::BackEnd::kCore ? "core" : "native",
                    std::string(check::nameOf(result.verdict)).c_str(), result.message.c_str());
        std::fflush(stdout);
    }

    Arguments arguments_;
    Clock::time_point begin_, end_ = Clock::time_point::max();
    std::atomic<uint64_t> next_ = 0;
    std::mutex mutex_;
    std::map<Verdict, uint64_t> verdicts_;
    uint64_t relying_ = 0;
    bool isBad_ = false;
};

bool read(int argc, char** argv, Arguments& arguments) {
    struct Row {
        const char* name;
        uint64_t Arguments::* value;
    };
    static constexpr Row kRows[] = {
        {"--count", &Arguments::count}, {"--seconds", &Arguments::seconds},
        {"--seed", &Arguments::seed},   {"--threads", &Arguments::threads},
        {"--every", &Arguments::every},
    };
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--text") == 0) {
            arguments.text = true;
            continue;
        }
        bool isKnown = false;
        if (std::strcmp(argv[i], "--size") == 0 && i + 1 != argc) {
            const std::string_view size = argv[++i];
            if (size != "small" && size != "large") return false;
            arguments.size = size == "small" ? Size::kSmall : Size::kLarge;
            continue;
        }
        if (std::strcmp(argv[i], "--kind") == 0 && i + 1 != argc) {
            const auto* kind = std::ranges::find(kKinds, std::string_view(argv[++i]), &Kind::name);
            if (kind == std::end(kKinds)) return false;
            arguments.kind = kind;
            continue;
        }
        for (const Row& row : kRows) {
            if (std::strcmp(argv[i], row.name) != 0 || i + 1 == argc) continue;
            arguments.*row.value = std::strtoull(argv[++i], nullptr, 10);
            isKnown = true;
        }
        if (!isKnown) return false;
    }
    return arguments.every != 0;
}

}  // namespace
}  // namespace coopvk::programs

int main(int argc, char** argv) {
    coopvk::programs::Arguments arguments;
    if (!coopvk::programs::read(argc, argv, arguments)) {
        std::fputs(
            "usage: random_programs [--count N] [--seconds T] [--seed S] [--threads T] [--every T] "
            "[--text] [--kind matrices|vectors|long-vectors] [--size small|large]\n",
            stderr);
        return 2;
    }
    return coopvk::programs::Runner(arguments).run();
}

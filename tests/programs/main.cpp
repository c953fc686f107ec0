// SPDX-License-Identifier: Apache-2.0
//
// usage: random_programs [--count N] [--seed S] [--threads T] [--text]
// Executes random programs natively and through coopvk on the reference device. Program n has the
// seed S + n. It prints the seeds of those that part, and how many it executed in which time.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <spirv-tools/libspirv.hpp>
#include <thread>

#include "check.hpp"
#include "program.hpp"

namespace coopvk::programs {
namespace {

using check::Verdict;
using Clock = std::chrono::steady_clock;

struct Arguments {
    uint64_t count = 1000, seed = 1, threads = 0;
    bool text = false;  // print the program and its outcome
};

// What the seed chooses besides the program.
struct Case {
    Program program;
    rewrite::BackEnd backEnd;
    reference::Choice schedule;
    bool validate;  // SPIRV-Tools' validator takes half of the time
};

Case caseOf(uint64_t seed) {
    check::Random random(seed);
    const uint32_t lanes = 4u << random.below(6);
    const bool isVector = random.below(4) == 0;
    const uint64_t own = random.next();
    return {isVector ? vectorProgram(own, lanes) : matrixProgram(own, lanes),
            random.below(3) == 0 ? rewrite::BackEnd::kNative : rewrite::BackEnd::kCore,
            static_cast<reference::Choice>(random.below(3)), random.below(8) == 0};
}

struct Result {
    Verdict verdict = Verdict::kInvalid;
    std::string message;
};

std::string messageOf(const check::Outcome& outcome) {
    std::string text = outcome.message;
    for (const check::Difference& difference : outcome.comparison.differences)
        text += "\n  " + difference.buffer + ", byte " + std::to_string(difference.byte) + ": " +
                difference.rewritten + ", not " + difference.native;
    for (const reference::Report& report : outcome.native)
        text += "\n  native: " + reference::describe(report);
    for (const reference::Report& report : outcome.rewritten)
        text += "\n  rewritten: " + reference::describe(report);
    return text;
}

Result execute(uint64_t seed, const Case& made) {
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    std::string problem;
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t& at, const char* message) {
            problem += "line " + std::to_string(at.line + 1) + ": " + message;
        });
    std::vector<uint32_t> words;
    if (!tools.Assemble(made.program.text, &words)) return {Verdict::kNotExecutable, problem};
    check::Subject subject{.words = words};
    subject.target.device = check::referenceTraits();
    check::Options options;
    options.lanes = {made.program.lanes};
    options.backEnds = {made.backEnd};
    options.schedules = {made.schedule};
    options.threads = 1;
    options.steps = 1u << 20;
    options.validate = made.validate;
    options.memory.seed = seed;
    options.memory.bufferSize = kBufferSize;
    const auto push = std::as_bytes(std::span(made.program.push));
    options.memory.pushConstants.assign(push.begin(), push.end());
    const std::vector<check::Outcome> outcomes = check::check(subject, options);
    return {outcomes.front().verdict, messageOf(outcomes.front())};
}

class Runner {
 public:
    explicit Runner(const Arguments& arguments) : arguments_(arguments) {}

    int run() {
        const auto begin = Clock::now();
        std::vector<std::jthread> threads;
        uint64_t count = arguments_.threads;
        if (count == 0) count = std::thread::hardware_concurrency();
        for (uint64_t t = 0; t < count; ++t) threads.emplace_back([this] { work(); });
        threads.clear();
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        std::printf("%llu programs in %.1f s, %.1f in a second:",
                    static_cast<unsigned long long>(arguments_.count), seconds,
                    static_cast<double>(arguments_.count) / seconds);
        for (const auto& [verdict, number] : verdicts_)
            std::printf(" %llu %s,", static_cast<unsigned long long>(number),
                        std::string(check::nameOf(verdict)).c_str());
        std::printf(" seeds from %llu\n", static_cast<unsigned long long>(arguments_.seed));
        return isBad_ ? EXIT_FAILURE : EXIT_SUCCESS;
    }

 private:
    void work() {
        for (;;) {
            const uint64_t number = next_.fetch_add(1);
            if (number >= arguments_.count) return;
            const uint64_t seed = arguments_.seed + number;
            const Case made = caseOf(seed);
            const Result result = execute(seed, made);
            note(seed, made, result);
        }
    }

    void note(uint64_t seed, const Case& made, const Result& result) {
        const std::lock_guard lock(mutex_);
        ++verdicts_[result.verdict];
        // The native back-end does not suit every program; all else is a fault of somebody.
        const bool isGood =
            result.verdict == Verdict::kAgrees || result.verdict == Verdict::kNotApplicable;
        isBad_ |= !isGood;
        if (arguments_.text) std::printf("%s", made.program.text.c_str());
        if (isGood && !arguments_.text) return;
        std::printf("seed %llu, %u lanes, %s: %s: %s\n", static_cast<unsigned long long>(seed),
                    made.program.lanes, made.backEnd == rewrite::BackEnd::kCore ? "core" : "native",
                    std::string(check::nameOf(result.verdict)).c_str(), result.message.c_str());
        std::fflush(stdout);
    }

    const Arguments& arguments_;
    std::atomic<uint64_t> next_ = 0;
    std::mutex mutex_;
    std::map<Verdict, uint64_t> verdicts_;
    bool isBad_ = false;
};

bool read(int argc, char** argv, Arguments& arguments) {
    struct Row {
        const char* name;
        uint64_t Arguments::* value;
    };
    static constexpr Row kRows[] = {{"--count", &Arguments::count},
                                    {"--seed", &Arguments::seed},
                                    {"--threads", &Arguments::threads}};
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--text") == 0) {
            arguments.text = true;
            continue;
        }
        bool isKnown = false;
        for (const Row& row : kRows) {
            if (std::strcmp(argv[i], row.name) != 0 || i + 1 == argc) continue;
            arguments.*row.value = std::strtoull(argv[++i], nullptr, 10);
            isKnown = true;
        }
        if (!isKnown) return false;
    }
    return true;
}

}  // namespace
}  // namespace coopvk::programs

int main(int argc, char** argv) {
    coopvk::programs::Arguments arguments;
    if (!coopvk::programs::read(argc, argv, arguments)) {
        std::fputs("usage: random_programs [--count N] [--seed S] [--threads T] [--text]\n",
                   stderr);
        return 2;
    }
    return coopvk::programs::Runner(arguments).run();
}

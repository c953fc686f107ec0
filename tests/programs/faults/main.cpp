// SPDX-License-Identifier: Apache-2.0
//
// usage: planted_faults [--count N | --seconds S] [--seed S] [--threads T] [--fault NAME]
// [--explain] Makes N random programs, plants faults at random places of what coopvk makes of each,
// one at a time, and asks `coopvk check`. It fails if a fault is missed that changes what a program
// writes, or if there is one where none is planted. Without --count: a few programs, or as many as
// have a thousand faults with COOPVK_TEST_FULL=1. With --seconds: as many as are made in that time,
// but for those that take long to check.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "../../test_part.hpp"
#include "effect.hpp"
#include "faults.hpp"

namespace coopvk::programs {
namespace {

using check::Verdict;

// Programs of a run.
constexpr uint64_t kFull = 800, kPart = 12;
// Faults of a program that change something, each of another kind.
constexpr uint32_t kFaultsOfProgram = 6;
// Bytes of the text of what a program becomes; larger ones take long.
constexpr size_t kMostText = 100000;
// A check that takes longer is of a program that a run of limited time leaves out: it is repeated
// for each fault.
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLongestCheck{2};
constexpr uint64_t kFirstSeed = 7000000001;

struct Arguments {
    uint64_t count = 0, seconds = 0, seed = kFirstSeed, threads = 0;
    std::string_view fault;  // empty: each in turn
    bool explain = false;
};

enum Count { kPlanted, kNothing, kFound, kPermitted, kMissed, kCounts };
constexpr const char* kCountNames[] = {"planted", "changed nothing", "found", "permitted",
                                       "missed"};
using Counts = std::array<uint64_t, kCounts>;

// A program, and the text of what it becomes.
struct Subject {
    Case made;
    std::vector<uint32_t> words;
    std::string text;
};

class Campaign {
 public:
    explicit Campaign(const Arguments& arguments) : arguments_(arguments) {
        for (const Fault& fault : faults()) {
            if (!arguments.fault.empty() && arguments.fault != fault.name) continue;
            if (kinds_.empty() || kinds_.back().front()->kind != fault.kind) kinds_.emplace_back();
            kinds_.back().push_back(&fault);
        }
        // Those of which programs have few places are the last ones in the list.
        std::ranges::reverse(kinds_);
    }

    int run() {
        if (kinds_.empty()) return 2;
        uint64_t threads = arguments_.threads;
        if (threads == 0) threads = std::thread::hardware_concurrency();
        {
            std::vector<std::jthread> running;
            for (uint64_t t = 0; t < threads; ++t) running.emplace_back([this] { work(); });
        }
        // A run that finds nothing shows nothing; one fault alone may have no place.
        const bool isEmpty = print() == 0 && arguments_.fault.empty();
        return isBad_ || isEmpty ? EXIT_FAILURE : EXIT_SUCCESS;
    }

 private:
    void work() {
        while (!isOver()) {
            const uint64_t number = next_++;
            if (arguments_.seconds == 0 && number >= arguments_.count) return;
            ++made_;
            const auto subject = subjectOf(arguments_.seed + number);
            if (!subject) continue;
            const Clock::time_point start = Clock::now();
            if (!agrees(*subject)) continue;
            if (arguments_.seconds != 0 && Clock::now() - start > kLongestCheck) {
                ++long_;
                continue;
            }
            ++programs_;
            plantIn(*subject);
        }
    }

    bool isOver() const {
        return arguments_.seconds != 0 &&
               Clock::now() - start_ > std::chrono::seconds(arguments_.seconds);
    }

    void plantIn(const Subject& subject) {
        std::string problem;
        Effects effects(subject.made, subject.words, *assemble(subject.text, problem));
        check::Random random(subject.made.seed);
        uint32_t planted = 0;
        for (const std::vector<const Fault*>& kind : kinds_) {
            if (isOver()) return;
            const uint64_t first = random.below(kind.size());
            for (size_t f = 0; f < kind.size(); ++f) {
                const Fault& fault = *kind[(first + f) % kind.size()];
                if (!plantOne(fault, subject, effects, random)) continue;
                if (++planted == kFaultsOfProgram) return;
                break;
            }
        }
    }

    std::optional<Subject> subjectOf(uint64_t seed) const {
        Subject subject{.made = caseOf(seed)};
        if (!subject.made.program.canBeValidated) return std::nullopt;
        std::string problem;
        const auto words = assemble(subject.made.program.text, problem);
        if (!words) return std::nullopt;
        subject.words = *words;
        subject.text = rewritten(subject.made, *words, targetOf(subject.made));
        if (subject.text.empty() || subject.text.size() > kMostText) return std::nullopt;
        return subject;
    }

    bool agrees(const Subject& subject) {
        std::string problem;
        const auto words = assemble(subject.text, problem);
        if (!words) return false;
        Result result = judge(subject, *words);
        if (isGood(result.verdict)) return result.verdict == Verdict::kAgrees;
        result = execute(subject.made, subject.words, *words, More::kAll);
        if (isGood(result.verdict))
            ++long_;  // than a program with a fault may be
        else
            note("nothing planted", subject, result.message, true);
        return false;
    }

    static Result judge(const Subject& subject, std::span<const uint32_t> words) {
        return execute(subject.made, subject.words, words, More::kAll, kStepsWithFault);
    }

    // Whether a fault was planted that changes something.
    bool plantOne(const Fault& fault, const Subject& subject, Effects& effects,
                  check::Random& random) {
        std::string problem, where;
        const std::string text = plant(fault, subject.text, random);
        const auto words = text.empty() ? std::nullopt : assemble(text, problem);
        if (!words || !effects.isValid(*words)) return false;
        const Effect effect = effects.of(*words, where);
        if (effect == Effect::kNone) {
            count(fault, kNothing);
            return false;
        }
        const Result result = judge(subject, *words);
        const Count as = check::isFault(result.verdict) ? kFound
                         : effect == Effect::kPermitted ? kPermitted
                                                        : kMissed;
        count(fault, as);
        if (as == kMissed || arguments_.explain)
            note(std::string(fault.name) + ", " + kCountNames[as], subject,
                 std::string(check::nameOf(result.verdict)) + ", " + where + result.message,
                 as == kMissed);
        return true;
    }

    void count(const Fault& fault, Count as) {
        const std::lock_guard lock(mutex_);
        Counts& counts = counts_[fault.kind];
        ++counts[kPlanted];
        ++counts[as];
    }

    void note(const std::string& what, const Subject& subject, const std::string& message,
              bool isBad) {
        const std::lock_guard lock(mutex_);
        isBad_ |= isBad;
        std::printf("%s%s: seed %llu, %u lanes: %s\n", isBad ? "BAD " : "", what.c_str(),
                    static_cast<unsigned long long>(subject.made.seed), subject.made.program.lanes,
                    message.c_str());
        std::fflush(stdout);
    }

    // Returns how many faults were found.
    uint64_t print() const {
        Counts all = {};
        const auto row = [](std::string_view kind, const Counts& counts) {
            std::printf("%.*s:", static_cast<int>(kind.size()), kind.data());
            for (size_t i = 0; i < kCounts; ++i)
                std::printf("%s %llu %s", i == 0 ? "" : ",",
                            static_cast<unsigned long long>(counts[i]), kCountNames[i]);
            std::printf("\n");
        };
        for (const auto& [kind, counts] : counts_) {
            row(kind, counts);
            for (size_t i = 0; i < kCounts; ++i) all[i] += counts[i];
        }
        row("all", all);
        std::printf("in %llu programs of %llu; %llu take long to check\n",
                    static_cast<unsigned long long>(programs_),
                    static_cast<unsigned long long>(made_), static_cast<unsigned long long>(long_));
        return all[kFound];
    }

    Arguments arguments_;
    std::vector<std::vector<const Fault*>> kinds_;
    const Clock::time_point start_ = Clock::now();
    std::atomic<uint64_t> next_ = 0, made_ = 0, programs_ = 0, long_ = 0;
    std::mutex mutex_;
    std::map<std::string_view, Counts> counts_;
    bool isBad_ = false;
};

bool read(int argc, char** argv, Arguments& arguments) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view name = argv[i];
        if (name == "--explain") {
            arguments.explain = true;
            continue;
        }
        if (i + 1 == argc) return false;
        const char* value = argv[++i];
        if (name == "--fault")
            arguments.fault = value;
        else if (name == "--count")
            arguments.count = std::strtoull(value, nullptr, 10);
        else if (name == "--seconds")
            arguments.seconds = std::strtoull(value, nullptr, 10);
        else if (name == "--seed")
            arguments.seed = std::strtoull(value, nullptr, 10);
        else if (name == "--threads")
            arguments.threads = std::strtoull(value, nullptr, 10);
        else
            return false;
    }
    return true;
}

}  // namespace
}  // namespace coopvk::programs

int main(int argc, char** argv) {
    coopvk::programs::Arguments arguments;
    arguments.seed += coopvk::test::testSeed() * coopvk::programs::kPart;
    if (!coopvk::programs::read(argc, argv, arguments)) {
        std::fputs(
            "usage: planted_faults [--count N | --seconds S] [--seed S] [--threads T] "
            "[--fault NAME] [--explain]\n",
            stderr);
        return 2;
    }
    if (arguments.count == 0)
        arguments.count =
            coopvk::test::runsAll() ? coopvk::programs::kFull : coopvk::programs::kPart;
    return coopvk::programs::Campaign(arguments).run();
}

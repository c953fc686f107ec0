// SPDX-License-Identifier: Apache-2.0
//
// A dispatch: its workgroups, on threads of the host, and the subgroups of each, in turn.
#include <atomic>
#include <cfenv>
#include <thread>

#include "checks/checks.hpp"
#include "execution/tangles.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {
namespace {

// Of what all subgroups meet at; cooperative instructions have none.
Semantics semanticsAt(const Subgroup& s) {
    if (s.at->opcode != OpControlBarrier && s.at->opcode != OpControlBarrierWaitEXT) return {};
    return semanticsOf(spv::Scope(s.operand(1).at(0, 0)), uint32_t(s.operand(2).at(0, 0)));
}

enum class State : uint8_t { kReady, kMeeting, kWaiting, kFinished };

class Scheduler {
 public:
    explicit Scheduler(Workgroup& group)
        : group_(group), states_(group.subgroups.size(), State::kReady) {}

    // False: the execution stopped.
    bool run() {
        for (;;) {
            const uint32_t next = choose();
            if (next == kNone) {
                if (!meet()) return finished();
                continue;
            }
            current_ = next;
            const Step step = reference::run(group_.subgroups[next], 0);
            if (step == Step::kStop) return false;
            if (step == Step::kMeet) states_[next] = State::kMeeting;
            if (step == Step::kWait) states_[next] = State::kWaiting;
            if (step == Step::kBranched) states_[next] = State::kFinished;
        }
    }

 private:
    // The subgroup that executes next, or kNone if none can.
    uint32_t choose() {
        const auto count = uint32_t(states_.size());
        const Choice schedule = group_.settings->schedule;
        const auto start =
            schedule == Choice::kPlain ? current_ + 1 : uint32_t(group_.nextRandom() % count);
        for (uint32_t i = 0; i < count; ++i) {
            // The last ones first: what a program expects of the first ones is not done yet.
            const uint32_t at =
                schedule == Choice::kAdversarial ? count - 1 - i : (start + i) % count;
            if (states_[at] == State::kWaiting && canGoOn(group_.subgroups[at]))
                states_[at] = State::kReady;
            if (states_[at] == State::kReady) return at;
        }
        return kNone;
    }

    bool finished() const {
        return std::ranges::count(states_, State::kFinished) == std::ssize(states_);
    }

    // All that have not finished wait: lets them go on. False: none waits.
    bool meet() {
        const auto waiting = std::ranges::find(states_, State::kMeeting);
        if (waiting == states_.end()) return false;
        Subgroup& first = group_.subgroups[size_t(waiting - states_.begin())];
        if (isAtDecision(first))
            decide(group_);
        else
            meetAtBarrier(first);
        for (Subgroup& s : group_.subgroups) {
            if (states_[s.index] != State::kMeeting) continue;
            s.phase = 1;
            const Step step = s.at->handler(s);
            s.phase = 0;
            if (step == Step::kStop) group_.sink->stop();
            afterInstruction(s, step);
            states_[s.index] = State::kReady;
        }
        return !group_.sink->stopped();
    }

    void meetAtBarrier(Subgroup& first) {
        if (!first.observes(kEventBarrier)) return;
        std::vector<Waits> all;
        for (const Subgroup& s : group_.subgroups) {
            if (states_[s.index] == State::kFinished)
                all.push_back({.hasEnded = true});
            else
                all.push_back({false, s.at->word, dynamicInstance(s)});
        }
        first.tell<&Observer::barrier>(kEventBarrier,
                                       Barrier{Barrier::kMet, semanticsAt(first), all});
    }

    Workgroup& group_;
    std::vector<State> states_;
    uint32_t current_ = ~uint32_t{0};
};

class Execution {
 public:
    explicit Execution(const Context& context) : context_(context) {
        const auto& groups = context.dispatch->groups;
        count_ = uint64_t{groups[0]} * groups[1] * groups[2];
    }

    Status run() {
        if (count_ == 0) return Done{};
        const Settings& settings = *context_.settings;
        uint64_t threads =
            settings.threads != 0 ? settings.threads : std::thread::hardware_concurrency();
        threads = std::min(std::max<uint64_t>(threads, 1), count_);
        AtomicLocks atomics(threads > 1);
        context_.atomics = &atomics;
        observers_ = makeChecks(settings, threads > 1);
        std::vector<std::jthread> others;
        for (uint64_t i = 1; i < threads; ++i) others.emplace_back([this] { runThread(); });
        runThread();
        others.clear();
        if (outOfMemory_) return Error{ErrorCode::kOutOfMemory, "no memory for the workgroup"};
        const ReportSink& sink = *context_.sink;
        return sink.stopped() ? Status(Error{ErrorCode::kDeviceLost, sink.reason()}) : Done{};
    }

 private:
    void runThread() {
        try {
            const int rounding = std::fegetround();
            std::fesetround(FE_TONEAREST);  // see Rounded
            runWorkgroups();
            std::fesetround(rounding);
        } catch (const std::bad_alloc&) {
            outOfMemory_ = true;
            context_.sink->stop();
        }
    }

    void runWorkgroups() {
        Workgroup group{context_};
        prepare(group);
        Observers observers;
        std::vector<std::unique_ptr<Observer>> own;
        const auto add = [&](Observer& observer) {
            auto ofThread = observer.ofThread();
            observers.add(ofThread != nullptr ? *ofThread : observer);
            own.push_back(std::move(ofThread));
        };
        for (const auto& check : observers_) add(*check);
        for (Observer* observer : context_.dispatch->observers) add(*observer);
        observe(group, observers);
        for (;;) {
            const uint64_t next = next_.fetch_add(1);
            if (next >= count_ || group.sink->stopped()) return;
            begin(group, idOf(next));
            if (!Scheduler(group).run()) return;
        }
    }

    std::array<uint32_t, 3> idOf(uint64_t number) const {
        // The last ones first, if the order of workgroups is not to be the plain one.
        if (context_.settings->schedule == Choice::kAdversarial) number = count_ - 1 - number;
        const auto& groups = context_.dispatch->groups;
        const auto& base = context_.dispatch->base;
        return {base[0] + uint32_t(number % groups[0]),
                base[1] + uint32_t(number / groups[0] % groups[1]),
                base[2] + uint32_t(number / groups[0] / groups[1])};
    }

    Context context_;
    std::vector<std::unique_ptr<Observer>> observers_;
    uint64_t count_ = 0;
    std::atomic<uint64_t> next_ = 0;
    std::atomic<bool> outOfMemory_ = false;
};

}  // namespace

Status execute(const Program& program, const Dispatch& dispatch, Resources& resources,
               const Settings& settings, Reporter& reporter) {
    try {
        ReportSink sink(reporter, settings.reports, dispatch.stop);
        return Execution({&program, &dispatch, &resources, &settings, &sink}).run();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::kOutOfMemory, "no memory for the dispatch"};
    }
}

}  // namespace coopvk::reference

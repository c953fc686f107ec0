// SPDX-License-Identifier: Apache-2.0
//
// A dispatch: its workgroups, on threads of the host.
#include <atomic>
#include <cfenv>
#include <new>
#include <thread>

#include "execution/report_sink.hpp"
#include "memory/races.hpp"

namespace coopvk::reference {

namespace {

int hostMode(numbers::Rounding rounding) {
    switch (rounding) {
        case numbers::Rounding::towardZero:
            return FE_TOWARDZERO;
        case numbers::Rounding::upward:
            return FE_UPWARD;
        case numbers::Rounding::downward:
            return FE_DOWNWARD;
        default:
            return FE_TONEAREST;
    }
}

class Execution {
 public:
    Execution(const Program& program, const Dispatch& dispatch, Resources& resources,
              const Settings& settings, Reporter& reporter)
        : program_(program),
          dispatch_(dispatch),
          resources_(resources),
          settings_(settings),
          sink_(reporter, settings.reports) {}

    Status run() {
        const auto& groups = dispatch_.groups;
        count_ = uint64_t{groups[0]} * groups[1] * groups[2];
        if (count_ == 0) return Done{};
        if ((settings_.checks & kCheckRaces) != 0 || settings_.schedule == Choice::kAdversarial)
            history_ = std::make_unique<BufferHistory>();
        uint64_t threads =
            settings_.threads != 0 ? settings_.threads : std::thread::hardware_concurrency();
        threads = std::min(std::max<uint64_t>(threads, 1), count_);
        std::vector<std::jthread> others;
        for (uint64_t i = 1; i < threads; ++i) others.emplace_back([this] { runThread(); });
        runThread();
        others.clear();
        if (outOfMemory_) return Error{ErrorCode::kOutOfMemory, "no memory for the workgroup"};
        if (sink_.stopped()) return Error{ErrorCode::kDeviceLost, sink_.reason()};
        return Done{};
    }

 private:
    void runThread() {
        try {
            const int rounding = std::fegetround();
            runWorkgroups();
            std::fesetround(rounding);
        } catch (const std::bad_alloc&) {
            outOfMemory_ = true;
            sink_.stop();
        }
    }

    void runWorkgroups() {
        Workgroup group;
        group.dispatch = &dispatch_;
        group.resources = &resources_;
        group.settings = &settings_;
        group.sink = &sink_;
        prepare(group, program_);
        std::unique_ptr<Races> races;
        if (history_) races = std::make_unique<Races>(group, *history_);
        group.races = races.get();
        std::fesetround(hostMode(program_.float32.rounding));
        for (;;) {
            const uint64_t next = next_.fetch_add(1);
            if (next >= count_ || sink_.stopped()) return;
            if (!runWorkgroup(group, idOf(next))) return;
        }
    }

    std::array<uint32_t, 3> idOf(uint64_t number) const {
        // The last ones first, if the order of workgroups is not to be the plain one.
        if (settings_.schedule == Choice::kAdversarial) number = count_ - 1 - number;
        const auto& groups = dispatch_.groups;
        const auto& base = dispatch_.base;
        return {base[0] + static_cast<uint32_t>(number % groups[0]),
                base[1] + static_cast<uint32_t>(number / groups[0] % groups[1]),
                base[2] + static_cast<uint32_t>(number / groups[0] / groups[1])};
    }

    const Program& program_;
    const Dispatch& dispatch_;
    Resources& resources_;
    const Settings& settings_;
    ReportSink sink_;
    std::unique_ptr<BufferHistory> history_;
    uint64_t count_ = 0;
    std::atomic<uint64_t> next_ = 0;
    std::atomic<bool> outOfMemory_ = false;
};

}  // namespace

Status execute(const Program& program, const Dispatch& dispatch, Resources& resources,
               const Settings& settings, Reporter& reporter) {
    try {
        return Execution(program, dispatch, resources, settings, reporter).run();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::kOutOfMemory, "no memory for the dispatch"};
    }
}

}  // namespace coopvk::reference

// SPDX-License-Identifier: Apache-2.0
//
// Settings; a dispatch: its workgroups, on threads of the host, and the subgroups of each, in turn.
#include <atomic>
#include <cfenv>
#include <charconv>
#include <cstdlib>
#include <thread>

#include "coopvk_reference/unit_sums.hpp"
#include "execution/tangles.hpp"
#include "memory/races.hpp"

namespace coopvk::reference {
namespace {

using Text = std::string_view;

template <typename Number>
bool read(Text text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

// One of these names, in the order of the enumeration.
template <typename Enumeration>
bool read(Text text, std::initializer_list<Text> names, Enumeration& value) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) return false;
    value = Enumeration(found - names.begin());
    return true;
}
using Names = std::initializer_list<Text>;
constexpr Names kOrders = {"plain", "shuffled", "adversarial"};
constexpr Names kSums = {"plain", "shuffled", "adversarial", "exact"};
constexpr Names kDirections = {"nearest", "upward", "downward", "halves-toward-zero"};
constexpr Names kReconvergence = {"maximal", "minimal", "random"};
constexpr Names kCalls = {"once", "repeated"};
constexpr Names kActions = {"ignore", "message", "error"};

bool readMap(Text text, Choice& placement) {
    const Names names = {"nvidia", "rdna3", "rdna4"};
    const auto* found = std::ranges::find(names, text);
    if (found == names.end()) return false;
    placement = Choice(int(Choice::kNvidia) + int(found - names.begin()));
    return true;
}

bool readUnit(Text text, Choice& sums) {
    const SumUnit* unit = findUnit(text);
    if (unit != nullptr) sums = unit->choice;
    return unit != nullptr;
}

bool readChecks(Text text, Settings& settings) {
    settings.checks = text == "all" ? uint32_t{kAllChecks} : 0;
    if (text == "all" || text == "none") return true;
    while (!text.empty()) {
        const size_t comma = std::min(text.find(','), text.size());
        uint32_t check = 1;
        while (check < kAllChecks && text.substr(0, comma) != checkName(Check(check))) check <<= 1;
        if (check > kAllChecks) return false;
        settings.checks |= check;
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return true;
}

// "keep", "flush", or names of formats with commas between.
bool readDenormals(Text text, Settings& settings) {
    settings.flushed = text == "flush" ? 16 + 32 + 64 : 0;
    if (text == "flush" || text == "keep") return true;
    while (!text.empty()) {
        const Text name = text.substr(0, text.find(','));
        const uint32_t width = name == "f16" ? 16 : name == "f32" ? 32 : name == "f64" ? 64 : 0;
        if (width == 0) return false;
        settings.flushed |= width;
        text.remove_prefix(std::min(name.size() + 1, text.size()));
    }
    return true;
}

bool one(Text text, Text nameOfFalse, Text nameOfTrue, bool& value) {
    value = text == nameOfTrue;
    return value || text == nameOfFalse;
}

struct SettingRow {
    const char* name;
    bool (*read)(Text, Settings&);
};
constexpr SettingRow kSettings[] = {
    {"SUBGROUP_SIZE",
     [](Text text, Settings& to) {
         return read(text, to.subgroupSize) && isSubgroupSize(to.subgroupSize);
     }},
    {"SEED", [](Text text, Settings& to) { return read(text, to.seed); }},
    {"SCHEDULE", [](Text text, Settings& to) { return read(text, kOrders, to.schedule); }},
    {"PLACEMENT",
     [](Text text, Settings& to) {
         return read(text, kOrders, to.placement) || readMap(text, to.placement);
     }},
    {"SUMS",
     [](Text text, Settings& to) { return read(text, kSums, to.sums) || readUnit(text, to.sums); }},
    {"ROUNDING", [](Text text, Settings& to) { return read(text, kDirections, to.rounding); }},
    {"DENORMALS", readDenormals},
    {"CONTRACTION", [](Text text, Settings& to) { return one(text, "off", "on", to.contracts); }},
    {"NANS", [](Text text, Settings& to) { return one(text, "number", "nan", to.prefersNan); }},
    {"CALLS", [](Text text, Settings& to) { return read(text, kCalls, to.calls); }},
    {"RECONVERGENCE",
     [](Text text, Settings& to) { return read(text, kReconvergence, to.reconvergence); }},
    {"HOST", [](Text text, Settings& to) { return one(text, "coherent", "apart", to.hostApart); }},
    {"CHECKS", readChecks},
    {"REPORT", [](Text text, Settings& to) { return read(text, kActions, to.action); }},
    {"THREADS", [](Text text, Settings& to) { return read(text, to.threads); }},
    {"REPORTS", [](Text text, Settings& to) { return read(text, to.reports); }},
    {"GRANULARITY",
     [](Text text, Settings& to) { return read(text, to.granularity) && to.granularity != 0; }},
    {"STEPS", [](Text text, Settings& to) { return read(text, to.steps); }},
    {"EXTENSIONS", [](Text text, Settings& to) { return !(to.extensions = text).empty(); }},
};

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
            states_[s.index] = State::kReady;
        }
        return !group_.sink->stopped();
    }

    void meetAtBarrier(Subgroup& first) {
        const uint64_t instance = dynamicInstance(first);
        for (const Subgroup& s : group_.subgroups) {
            const char* fault = states_[s.index] == State::kFinished ? "ended without it"
                                : s.at != first.at ? "waits at another instruction"
                                : dynamicInstance(s) != instance
                                    ? "waits in another iteration or call"
                                    : nullptr;
            if (fault != nullptr)
                first.report(kCheckDivergence, 0, std::format("subgroup {} {}", s.index, fault));
        }
        if (group_.races != nullptr) group_.races->meet(first);
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
        if ((settings.checks & kCheckRaces) != 0 || settings.schedule == Choice::kAdversarial)
            history_ = std::make_unique<BufferHistory>(threads > 1);
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
        std::unique_ptr<Races> races;
        if (history_) races = std::make_unique<Races>(group, *history_);
        group.races = races.get();
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

    const Context context_;
    std::unique_ptr<BufferHistory> history_;
    uint64_t count_ = 0;
    std::atomic<uint64_t> next_ = 0;
    std::atomic<bool> outOfMemory_ = false;
};

}  // namespace

Result<Settings> settingsFromEnvironment() {
    Settings settings;
    for (const SettingRow& row : kSettings) {
        const std::string variable = std::string("COOPVK_REFERENCE_") + row.name;
        const char* text = std::getenv(variable.c_str());
        if (text == nullptr || *text == '\0') continue;
        if (!row.read(text, settings))
            return Error{ErrorCode::kInvalidArgument, variable + " has no meaning: " + text};
    }
    return settings;
}

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

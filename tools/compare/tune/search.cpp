// SPDX-License-Identifier: Apache-2.0
#include "compare/tune/search.hpp"

#include <cmath>
#include <format>

#include "coopvk/rewrite.hpp"

namespace coopvk::tune {
namespace {

constexpr tool::Metric kSeconds = {" s", false};

// A search that is under way.
class Searching {
 public:
    explicit Searching(const Search& how) : how_(how) {}

    Found run() {
        for (const Choice& choice : how_.choices) tryValues(choice);
        if (!found_.tuning.empty()) checkAll();
        return std::move(found_);
    }

 private:
    // Null: the time is up.
    std::optional<Judgement> tryOne(Trial trial, Measured* kept = nullptr) {
        how_.tell(trial, false);
        auto measured = how_.measure(trial);
        if (!measured) {
            found_.isWhole = false;
            return std::nullopt;
        }
        trial.judgement = judge(*measured);
        how_.tell(trial, true);
        if (kept != nullptr) *kept = std::move(*measured);
        return trial.judgement;
    }

    // Takes the best value, if a second measurement says the same of it: of many, one may only have
    // had luck.
    void tryValues(const Choice& choice) {
        std::string best;
        double times = 0;
        for (const std::string& value : choice.values) {
            if (!found_.isWhole) return;
            const std::string candidate = withChoice(found_.tuning, choice.name, value);
            if (how_.areAlike(found_.tuning, candidate)) continue;
            const auto judged = tryOne({found_.tuning, candidate});
            if (!judged || judged->gain != Gain::kFaster || judged->times <= times) continue;
            best = candidate;
            times = judged->times;
        }
        if (best.empty()) return;
        const auto again = tryOne({found_.tuning, best, 1});
        if (again && again->gain == Gain::kFaster) found_.tuning = best;
    }

    void checkAll() {
        const auto judged = tryOne({"", found_.tuning, kFinal}, &found_.final);
        if (judged && judged->gain == Gain::kFaster) return;
        found_.tuning.clear();
        found_.final = {};
    }

    const Search& how_;
    Found found_;
};

}  // namespace

std::string_view nameOf(Gain gain) {
    constexpr std::string_view kNames[] = {"failed", "wrong", "slower", "same", "faster"};
    return kNames[static_cast<size_t>(gain)];
}

Judgement judge(const Measured& measured) {
    if (!measured.failure.empty()) return {Gain::kFailed, 1, measured.failure};
    if (measured.works.empty()) return {Gain::kFailed, 1, "nothing was measured"};
    double product = 1, most = 1, least = 1;
    std::string fastest, slowest;
    for (const WorkFigures& work : measured.works) {
        if (!work.isRight || !work.baseIsRight)
            return {Gain::kWrong, 1,
                    work.name + (work.baseIsRight ? "" : ", also without this choice")};
        const double times = tool::speedup(work.candidate, work.base, kSeconds);
        product *= times;
        if (times < least) least = times, slowest = work.name;
        const bool gains = times >= kLeastGain && tool::differ(work.candidate, work.base);
        if (gains && times > most) most = times, fastest = work.name;
    }
    const double mean = std::pow(product, 1.0 / static_cast<double>(measured.works.size()));
    if (least < kMostLoss)
        return {Gain::kSlower, mean, std::format("{}: {:.2f} times", slowest, least)};
    if (most > 1) return {Gain::kFaster, mean, std::format("{}: {:.2f} times", fastest, most)};
    return {Gain::kSame, mean, ""};
}

std::string withChoice(const std::string& tuning, const std::string& name,
                       const std::string& value) {
    const auto text = tuning + (tuning.empty() ? "" : ",") + name + "=" + value;
    const auto read = rewrite::matrixTuningFromText(text);
    return read ? rewrite::tuningText(*read) : text;
}

Found search(const Search& how) { return Searching(how).run(); }

}  // namespace coopvk::tune

// SPDX-License-Identifier: Apache-2.0
#include "replay.hpp"

#include "checker.hpp"

namespace coopvk::check {
namespace {

int rankOf(Verdict verdict) { return isFault(verdict) ? 2 : verdict == Verdict::kAgrees ? 1 : 0; }

}  // namespace

void Checker::keepReplay(Pass& pass, std::span<const uint32_t> words, const Side& side,
                         const Outcome& outcome) const {
    if (!options_.replays) return;
    Replay replay{.outcome = outcome, .memory = pass.memory, .groups = pass.groups};
    replay.native = {{subject_.words.begin(), subject_.words.end()}, native_, exactSettings(pass)};
    replay.rewritten = {{words.begin(), words.end()}, side, {}};
    if (side.program != nullptr) {
        reference::Settings& with = replay.rewritten.settings;
        const reference::Choice schedule =
            isFault(outcome.verdict) ? outcome.schedule : reference::Choice::kPlain;
        with = settings(pass, schedule, sumsFor(schedule));
        Outcome unused;
        (void)executeAs(side, pass, schedule, with, unused);
    }
    options_.replays(replay);
}

std::optional<Replay> findReplay(const Subject& subject, Options options) {
    std::optional<Replay> best;
    options.replays = [&best](const Replay& replay) {
        const bool isBetter =
            !best || rankOf(replay.outcome.verdict) > rankOf(best->outcome.verdict);
        if (isBetter) best = replay;
    };
    Checker checker(subject, options);
    for (const uint32_t lanes : options.lanes) {
        (void)checker.checkAt(lanes);
        if (best && isFault(best->outcome.verdict)) break;
    }
    return best;
}

}  // namespace coopvk::check

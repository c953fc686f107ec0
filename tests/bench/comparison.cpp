// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

#include "interleave.hpp"
#include "table.hpp"

namespace coopvk::bench {

void Comparison::add(std::string name, Gpu& gpu, Words words, std::span<const uint32_t> constants,
                     std::span<Buffer* const> buffers, const Dispatch& checked,
                     const std::function<std::string()>& check) {
    Entry& entry = entries_.emplace_back(std::move(name));
    cpu_ = gpu.isCpu();
    try {
        entry.kernel = std::make_unique<Kernel>(gpu, words, constants, buffers);
    } catch (const std::exception& error) {
        entry.verdict = error.what();
        return;
    }
    entry.kernel->run(checked);
    entry.verdict = check();
}

void Comparison::print(const Options& options, double work, std::string (*rate)(double)) {
    std::vector<Contender> contenders;
    for (Entry& entry : entries_) {
        if (!entry.kernel) continue;
        const double once = entry.kernel->seconds(dispatch_, 1);
        const uint32_t count = repetitions(once, cpu_ ? 0.1 : 0.05);
        contenders.push_back(
            {entry.name, [&, count] { return entry.kernel->seconds(dispatch_, count); }});
    }
    const uint32_t rounds = options.rounds ? options.rounds : options.quick ? 3 : 9;
    const Samples samples = interleave(contenders, rounds);

    Table table({title_, "median", "best", "times " + entries_.front().name, "result"});
    size_t next = 0;
    for (const Entry& entry : entries_) {
        if (!entry.kernel) {
            table.add({entry.name, "-", "-", "-", entry.verdict});
            continue;
        }
        const std::vector<double>& seconds = samples[next++];
        table.add({entry.name, rate(work / median(seconds)), rate(work / best(seconds)),
                   entries_.front().kernel ? fixed(speedup(seconds, samples[0]), 2) : "-",
                   entry.verdict});
    }
    table.print();
}

std::string verdict(uint32_t wrong, uint32_t of) {
    return wrong == 0 ? "exact" : std::to_string(wrong) + " of " + std::to_string(of) + " wrong";
}

}  // namespace coopvk::bench

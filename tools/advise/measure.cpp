// SPDX-License-Identifier: Apache-2.0
#include "advise/measure.hpp"

#include <chrono>

#include "system/text.hpp"
#include "system/tool_system.hpp"
#include "temporary_file.hpp"

namespace coopvk::tool {
namespace {

constexpr size_t kMaxOutput = size_t{16} << 20;  // bytes that are looked at

std::string lastLine(std::string_view text) {
    std::string last;
    while (!text.empty())
        if (const std::string_view line = layer::takeUntil('\n', text); !line.empty()) last = line;
    return last;
}

}  // namespace

std::optional<nlohmann::ordered_json> markedObject(const Run& run, std::string_view mark) {
    const size_t start = run.output.rfind(mark);
    if (run.error != 0 || !run.problem.empty() || start == std::string::npos) return std::nullopt;
    std::string_view text = run.output;
    text.remove_prefix(start + mark.size());
    auto json = nlohmann::ordered_json::parse(layer::takeUntil('\n', text), nullptr, false);
    return json.is_object() ? std::optional(std::move(json)) : std::nullopt;
}

std::string withoutResult(const Run& run) {
    const std::string how = !run.problem.empty()   ? run.problem
                            : run.error != 0       ? "its process could not be started"
                            : !run.failure.empty() ? run.failure
                                                   : "without a result";
    const std::string said = lastLine(run.output);
    return layer::printable(how + (said.empty() ? "" : ": " + said));
}

Run runOnce(const std::vector<std::string>& command, const Environment& set,
            const std::vector<std::string>& unset, double limit) {
    Run run;
    const TemporaryFile output;
    if (output.path().empty()) {
        run.problem = kNoTemporaryFile;
        return run;
    }
    const auto start = std::chrono::steady_clock::now();
    const system::ProcessEnd end = system::runIntoFile(command, set, unset, output.path(), limit);
    run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    run.error = end.error;
    run.failure = end.failure;
    run.output = output.text();
    if (run.output.size() > kMaxOutput) run.output.erase(0, run.output.size() - kMaxOutput);
    return run;
}

}  // namespace coopvk::tool

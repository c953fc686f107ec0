// SPDX-License-Identifier: Apache-2.0
#include "advise/measure.hpp"

#include <chrono>

#include "system/tool_system.hpp"
#include "temporary_file.hpp"

namespace coopvk::tool {
namespace {

constexpr size_t kMaxOutput = size_t{16} << 20;  // bytes that are looked at

}  // namespace

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

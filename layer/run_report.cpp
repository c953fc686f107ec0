// SPDX-License-Identifier: Apache-2.0
#include "run_report.hpp"

#include <unistd.h>

#include <cstdlib>

#include "pipe_signal.hpp"
#include "program.hpp"

namespace coopvk::layer {
namespace {

// Fields must not contain separators.
void addField(std::string& line, std::string_view field) {
    for (const char c : field) line += c == '\t' || c == '\n' ? ' ' : c;
}

}  // namespace

RunReport::RunReport(const std::string& path) {
    if (path.empty()) return;
    if (auto file = openForAppending(path, IfMissing::kFail)) file_ = std::move(*file);
}

// In one call, so that lines of several processes do not mix.
void RunReport::write(std::string_view event, std::initializer_list<std::string_view> fields) {
    if (!isOn()) return;
    std::string line(event);
    line += '\t';
    line += std::to_string(::getpid());
    line += '\t';
    addField(line, programName());
    for (const std::string_view field : fields) {
        line += '\t';
        addField(line, field);
    }
    line += '\n';
    const PipeSignalHeld held;
    [[maybe_unused]] const ssize_t written = ::write(file_.number(), line.data(), line.size());
}

std::string runReportPath() {
    const char* path = secure_getenv(kRunReportVariable);
    return path == nullptr ? "" : path;
}

}  // namespace coopvk::layer

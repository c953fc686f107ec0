// SPDX-License-Identifier: Apache-2.0
#include "report/run_report.hpp"

#include <array>

#include "system/system.hpp"
#include "system/text.hpp"

namespace coopvk::layer {

RunReport::RunReport(const std::string& path) {
    if (path.empty()) return;
    if (auto file = openForAppending(path, IfMissing::kFail)) file_ = std::move(*file);
}

void RunReport::write(std::string_view event, std::initializer_list<std::string_view> fields) {
    if (!isOn()) return;
    std::string line(event);
    line += '\t';
    line += std::to_string(system::processId());
    line += '\t';
    line += printable(system::programName());
    for (const std::string_view field : fields) {
        line += '\t';
        line += printable(field);  // without separators
    }
    line += '\n';
    const std::array whole = {std::string_view(line)};
    writePieces(file_.number(), whole);
}

std::string runReportPath() { return system::trustedVariable(kRunReportVariable).value_or(""); }

}  // namespace coopvk::layer

// SPDX-License-Identifier: Apache-2.0
#include "checks/checks.hpp"

namespace coopvk::reference {
namespace {

struct CheckRow {
    uint32_t check;
    checks::Make* make;
};
constexpr CheckRow kRows[] = {
    {kCheckUnwritten, checks::unwritten},   {kCheckBounds, checks::alignment},
    {kCheckUndefined, checks::undefined},   {kCheckDivergence, checks::divergence},
    {kCheckUniformity, checks::uniformity}, {kCheckProgram, checks::program},
};

}  // namespace

std::vector<std::unique_ptr<Observer>> makeChecks(const Settings& settings, bool hasThreads) {
    std::vector<std::unique_ptr<Observer>> made;
    const auto add = [&](checks::Make* make) { made.push_back(make(settings, hasThreads)); };
    // It also chooses what reads in a race see.
    if ((settings.checks & kCheckRaces) != 0 || settings.schedule == Choice::kAdversarial)
        add(checks::races);
    for (const CheckRow& row : kRows)
        if ((settings.checks & row.check) != 0) add(row.make);
    return made;
}

}  // namespace coopvk::reference

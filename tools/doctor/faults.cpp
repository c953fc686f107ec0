// SPDX-License-Identifier: Apache-2.0
#include "doctor/faults.hpp"

#include "settings/remembered.hpp"

namespace coopvk::tool {

void checkFaults(const layer::ProgramNames& names, Findings& findings) {
    const std::string& name = names.wine.empty() ? names.exe : names.wine;
    for (const layer::RememberedFault& fault : layer::allFaults(name)) {
        findings.push_back({false,
                            fault.program + " on " + fault.device + ": in an earlier start " +
                                textOf(fault) + "; " +
                                (fault.kind == layer::FaultKind::kUnfinished
                                     ? "if that happens twice, coopvk does not offer it "
                                     : "coopvk does not offer it ") +
                                layer::namesOf(fault.extensions),
                            "report it (coopvk report), and let coopvk try again with "
                            "coopvk config --forget" +
                                (name.empty() ? "" : " " + name)});
    }
}

}  // namespace coopvk::tool

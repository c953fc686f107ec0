// SPDX-License-Identifier: Apache-2.0
//
// Accesses of the program to protected pages of HostCopies.
#pragma once

namespace coopvk::reference::icd {

class HostCopies;

// Faults at pages of these are theirs; all others go to the handler that the program has.
void addFaultHandler(HostCopies* copies);
void removeFaultHandler(HostCopies* copies);

}  // namespace coopvk::reference::icd

// SPDX-License-Identifier: Apache-2.0
//
// The processor time that this process has used, and its limit. Unlike real time, it does not
// depend on other programs on the machine.
#pragma once

#include <cstdint>

namespace coopvk::test {

// Milliseconds of processor time that this process has used, in all its threads.
int64_t processorTime();

// Ends the process with a line that says so when it has used COOPVK_TEST_PROCESSOR_SECONDS; without
// that variable there is no limit.
void limitProcessorTime();

}  // namespace coopvk::test

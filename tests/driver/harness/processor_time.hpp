// SPDX-License-Identifier: Apache-2.0
//
// What this process may use of the processor, and has used: unlike time on a clock, the same
// whatever else runs on the machine.
#pragma once

#include <cstdint>

namespace coopvk::test {

// Milliseconds of processor time that this process has used, in all its threads.
int64_t processorTime();

// Ends the process with a line that says so when it has used COOPVK_TEST_PROCESSOR_SECONDS; without
// that variable there is no limit.
void limitProcessorTime();

}  // namespace coopvk::test

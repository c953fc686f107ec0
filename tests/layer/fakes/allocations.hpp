// SPDX-License-Identifier: Apache-2.0
//
// C++ allocations of this program that fail when a test wants them to.
#pragma once

#include <cstdint>

namespace coopvk::test {

// How many of this thread's allocations are not freed.
int64_t liveAllocations();

// While this object exists, the thread's allocations fail, except the first `allowed` ones and
// those that fit into memory that a new-handler has freed.
class FailingAllocations {
 public:
    explicit FailingAllocations(uint64_t allowed);
    ~FailingAllocations();
    FailingAllocations(const FailingAllocations&) = delete;
    FailingAllocations& operator=(const FailingAllocations&) = delete;

    // Whether one has failed.
    static bool happened();
};

// While this object exists, a limit applies or does not apply.
class SwitchedAllocations {
 public:
    explicit SwitchedAllocations(bool limited);
    ~SwitchedAllocations();
    SwitchedAllocations(const SwitchedAllocations&) = delete;
    SwitchedAllocations& operator=(const SwitchedAllocations&) = delete;

 private:
    bool before_;
};

// While this object exists, allocations succeed anyway.
class WorkingAllocations : public SwitchedAllocations {
 public:
    WorkingAllocations() : SwitchedAllocations(false) {}
};

}  // namespace coopvk::test

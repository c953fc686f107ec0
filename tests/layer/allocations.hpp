// SPDX-License-Identifier: Apache-2.0
//
// C++ allocations of this program that fail when a test wants them to.
#pragma once

#include <cstdint>

namespace coopvk::test {

// How many of this thread's allocations are not freed.
int64_t liveAllocations();

// While it lives, the thread's allocations fail, all but the first `allowed` ones and those that
// fit into what a new-handler has freed.
class FailingAllocations {
 public:
    explicit FailingAllocations(uint64_t allowed);
    ~FailingAllocations();
    FailingAllocations(const FailingAllocations&) = delete;
    FailingAllocations& operator=(const FailingAllocations&) = delete;

    // Whether one has failed.
    static bool happened();
};

// While it lives, a limit holds or does not.
class SwitchedAllocations {
 public:
    explicit SwitchedAllocations(bool limited);
    ~SwitchedAllocations();
    SwitchedAllocations(const SwitchedAllocations&) = delete;
    SwitchedAllocations& operator=(const SwitchedAllocations&) = delete;

 private:
    bool before_;
};

// While it lives, they work all the same.
class WorkingAllocations : public SwitchedAllocations {
 public:
    WorkingAllocations() : SwitchedAllocations(false) {}
};

}  // namespace coopvk::test

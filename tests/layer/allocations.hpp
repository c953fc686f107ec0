// SPDX-License-Identifier: Apache-2.0
//
// C++ allocations of this program that fail when a test wants them to.
#pragma once

#include <cstdint>

namespace coopvk::test {

// While it lives, the thread's allocations fail, all but the first `allowed` ones.
class FailingAllocations {
 public:
    explicit FailingAllocations(uint64_t allowed);
    ~FailingAllocations();
    FailingAllocations(const FailingAllocations&) = delete;
    FailingAllocations& operator=(const FailingAllocations&) = delete;

    // Whether one has failed.
    static bool happened();
};

// While it lives, they work all the same.
class WorkingAllocations {
 public:
    WorkingAllocations();
    ~WorkingAllocations();
    WorkingAllocations(const WorkingAllocations&) = delete;
    WorkingAllocations& operator=(const WorkingAllocations&) = delete;

 private:
    bool before_;
};

}  // namespace coopvk::test

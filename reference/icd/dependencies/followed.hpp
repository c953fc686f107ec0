// SPDX-License-Identifier: Apache-2.0
//
// What commands tell the check of dependencies of their accesses, and its reports. Nothing happens
// where it is off.
#pragma once

#include "command_buffer.hpp"

namespace coopvk::reference::icd {

// The command that executes begins to access memory.
void beginAccesses(Execution& execution, Use writes);
void followRead(Execution& execution, Use use, const Range& range);
// Before the write.
void followWrite(Execution& execution, Use use, const Range& range);
// What a command reads: the range, or bytes in `stale`, which were there before.
const std::byte* followedBytes(Execution& execution, Use use, const Range& range,
                               std::vector<std::byte>& stale);

// Accesses of a dispatch.
class FollowedAccesses final : public Accesses {
 public:
    explicit FollowedAccesses(Execution& execution) : device_(execution.device) {}
    std::string reads(const Range& range, const std::byte* data, uint64_t size,
                      std::byte* seen) override;
    std::string writes(const std::byte* data, uint64_t size) override;

 private:
    Device& device_;
};

}  // namespace coopvk::reference::icd

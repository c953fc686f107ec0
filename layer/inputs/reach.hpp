// SPDX-License-Identifier: Apache-2.0
//
// The memory that a dispatch can reach, through descriptors and addresses, up to a size.
#pragma once

#include <set>

#include "inputs/dispatch_inputs.hpp"

namespace coopvk::layer::inputs {

class Reach {
 public:
    Reach(const Objects& objects, uint64_t limit) : objects_(objects), ranges_(limit) {}

    void addSets(const Recording& commands);
    // Every buffer with an address may be reached: first those whose addresses are in push
    // constants or inline uniform blocks, then the others, the smallest first.
    void addAddresses(std::span<const std::byte> pushConstants);

    // Once: regions, descriptors, addresses, and what is missing.
    RecordedDispatch finish();
    const Ranges& ranges() const { return ranges_; }

 private:
    void addDescriptor(const KeptDescriptor& place, const Descriptor& descriptor,
                       uint64_t dynamicOffset);
    void addAddress(const TrackedBuffer& buffer);
    void addAddressesIn(std::span<const std::byte> bytes);
    // Whether the range is kept; if not, says why.
    bool addRange(const std::string& name, const TrackedBuffer* buffer, uint64_t offset,
                  uint64_t size);

    const Objects& objects_;
    Ranges ranges_;
    RecordedDispatch record_;
    // Where the range of each of the record's descriptors is.
    struct Source {
        const TrackedBuffer* buffer;
        uint64_t offset;
    };
    std::vector<Source> descriptors_;
    std::vector<const TrackedBuffer*> addresses_;  // of the record's addresses
    std::set<const TrackedBuffer*> addressed_;     // tried
};

}  // namespace coopvk::layer::inputs

// SPDX-License-Identifier: Apache-2.0
//
// What the interpreter needs from the driver: memory of descriptors and addresses. It is held until
// the dispatch is done.
#pragma once

#include "command_buffer.hpp"

namespace coopvk::reference::icd {

class HeldResources : public Resources {
 public:
    explicit HeldResources(Execution& execution)
        : execution_(execution),
          device_(execution.device),
          addresses_(execution.device.addressesNow()) {}

    const Range* buffer(uint64_t address) override { return addresses_.buffer(address); }

    // Throws InvalidUse where a descriptor names something that is gone, or is none.
    void requireAll() const {
        if (!lost_.empty()) throw InvalidUse{lost_};
    }

 protected:
    Execution& execution_;
    Device& device_;
    const Addresses addresses_;
    std::mutex mutex_;  // guards what is read, and the reason

    // Under the mutex. The first reason counts.
    void lose(std::string why) {
        if (lost_.empty()) lost_ = std::move(why);
    }

 private:
    std::string lost_;  // why the dispatch loses the device; empty: it does not
};

}  // namespace coopvk::reference::icd

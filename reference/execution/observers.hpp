// SPDX-License-Identifier: Apache-2.0
//
// Who observes the workgroups that a thread executes, by events.
#pragma once

#include "coopvk_reference/observer.hpp"

namespace coopvk::reference {

class Observers {
 public:
    void add(Observer& observer) {
        uint32_t events = observer.events();
        events_ |= events;
        if (events & kEventLoad) events &= ~uint32_t{kEventUnwrittenLoad};  // it gets them once
        if (events & kEventStore) events &= ~uint32_t{kEventUndefinedStore};
        for (uint32_t kind = 0; kind < kEventKinds; ++kind)
            if (events >> kind & 1) by_[kind].push_back(&observer);
        all_.push_back(&observer);
    }
    uint32_t events() const { return events_; }
    void begin(const Group& group) const {
        for (Observer* each : all_) each->begin(group);
    }
    // Calls a function of those that want the event.
    template <auto kFunction>
    void tell(Event event, const auto&... arguments) const {
        for (Observer* each : by_[size_t(std::countr_zero(uint32_t(event)))])
            (each->*kFunction)(arguments...);
    }

 private:
    std::array<std::vector<Observer*>, kEventKinds> by_;
    std::vector<Observer*> all_;
    uint32_t events_ = 0;
};

}  // namespace coopvk::reference

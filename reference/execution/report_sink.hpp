// SPDX-License-Identifier: Apache-2.0
//
// Collects reports of all threads of an execution.
#pragma once

#include <atomic>
#include <mutex>
#include <set>

#include "coopvk_reference/execute.hpp"

namespace coopvk::reference {

class ReportSink {
 public:
    ReportSink(Reporter& reporter, uint32_t most) : reporter_(reporter), most_(most) {}
    // The first report of each kind at each instruction reaches the reporter.
    void report(const Report& report);
    void print(const std::string& text);
    // Only the first reason counts; without one a report is the reason.
    void stop(const std::string& reason = "a report stopped the execution");
    // After the execution.
    const std::string& reason() const { return reason_; }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

 private:
    Reporter& reporter_;
    const uint32_t most_;
    std::mutex mutex_;
    std::set<std::pair<uint32_t, uint32_t>> seen_;  // check, word
    std::string reason_;
    std::atomic<bool> stopped_ = false;
};

}  // namespace coopvk::reference

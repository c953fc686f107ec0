// SPDX-License-Identifier: Apache-2.0
//
// What the threads of an execution share.
#pragma once

#include <atomic>
#include <mutex>
#include <set>

#include "coopvk_reference/execute.hpp"

namespace coopvk::reference {

// Collects reports of all threads of an execution.
class ReportSink {
 public:
    // `ends`: null, or what ends the execution from outside.
    ReportSink(Reporter& reporter, uint32_t most, const std::atomic<bool>* ends)
        : reporter_(reporter), most_(most), ends_(ends) {}
    // Whether a report may still reach the reporter; its text is not made for others.
    bool takes(uint32_t check, uint32_t word) {
        const std::lock_guard lock(mutex_);
        return seen_.size() < most_ && !seen_.contains({check, word});
    }
    // The first report of each kind at each instruction reaches the reporter.
    void report(const Report& report) {
        const std::lock_guard lock(mutex_);
        if (seen_.size() >= most_ || !seen_.emplace(report.check, report.word).second) return;
        if (!reporter_.report(report)) stop();
    }
    void print(const std::string& text) {
        const std::lock_guard lock(mutex_);
        reporter_.print(text);
    }
    // Only the first reason counts; without one a report is the reason.
    void stop(const std::string& reason = "a report stopped the execution") {
        if (!stopped_.exchange(true)) reason_ = reason;
    }
    // After the execution.
    const std::string& reason() const { return reason_; }
    bool stopped() const {
        return stopped_.load(std::memory_order_relaxed) ||
               (ends_ != nullptr && ends_->load(std::memory_order_relaxed));
    }

 private:
    Reporter& reporter_;
    const uint32_t most_;
    const std::atomic<bool>* const ends_;
    std::mutex mutex_;
    std::set<std::pair<uint32_t, uint32_t>> seen_;  // check, word
    std::string reason_;
    std::atomic<bool> stopped_ = false;
};

// One atomic operation on some bytes at a time, with what observers make of it.
class AtomicLocks {
 public:
    explicit AtomicLocks(bool hasThreads) : hasThreads_(hasThreads) {}
    std::unique_lock<std::mutex> lock(const std::byte* data) {
        if (!hasThreads_) return {};
        return std::unique_lock(mutexes_[reinterpret_cast<uintptr_t>(data) / 64 % mutexes_.size()]);
    }

 private:
    const bool hasThreads_;
    std::array<std::mutex, 64> mutexes_;
};

// What all workgroups of an execution share.
struct Context {
    const Program* program = nullptr;
    const Dispatch* dispatch = nullptr;
    Resources* resources = nullptr;
    const Settings* settings = nullptr;
    ReportSink* sink = nullptr;
    AtomicLocks* atomics = nullptr;
};

}  // namespace coopvk::reference

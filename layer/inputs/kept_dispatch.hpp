// SPDX-License-Identifier: Apache-2.0
//
// A dispatch whose inputs are kept: what is recorded for it, and what comes of that.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "inputs/ranges.hpp"
#include "inputs/staging.hpp"
#include "report/recorded_dispatch.hpp"

namespace coopvk::layer {
class ShaderDumps;
}

namespace coopvk::layer::inputs {

// A rewritten compute shader, of some of whose dispatches inputs are kept.
struct KeptShader {
    std::string name;     // of its files
    std::string request;  // JSON, an object
    bool usesAddresses = false;
    uint32_t kept = 0;  // dispatches that were written or may be
    uint32_t written = 0;
};

// Where the number of workgroups of an indirect dispatch is.
struct IndirectCount {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceSize offset = 0;
};

enum class Progress { kRecorded, kSubmitted, kOver };

// A set with which the dispatch was recorded.
struct SetUse {
    uint32_t number = 0;
    std::shared_ptr<const DescriptorSet> set;
    uint64_t updates = 0;
};

class KeptDispatch {
 public:
    // Null if there is no memory for the copies.
    static std::shared_ptr<KeptDispatch> make(const Driver& driver,
                                              std::shared_ptr<KeptShader> shader,
                                              RecordedDispatch record, const Ranges& ranges,
                                              const std::optional<IndirectCount>& indirect);

    // Record copies, before and after the dispatch.
    void recordBefore(VkCommandBuffer commands) const;
    void recordAfter(VkCommandBuffer commands) const;

    // When it goes to a queue.
    void submit();
    // Once it is over, with or without a lost device: VK_SUCCESS, or an error. False if there is no
    // memory.
    bool read(VkResult executed) noexcept;
    // After it was read.
    void write(ShaderDumps& dumps) noexcept;

    Progress progress = Progress::kRecorded;
    uint32_t number = 0;         // of its files, once it is over
    bool isOverwritten = false;  // the device may execute it again, before it was read
    std::vector<SetUse> sets;    // that may change until it is submitted
    const std::shared_ptr<KeptShader> shader;

 private:
    KeptDispatch(const Driver& driver, std::shared_ptr<KeptShader> shader_, RecordedDispatch record,
                 Staging staging, const Ranges& ranges,
                 const std::optional<IndirectCount>& indirect);
    void recordCopies(VkCommandBuffer commands, uint64_t shift) const;
    void barrier(VkCommandBuffer commands, VkAccessFlags from, VkAccessFlags to) const;

    const Driver& driver_;
    RecordedDispatch record_;
    Staging staging_;
    const std::vector<Copy> copies_;
    const std::optional<IndirectCount> indirect_;
    const uint64_t half_;  // bytes of the regions, once
    std::vector<std::byte> read_;
};

}  // namespace coopvk::layer::inputs

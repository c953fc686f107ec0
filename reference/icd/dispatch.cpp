// SPDX-License-Identifier: Apache-2.0
//
// Dispatches, and what the interpreter needs from the driver: memory of descriptors and addresses,
// and where reports go.
#include <cstring>

#include "command_buffer.hpp"
#include "commands.hpp"

namespace coopvk::reference::icd {
namespace {

class BoundResources final : public Resources {
 public:
    explicit BoundResources(const Execution& execution)
        : addresses_(execution.device.addressesNow()) {
        for (uint32_t set = 0; set < kMaxSets; ++set) {
            const BoundSet& bound = execution.sets[set];
            if (bound.life.expired()) continue;
            sets_[set] = bound.set;
            addDynamic(bound);
        }
    }

    const Range* descriptor(uint32_t set, uint32_t binding, uint32_t element) override {
        if (set >= kMaxSets || sets_[set] == nullptr) return nullptr;
        const Descriptor* found = sets_[set]->find(binding, element);
        if (found == nullptr) return nullptr;
        const auto moved = dynamic_.find(found);
        const Range& range = moved == dynamic_.end() ? found->range : moved->second;
        const bool ofMemory = range.address != 0;  // not an inline uniform block
        const bool lives = range.data != nullptr && (!ofMemory || addresses_.live(range));
        return lives ? &range : nullptr;
    }

    const Range* buffer(uint64_t address) override { return addresses_.buffer(address); }

 private:
    // Dynamic offsets are in the order of bindings and elements.
    void addDynamic(const BoundSet& bound) {
        size_t next = 0;
        for (const auto& [number, binding] : *bound.set->bindings) {
            for (uint32_t i = 0; binding.isDynamic() && i < binding.count; ++i) {
                if (next == bound.offsets.size()) return;
                const Descriptor* descriptor = bound.set->find(number, i);
                Range rest = descriptor->range;
                rest.size = descriptor->rest;
                dynamic_[descriptor] = part(rest, bound.offsets[next++], descriptor->range.size);
            }
        }
    }

    const Addresses addresses_;
    std::array<const DescriptorSet*, kMaxSets> sets_ = {};
    std::map<const Descriptor*, Range> dynamic_;
};

// Reports as messages of the instance's messengers, about the bound pipeline or shader.
class DeviceReporter final : public Reporter {
 public:
    explicit DeviceReporter(const Execution& execution) : execution_(execution) {}

    bool report(const Report& report) override {
        const ReportAction action = execution_.device.settings().action;
        if (action != ReportAction::kIgnore)
            message({std::string("coopvk-reference-") + checkName(report.check), describe(report)});
        return action != ReportAction::kError;
    }

    void print(const std::string& text) override {
        message({.id = "coopvk-reference-print",
                 .text = text,
                 .severity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
                 .types = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT});
    }

 private:
    void message(Message message) {
        message.object = execution_.programObject;
        message.type = execution_.programType;
        send(*execution_.device.physical->instance, message);
    }

    const Execution& execution_;
};

// Executes the bound program.
void dispatch(Execution& execution, const std::array<uint32_t, 3>& base,
              const std::array<uint32_t, 3>& groups) {
    if (execution.program == nullptr || groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return;
    BoundResources resources(execution);
    DeviceReporter reporter(execution);
    const Dispatch call{groups, base, execution.pushConstants};
    Device& device = execution.device;
    const Status status = execute(*execution.program, call, resources, device.settings(), reporter);
    if (status) return;
    send(*device.physical->instance, {.id = "coopvk-reference-device-lost",
                                      .text = status.error().message,
                                      .object = &device,
                                      .type = VK_OBJECT_TYPE_DEVICE,
                                      .types = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT});
    device.lose();
}

}  // namespace

void execution::CmdDispatchBase(Execution& execution, uint32_t baseX, uint32_t baseY,
                                uint32_t baseZ, uint32_t x, uint32_t y, uint32_t z) {
    dispatch(execution, {baseX, baseY, baseZ}, {x, y, z});
}

void execution::CmdDispatch(Execution& execution, uint32_t x, uint32_t y, uint32_t z) {
    dispatch(execution, {0, 0, 0}, {x, y, z});
}

void execution::CmdDispatchIndirect(Execution& execution, VkBuffer buffer, VkDeviceSize offset) {
    std::array<uint32_t, 3> groups = {};
    const Range range = part(from<Buffer>(buffer)->range, offset, sizeof(groups));
    if (range.size == sizeof(groups)) std::memcpy(groups.data(), range.data, range.size);
    dispatch(execution, {0, 0, 0}, groups);
}

}  // namespace coopvk::reference::icd

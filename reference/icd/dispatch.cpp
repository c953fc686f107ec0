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
        : addresses_(execution.device.addresses.now()) {
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
        for (const Binding& binding : bound.set->bindings->all) {
            for (uint32_t i = 0; binding.isDynamic() && i < binding.count; ++i) {
                if (next == bound.offsets.size()) return;
                const Descriptor* descriptor = bound.set->find(binding.number, i);
                dynamic_[descriptor] = moved(*descriptor, bound.offsets[next++]);
            }
        }
    }

    static Range moved(const Descriptor& descriptor, uint32_t offset) {
        Range range = descriptor.range;
        if (range.data == nullptr || offset > descriptor.rest) return {};
        range.data += offset;
        range.address += offset;
        if (range.written != nullptr) range.written += offset;
        range.size = std::min(range.size, descriptor.rest - offset);
        return range;
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
        Message printed{"coopvk-reference-print", text};
        printed.severity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
        printed.types = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
        message(std::move(printed));
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
    const Status status =
        execute(*execution.program, call, resources, execution.device.settings(), reporter);
    if (status) return;
    Message message{"coopvk-reference-device-lost", status.error().message, &execution.device,
                    VK_OBJECT_TYPE_DEVICE};
    message.types = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    send(*execution.device.physical->instance, message);
    execution.device.lose();
}

}  // namespace

void CmdDispatchBase(VkCommandBuffer handle, uint32_t baseX, uint32_t baseY, uint32_t baseZ,
                     uint32_t x, uint32_t y, uint32_t z) {
    record(handle,
           [=](Execution& execution) { dispatch(execution, {baseX, baseY, baseZ}, {x, y, z}); });
}

void CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z) {
    CmdDispatchBase(handle, 0, 0, 0, x, y, z);
}

void CmdDispatchIndirect(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset) {
    const Buffer* from = icd::from<Buffer>(buffer);
    const auto indirect = [from, offset](Execution& execution) {
        std::array<uint32_t, 3> groups = {};
        const Range range = part(from->range, offset, sizeof(groups));
        if (range.size == sizeof(groups)) std::memcpy(groups.data(), range.data, range.size);
        dispatch(execution, {0, 0, 0}, groups);
    };
    record(handle, indirect, from);
}

}  // namespace coopvk::reference::icd

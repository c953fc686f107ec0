// SPDX-License-Identifier: Apache-2.0
//
// What the interpreter needs from the driver: memory of descriptors and addresses, and where
// reports go.
#include <algorithm>
#include <map>

#include "command_buffer.hpp"
#include "coopvk_reference/execute.hpp"

namespace coopvk::reference::icd {
namespace {

class BoundResources final : public Resources {
 public:
    explicit BoundResources(const Execution& execution)
        : sets_(execution.sets), buffers_(execution.device.addresses.buffers()) {
        for (uint32_t set = 0; set < kMaxSets; ++set) addDynamic(set);
    }

    const Range* descriptor(uint32_t set, uint32_t binding, uint32_t element) override {
        if (set >= kMaxSets || sets_[set].set == nullptr) return nullptr;
        const Descriptor* found = sets_[set].set->find(binding, element);
        if (found == nullptr) return nullptr;
        const auto moved = dynamic_.find(found);
        const Range& range = moved == dynamic_.end() ? found->range : moved->second;
        return range.data == nullptr ? nullptr : &range;
    }

    // Of buffers that overlap, the last to begin that contains the address.
    const Range* buffer(uint64_t address) override {
        const auto behind = std::upper_bound(
            buffers_->begin(), buffers_->end(), address,
            [](uint64_t wanted, const Range& range) { return wanted < range.address; });
        for (auto range = behind; range != buffers_->begin();) {
            --range;
            if (address - range->address < range->size) return &*range;
        }
        return nullptr;
    }

 private:
    // Dynamic offsets are in the order of bindings and elements.
    void addDynamic(uint32_t number) {
        const BoundSet& bound = sets_[number];
        if (bound.set == nullptr || bound.offsets.empty()) return;
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

    const std::array<BoundSet, kMaxSets>& sets_;
    std::shared_ptr<const std::vector<Range>> buffers_;
    std::map<const Descriptor*, Range> dynamic_;
};

// Reports as messages of the instance's messengers, about the bound pipeline or shader.
class DeviceReporter final : public Reporter {
 public:
    explicit DeviceReporter(const Execution& execution) : execution_(execution) {}

    bool report(const Report& report) override {
        const ReportAction action = execution_.device.settings().action;
        if (action != ReportAction::kIgnore)
            message(VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                    VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
                    std::string("coopvk-reference-") + checkName(report.check), describe(report));
        return action != ReportAction::kError;
    }

    void print(const std::string& text) override {
        message(VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT,
                VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, "coopvk-reference-print", text);
    }

 private:
    void message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                 VkDebugUtilsMessageTypeFlagsEXT types, std::string id, std::string text) {
        Instance& instance = *execution_.device.physical->instance;
        send(instance, {severity, types, std::move(id), std::move(text), execution_.programType,
                        const_cast<Object*>(execution_.programObject)});
    }

    const Execution& execution_;
};

}  // namespace

void dispatch(Execution& execution, const std::array<uint32_t, 3>& base,
              const std::array<uint32_t, 3>& groups) {
    if (execution.program == nullptr || groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return;
    BoundResources resources(execution);
    DeviceReporter reporter(execution);
    const Dispatch call{groups, base, execution.pushConstants};
    const Status status =
        execute(*execution.program, call, resources, execution.device.settings(), reporter);
    if (status) return;
    const Error& error = status.error();
    send(
        *execution.device.physical->instance,
        {VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT, VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
         "coopvk-reference-device-lost", error.message, VK_OBJECT_TYPE_DEVICE, &execution.device});
    execution.device.lose();
}

}  // namespace coopvk::reference::icd

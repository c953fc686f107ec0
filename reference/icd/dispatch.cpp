// SPDX-License-Identifier: Apache-2.0
//
// What the queue does with memory. Dispatches, and what the interpreter needs from the driver:
// memory of descriptors and addresses, and where reports go. Copies, fills and updates of buffers,
// and conversions of the matrices of cooperative vectors, which the host can do, too.
#include <cstring>
#include <optional>

#include "command_buffer.hpp"
#include "matrices/layouts.hpp"

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

// What is written is as much defined as what it is copied from.
void copy(const Range& from, const Range& to) {
    if (from.size != to.size || to.size == 0) return;
    std::memmove(to.data, from.data, to.size);
    if (to.written == nullptr) return;
    if (from.written == nullptr)
        markWritten(to);
    else
        std::memmove(to.written, from.written, to.size);
}

template <typename Region>
void copyRegions(CommandBuffer& commands, Buffer* source, Buffer* target,
                 std::span<const Region> regions) {
    for (const Region& region : regions) {
        const auto copyOne = [=](Execution&) {
            copy(part(source->range, region.srcOffset, region.size),
                 part(target->range, region.dstOffset, region.size));
        };
        record(commands, copyOne, source, target);
    }
}

using Info = VkConvertCooperativeVectorMatrixInfoNV;

struct Matrices {
    matrices::VectorMatrix from, to;
};

std::optional<Matrices> matricesOf(const Info& info) {
    const auto matrix = [&](VkComponentTypeKHR type, VkCooperativeVectorMatrixLayoutNV layout,
                            size_t stride) {
        return matrices::vectorMatrix(uint32_t(type), uint32_t(layout), info.numRows,
                                      info.numColumns, stride);
    };
    const auto from = matrix(info.srcComponentType, info.srcLayout, info.srcStride);
    const auto to = matrix(info.dstComponentType, info.dstLayout, info.dstStride);
    if (!from || !to) return std::nullopt;
    return Matrices{*from, *to};
}

// With the gap behind the last line. Optimal layouts must start at multiples of 64 bytes: so that
// one can follow another.
size_t wholeSize(const matrices::VectorMatrix& matrix) {
    return matrix.lines() != 0 ? matrix.lines() * matrix.stride : (matrix.size() + 63) / 64 * 64;
}

// What a destination must have: optimal layouts in whole, of the others the last element.
size_t neededSize(const matrices::VectorMatrix& matrix) {
    return matrix.lines() != 0 ? matrix.size() : wholeSize(matrix);
}

bool convert(const Matrices& both, const std::byte* source, std::byte* target) {
    return matrices::convertMatrix(both.from, {source, both.from.size()}, both.to,
                                   {target, both.to.size()});
}

// The memory at an address, to the end of its buffer.
Range at(const Addresses& addresses, VkDeviceAddress address) {
    const Range* buffer = addresses.buffer(address);
    return buffer == nullptr ? Range{} : part(*buffer, address - buffer->address, VK_WHOLE_SIZE);
}

}  // namespace

void execution::CmdDispatchBase(Execution& execution, uint32_t baseX, uint32_t baseY,
                                uint32_t baseZ, uint32_t x, uint32_t y, uint32_t z) {
    dispatch(execution, {baseX, baseY, baseZ}, {x, y, z});
}

void execution::CmdDispatch(Execution& execution, uint32_t x, uint32_t y, uint32_t z) {
    dispatch(execution, {0, 0, 0}, {x, y, z});
}

void execution::CmdDispatchIndirect(Execution& execution, Buffer* buffer, VkDeviceSize offset) {
    std::array<uint32_t, 3> groups = {};
    const Range range = part(buffer->range, offset, sizeof(groups));
    if (range.size == sizeof(groups)) std::memcpy(groups.data(), range.data, range.size);
    dispatch(execution, {0, 0, 0}, groups);
}

void CmdCopyBuffer(CommandBuffer& commands, Buffer* source, Buffer* target, uint32_t count,
                   const VkBufferCopy* regions) {
    copyRegions<VkBufferCopy>(commands, source, target, {regions, count});
}

void CmdCopyBuffer2(CommandBuffer& commands, const VkCopyBufferInfo2* info) {
    copyRegions<VkBufferCopy2>(commands, objectOf(info->srcBuffer), objectOf(info->dstBuffer),
                               {info->pRegions, info->regionCount});
}

void execution::CmdFillBuffer(Execution&, Buffer* target, VkDeviceSize offset, VkDeviceSize size,
                              uint32_t data) {
    Range range = part(target->range, offset, size);
    // VK_WHOLE_SIZE rounds down to a multiple of four.
    range.size = range.size / sizeof(data) * sizeof(data);
    for (uint64_t i = 0; i < range.size; i += sizeof(data))
        std::memcpy(range.data + i, &data, sizeof(data));
    markWritten(range);
}

void CmdUpdateBuffer(CommandBuffer& commands, Buffer* target, VkDeviceSize offset,
                     VkDeviceSize size, const void* data) {
    const auto* begin = static_cast<const std::byte*>(data);
    const auto update = [target, offset, bytes = std::vector(begin, begin + size)](Execution&) {
        const Range range = part(target->range, offset, bytes.size());
        if (range.size != 0) std::memcpy(range.data, bytes.data(), range.size);
        markWritten(range);
    };
    record(commands, update, target);
}

// If the target is too small, nothing is written.
VkResult ConvertCooperativeVectorMatrixNV(Device&, const Info* info) {
    const std::optional<Matrices> both = matricesOf(*info);
    if (!both) return VK_ERROR_FEATURE_NOT_PRESENT;
    if (info->dstData.hostAddress == nullptr) {
        *info->pDstSize = wholeSize(both->to);
        return VK_SUCCESS;
    }
    if (*info->pDstSize < neededSize(both->to) || info->srcSize < both->from.size()) {
        *info->pDstSize = 0;
        return VK_INCOMPLETE;
    }
    *info->pDstSize = both->to.size();
    const bool done = convert(*both, static_cast<const std::byte*>(info->srcData.hostAddress),
                              static_cast<std::byte*>(info->dstData.hostAddress));
    return done ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT;
}

void CmdConvertCooperativeVectorMatrixNV(CommandBuffer& commands, uint32_t count,
                                         const Info* infos) {
    for (const Info& info : std::span(infos, count)) {
        const std::optional<Matrices> both = matricesOf(info);
        if (!both) {
            commands.result = VK_ERROR_FEATURE_NOT_PRESENT;
            return;
        }
        record(commands, [both = *both, info, most = *info.pDstSize](Execution& execution) {
            const Addresses addresses = execution.device.addressesNow();
            const Range source = at(addresses, info.srcData.deviceAddress);
            const Range target = at(addresses, info.dstData.deviceAddress);
            const bool fits = both.from.size() <= std::min<size_t>(source.size, info.srcSize) &&
                              neededSize(both.to) <= std::min<size_t>(target.size, most);
            if (fits && convert(both, source.data, target.data))
                markWritten(part(target, 0, both.to.size()));
        });
    }
}

}  // namespace coopvk::reference::icd

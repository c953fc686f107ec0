// SPDX-License-Identifier: Apache-2.0
//
// Dispatches, and where their reports go. Conversions of the matrices of cooperative vectors, which
// the host can do, too.
#include <algorithm>
#include <cstring>
#include <optional>

#include "bound_resources.hpp"
#include "dependencies/followed.hpp"
#include "heaps/heap_resources.hpp"
#include "matrices/layouts.hpp"

namespace coopvk::reference::icd {
namespace {

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
        const auto object = execution_.programObject.lock();
        message.object = object.get();
        send(*execution_.device.physical->instance, message);
    }

    const Execution& execution_;
};

std::unique_ptr<HeldResources> resourcesOf(Execution& execution) {
    if (execution.mappings != nullptr) return std::make_unique<HeapResources>(execution);
    return std::make_unique<BoundResources>(execution);
}

// Executes the bound program, after the command began its accesses.
void dispatch(Execution& execution, const std::array<uint32_t, 3>& base,
              const std::array<uint32_t, 3>& groups) {
    require(execution.program != nullptr, "no compute shader is bound");
    if (groups[0] == 0 || groups[1] == 0 || groups[2] == 0) return;
    const std::unique_ptr<HeldResources> resources = resourcesOf(execution);
    const bool usesHeaps = execution.mappings != nullptr;
    DeviceReporter reporter(execution);
    Device& device = execution.device;
    FollowedAccesses accesses(execution);
    Observer* const observers[] = {&accesses};
    const Dispatch call{.groups = groups,
                        .base = base,
                        .pushConstants = execution.pushConstants,
                        .pushWritten = usesHeaps ? execution.pushWritten.data() : nullptr,
                        .observers = std::span(observers, device.dependencies ? 1 : 0),
                        .stop = &device.stopping};
    const Status status =
        execute(*execution.program, call, *resources, device.settings(), reporter);
    if (device.stopping) return;
    resources->requireAll();
    if (status) return;
    send(*device.physical->instance, {.id = "coopvk-reference-device-lost",
                                      .text = status.error().message,
                                      .object = &device,
                                      .types = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT});
    device.lose();
}

// Commands that have a shader to execute.
void requireProgram(const CommandBuffer& commands) {
    require(commands.hasProgram, "no compute shader is bound");
}

void recordDispatch(CommandBuffer& commands, const std::array<uint32_t, 3>& base,
                    const std::array<uint32_t, 3>& groups) {
    requireProgram(commands);
    for (uint32_t i = 0; i < 3; ++i)
        require(uint64_t{base[i]} + groups[i] <= kMaxGroups, "there are too many workgroups");
    record(commands, [=](Execution& execution) {
        beginAccesses(execution, Use::kStorageWrite);
        dispatch(execution, base, groups);
    });
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

// All bytes that the matrix needs; those of padding become zeros.
bool convert(const Matrices& both, const std::byte* source, std::byte* target) {
    std::fill(target + both.to.size(), target + neededSize(both.to), std::byte{0});
    return matrices::convertMatrix(both.from, {source, both.from.size()}, both.to,
                                   {target, both.to.size()});
}

// The memory at an address, to the end of its buffer.
Range at(const Addresses& addresses, VkDeviceAddress address) {
    const Range* buffer = addresses.buffer(address);
    return buffer == nullptr ? Range{} : part(*buffer, address - buffer->address, VK_WHOLE_SIZE);
}

}  // namespace

void CmdDispatchBase(CommandBuffer& commands, uint32_t baseX, uint32_t baseY, uint32_t baseZ,
                     uint32_t x, uint32_t y, uint32_t z) {
    recordDispatch(commands, {baseX, baseY, baseZ}, {x, y, z});
}

void CmdDispatch(CommandBuffer& commands, uint32_t x, uint32_t y, uint32_t z) {
    recordDispatch(commands, {0, 0, 0}, {x, y, z});
}

void CmdDispatchIndirect(CommandBuffer& commands, Buffer* buffer, VkDeviceSize offset) {
    requireProgram(commands);
    require(offset % 4 == 0, "the offset is no multiple of 4");
    using Groups = std::array<uint32_t, 3>;
    buffer->requireRange(offset, sizeof(Groups), VK_BUFFER_USAGE_2_INDIRECT_BUFFER_BIT);
    const auto execute = [=](Execution& execution) {
        Groups groups = {};
        const auto held = buffer->hold();
        beginAccesses(execution, Use::kStorageWrite);
        std::vector<std::byte> stale;
        const Range from = part(buffer->range, offset, sizeof(groups));
        std::memcpy(groups.data(), followedBytes(execution, Use::kIndirectRead, from, stale),
                    sizeof(groups));
        dispatch(execution, {0, 0, 0}, groups);
    };
    record(commands, execute, buffer);
}

// If the target is too small, nothing is written.
VkResult ConvertCooperativeVectorMatrixNV(Device&, const Info* info) {
    const std::optional<Matrices> both = matricesOf(*info);
    if (!both) return VK_ERROR_FEATURE_NOT_PRESENT;
    require(info->pDstSize != nullptr, "there is no place for the size");
    if (info->dstData.hostAddress == nullptr) {
        *info->pDstSize = wholeSize(both->to);
        return VK_SUCCESS;
    }
    if (*info->pDstSize < neededSize(both->to) || info->srcSize < both->from.size()) {
        *info->pDstSize = 0;
        return VK_INCOMPLETE;
    }
    require(info->srcData.hostAddress != nullptr, "there is no source");
    *info->pDstSize = neededSize(both->to);
    const bool done = convert(*both, static_cast<const std::byte*>(info->srcData.hostAddress),
                              static_cast<std::byte*>(info->dstData.hostAddress));
    return done ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT;
}

void CmdConvertCooperativeVectorMatrixNV(CommandBuffer& commands, uint32_t count,
                                         const Info* infos) {
    for (const Info& info : listOf(infos, count)) {
        const std::optional<Matrices> both = matricesOf(info);
        if (!both) {
            commands.result = VK_ERROR_FEATURE_NOT_PRESENT;
            return;
        }
        require(info.pDstSize != nullptr, "there is no size of the destination");
        record(commands, [both = *both, info, most = *info.pDstSize](Execution& execution) {
            const Addresses addresses = execution.device.addressesNow();
            const Range source = at(addresses, info.srcData.deviceAddress);
            const Range target = at(addresses, info.dstData.deviceAddress);
            const bool fits = both.from.size() <= std::min<size_t>(source.size, info.srcSize) &&
                              neededSize(both.to) <= std::min<size_t>(target.size, most);
            require(fits, "the source or the destination of a conversion is too small");
            beginAccesses(execution, Use::kConvertWrite);
            std::vector<std::byte> stale;
            const std::byte* bytes = followedBytes(execution, Use::kConvertRead,
                                                   part(source, 0, both.from.size()), stale);
            const Range written = part(target, 0, neededSize(both.to));
            followWrite(execution, Use::kConvertWrite, written);
            if (convert(both, bytes, target.data)) markWritten(written);
        });
    }
}

}  // namespace coopvk::reference::icd

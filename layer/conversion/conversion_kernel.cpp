// SPDX-License-Identifier: Apache-2.0
#include "conversion/conversion_kernel.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "conversion/restore_state.hpp"
#include "convert_matrix.spv.h"
#include "objects/context.hpp"
#include "objects/guard.hpp"

namespace coopvk::layer {
namespace {

constexpr uint32_t kGroupSize = 64;
constexpr uint32_t kMostGroups = 65535;  // what every device allows

// As in shaders/convert_matrix.comp.
constexpr uint32_t kColumnMajor = 1, kOptimal = 2, kInBlocks = 4;

uint32_t wordOf(const rewrite::ComponentFormat& format) {
    return format.bits | format.exponentBits << 8 | format.mantissaBits << 12 | format.bias << 17 |
           (format.hasInfinity ? 1u : 0u) << 31;
}

struct KernelMatrix {
    uint32_t format;
    uint32_t flags;
    uint32_t lines;
    uint32_t lineLength;
    uint32_t lineBytes;

    explicit KernelMatrix(const MatrixView& view)
        : format(wordOf(view.format)),
          flags((view.columnMajor ? kColumnMajor : 0) | (view.optimal ? kOptimal : 0) |
                (view.placement.inBlocks ? kInBlocks : 0)),
          lines(view.lines),
          lineLength(view.lineLength),
          lineBytes(static_cast<uint32_t>(view.lineBytes())) {}
};

struct Arguments {
    VkDeviceAddress source;
    VkDeviceAddress target;
    KernelMatrix from;
    KernelMatrix to;
    uint32_t targetWords;
};
static_assert(offsetof(Arguments, targetWords) + sizeof(uint32_t) == 60);
static_assert(sizeof(Arguments) <= ConversionArguments::kSlotBytes);

// The address of arguments, in the parts that the kernel makes it of: numbers of workgroups, of
// which every device allows 65535, and above them a window that is constant in a pipeline. Drivers
// that keep pipelines on disk find them again as long as memory is in the same 64 GiB.
struct AddressParts {
    static constexpr uint32_t kBits = 15;

    explicit AddressParts(VkDeviceAddress address) {
        const uint64_t slot = address / ConversionArguments::kSlotBytes;
        y = static_cast<uint32_t>(slot) & ((1u << kBits) - 1);
        z = static_cast<uint32_t>(slot >> kBits) & ((1u << kBits) - 1);
        window = static_cast<uint32_t>(slot >> 2 * kBits);
    }

    uint32_t y, z, window;
};

VkResult createLayout(DeviceContext& device, VkPipelineLayout& layout) {
    const VkPipelineLayoutCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    return device.next.CreatePipelineLayout(device.handle, &info, nullptr, &layout);
}

VkResult createPipeline(DeviceContext& device, uint32_t window, VkPipelineLayout layout,
                        VkPipeline& pipeline) {
    VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = sizeof(kConvertMatrixWords);
    code.pCode = kConvertMatrixWords;
    const VkSpecializationMapEntry entry = {0, 0, sizeof window};
    const VkSpecializationInfo constants = {1, &entry, sizeof window, &window};
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
    info.layout = layout;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &constants;
    VkResult result =
        device.next.CreateShaderModule(device.handle, &code, nullptr, &info.stage.module);
    if (result != VK_SUCCESS) return result;
    result = device.next.CreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr,
                                                &pipeline);
    device.next.DestroyShaderModule(device.handle, info.stage.module, nullptr);
    return result;
}

}  // namespace

VkResult ConversionKernel::create(DeviceContext& device, uint32_t window, Objects& made) {
    const VkResult result = createLayout(device, made.layout);
    if (result != VK_SUCCESS) return result;
    return createPipeline(device, window, made.layout, made.pipeline);
}

VkResult ConversionKernel::pipelineFor(DeviceContext& device, uint32_t window,
                                       VkPipeline& pipeline) {
    {
        const std::scoped_lock lock(mutex_);
        const auto found = objects_.find(window);
        if (found != objects_.end()) {
            pipeline = found->second.pipeline;
            return VK_SUCCESS;
        }
    }
    Objects made;
    OnExit undo([&] { destroyObjects(device, made); });
    const VkResult result = create(device, window, made);
    if (result != VK_SUCCESS) return result;
    const std::scoped_lock lock(mutex_);
    const auto [place, isFirst] = objects_.try_emplace(window, made);
    if (isFirst) undo.dismiss();  // else another thread was faster
    pipeline = place->second.pipeline;
    return VK_SUCCESS;
}

void ConversionKernel::destroyObjects(DeviceContext& device, const Objects& objects) {
    if (objects.pipeline != VK_NULL_HANDLE) {
        device.next.DestroyPipeline(device.handle, objects.pipeline, nullptr);
    }
    if (objects.layout != VK_NULL_HANDLE) {
        device.next.DestroyPipelineLayout(device.handle, objects.layout, nullptr);
    }
}

void ConversionKernel::destroy(DeviceContext& device) {
    for (const auto& [window, objects] : objects_) destroyObjects(device, objects);
    objects_.clear();
    arguments.destroy(device);
}

std::string ConversionKernel::checkLimits(const MatrixConversion& conversion) {
    const uint64_t most = std::numeric_limits<uint32_t>::max() - 3;  // whole words
    if (conversion.source.placement.size <= most && conversion.target.placement.size <= most) {
        return {};
    }
    return "matrices of 4 GiB or more are not converted on a device";
}

VkResult ConversionKernel::dispatch(DeviceContext& device, const MatrixConversion& conversion,
                                    VkDeviceAddress source, VkDeviceAddress target, Bound& bound) {
    const auto words = static_cast<uint32_t>((conversion.target.placement.size + 3) / 4);
    if (words == 0) return VK_SUCCESS;
    ArgumentSlot slot;
    VkResult result = arguments.take(device, bound.commands, bound.pool, slot);
    if (result != VK_SUCCESS) return result;
    const AddressParts at(slot.address);
    VkPipeline pipeline = VK_NULL_HANDLE;
    result = pipelineFor(device, at.window, pipeline);
    if (result != VK_SUCCESS) return result;
    const Arguments values = {source, target, KernelMatrix(conversion.source),
                              KernelMatrix(conversion.target), words};
    std::memcpy(slot.host, &values, sizeof values);
    const auto& next = device.next;
    if (bound.pipeline == VK_NULL_HANDLE) seeTransfers(next, bound.commands);
    if (bound.pipeline != pipeline) {
        next.CmdBindPipeline(bound.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        bound.pipeline = pipeline;
    }
    const uint32_t groups = std::min((words + kGroupSize - 1) / kGroupSize, kMostGroups);
    firstOf(next.CmdDispatchBase, next.CmdDispatchBaseKHR)(bound.commands, 0, at.y, at.z, groups, 1,
                                                           1);
    return VK_SUCCESS;
}

}  // namespace coopvk::layer

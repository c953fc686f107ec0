// SPDX-License-Identifier: Apache-2.0
#include "conversion_kernel.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "context.hpp"
#include "convert_matrix.spv.h"

namespace coopvk::layer {
namespace {

constexpr uint32_t kGroupSize = 64;
constexpr uint32_t kMostGroups = 65535;  // what every device allows

// As in shaders/convert_matrix.comp.
constexpr uint32_t kColumnMajor = 1, kOptimal = 2, kInBlocks = 4;

struct KernelMatrix {
    ElementFormat format;
    uint32_t flags;
    uint32_t lines;
    uint32_t lineLength;
    uint32_t lineBytes;

    explicit KernelMatrix(const MatrixView& view)
        : format(view.format),
          flags((view.columnMajor ? kColumnMajor : 0) | (view.optimal ? kOptimal : 0) |
                (view.placement.inBlocks ? kInBlocks : 0)),
          lines(view.lines),
          lineLength(view.lineLength),
          lineBytes(static_cast<uint32_t>(view.lineBytes())) {}
};

struct Push {
    VkDeviceAddress source;
    VkDeviceAddress target;
    KernelMatrix from;
    KernelMatrix to;
    uint32_t targetWords;
};
static_assert(offsetof(Push, targetWords) + sizeof(uint32_t) == ConversionKernel::kPushBytes);

VkResult createLayout(DeviceContext& device, VkPipelineLayout& layout) {
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                       ConversionKernel::kPushBytes};
    VkPipelineLayoutCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    return device.next.CreatePipelineLayout(device.handle, &info, nullptr, &layout);
}

VkResult createPipeline(DeviceContext& device, VkComputePipelineCreateInfo info,
                        VkPipeline& pipeline) {
    VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = sizeof(kConvertMatrixWords);
    code.pCode = kConvertMatrixWords;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    VkResult result =
        device.next.CreateShaderModule(device.handle, &code, nullptr, &info.stage.module);
    if (result != VK_SUCCESS) return result;
    result = device.next.CreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr,
                                                &pipeline);
    device.next.DestroyShaderModule(device.handle, info.stage.module, nullptr);
    return result;
}

}  // namespace

VkResult ConversionKernel::create(DeviceContext& device, PushMode mode, Objects& made) {
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
#ifdef VK_EXT_descriptor_heap
    VkPipelineCreateFlags2CreateInfo flags = {
        VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    flags.flags = VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT;
    if (mode == PushMode::kData) {  // which takes no layout
        info.pNext = &flags;
        return createPipeline(device, info, made.pipeline);
    }
#endif
    const VkResult result = createLayout(device, made.layout);
    if (result != VK_SUCCESS) return result;
    info.layout = made.layout;
    return createPipeline(device, info, made.pipeline);
}

VkResult ConversionKernel::prepare(DeviceContext& device, PushMode mode) {
    Objects& kept = objects_[static_cast<size_t>(mode)];
    {
        const std::scoped_lock lock(mutex_);
        if (kept.pipeline != VK_NULL_HANDLE) return VK_SUCCESS;
    }
    Objects made;
    const VkResult result = create(device, mode, made);
    if (result == VK_SUCCESS) {
        const std::scoped_lock lock(mutex_);
        if (kept.pipeline == VK_NULL_HANDLE) std::swap(kept, made);
    }
    destroy(device, made);  // after a failure, or because another thread was faster
    return result;
}

void ConversionKernel::destroy(DeviceContext& device, const Objects& objects) {
    if (objects.pipeline != VK_NULL_HANDLE) {
        device.next.DestroyPipeline(device.handle, objects.pipeline, nullptr);
    }
    if (objects.layout != VK_NULL_HANDLE) {
        device.next.DestroyPipelineLayout(device.handle, objects.layout, nullptr);
    }
}

void ConversionKernel::destroy(DeviceContext& device) {
    for (Objects& objects : objects_) destroy(device, std::exchange(objects, {}));
}

void ConversionKernel::bind(DeviceContext& device, VkCommandBuffer commands, PushMode mode) const {
    device.next.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, objects(mode).pipeline);
}

std::string ConversionKernel::dispatch(DeviceContext& device, VkCommandBuffer commands,
                                       PushMode mode, const MatrixConversion& conversion,
                                       VkDeviceAddress source, VkDeviceAddress target) const {
    const uint64_t most = std::numeric_limits<uint32_t>::max() - 3;  // whole words
    if (conversion.source.placement.size > most || conversion.target.placement.size > most) {
        return "matrices of 4 GiB or more are not converted on a device";
    }
    const auto words = static_cast<uint32_t>((conversion.target.placement.size + 3) / 4);
    if (words == 0) return {};
    const Push push = {source, target, KernelMatrix(conversion.source),
                       KernelMatrix(conversion.target), words};
    if (mode == PushMode::kConstants) {
        device.next.CmdPushConstants(commands, objects(mode).layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                     kPushBytes, &push);
    }
#ifdef VK_EXT_descriptor_heap
    if (mode == PushMode::kData) {
        VkPushDataInfoEXT info = {VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT};
        info.data = {&push, kPushBytes};
        device.next.CmdPushDataEXT(commands, &info);
    }
#endif
    const uint32_t groups = std::min((words + kGroupSize - 1) / kGroupSize, kMostGroups);
    device.next.CmdDispatch(commands, groups, 1, 1);
    return {};
}

}  // namespace coopvk::layer

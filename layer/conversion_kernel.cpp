// SPDX-License-Identifier: Apache-2.0
#include "conversion_kernel.hpp"

#include <algorithm>
#include <limits>

#include "context.hpp"
#include "convert_matrix.spv.h"

namespace coopvk::layer {
namespace {

constexpr uint32_t kGroupSize = 64;
constexpr uint32_t kMostGroups = 65535;  // what every device allows

// As in shaders/convert_matrix.comp.
constexpr uint32_t kColumnMajor = 1, kOptimal = 2;

struct KernelMatrix {
    ElementFormat format;
    uint32_t flags;
    uint32_t lines;
    uint32_t lineLength;
    uint32_t lineBytes;

    explicit KernelMatrix(const MatrixView& view)
        : format(view.format),
          flags((view.columnMajor ? kColumnMajor : 0) | (view.optimal ? kOptimal : 0)),
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

}  // namespace

VkResult ConversionKernel::create(DeviceContext& device) {
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes};
    VkPipelineLayoutCreateInfo layoutInfo = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layoutInfo.pushConstantRangeCount = 1;
    layoutInfo.pPushConstantRanges = &range;
    VkResult result = VK_SUCCESS;
    if (layout_ == VK_NULL_HANDLE) {
        result = device.next.CreatePipelineLayout(device.handle, &layoutInfo, nullptr, &layout_);
        if (result != VK_SUCCESS) return result;
    }
    VkShaderModuleCreateInfo moduleInfo = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = sizeof(kConvertMatrixWords);
    moduleInfo.pCode = kConvertMatrixWords;
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.layout = layout_;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    result =
        device.next.CreateShaderModule(device.handle, &moduleInfo, nullptr, &info.stage.module);
    if (result != VK_SUCCESS) return result;
    result = device.next.CreateComputePipelines(device.handle, VK_NULL_HANDLE, 1, &info, nullptr,
                                                &pipeline_);
    device.next.DestroyShaderModule(device.handle, info.stage.module, nullptr);
    return result;
}

VkResult ConversionKernel::prepare(DeviceContext& device) {
    const std::scoped_lock lock(mutex_);
    return pipeline_ != VK_NULL_HANDLE ? VK_SUCCESS : create(device);
}

void ConversionKernel::destroy(DeviceContext& device) {
    if (layout_ == VK_NULL_HANDLE) return;  // never needed
    if (pipeline_ != VK_NULL_HANDLE) {
        device.next.DestroyPipeline(device.handle, pipeline_, nullptr);
    }
    if (layout_ != VK_NULL_HANDLE) {
        device.next.DestroyPipelineLayout(device.handle, layout_, nullptr);
    }
    pipeline_ = VK_NULL_HANDLE;
    layout_ = VK_NULL_HANDLE;
}

void ConversionKernel::bind(DeviceContext& device, VkCommandBuffer commands) const {
    device.next.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_);
}

std::string ConversionKernel::dispatch(DeviceContext& device, VkCommandBuffer commands,
                                       const MatrixConversion& conversion, VkDeviceAddress source,
                                       VkDeviceAddress target) const {
    const uint64_t most = std::numeric_limits<uint32_t>::max() - 3;  // whole words
    if (conversion.source.placement.size > most || conversion.target.placement.size > most) {
        return "matrices of 4 GiB or more are not converted on a device";
    }
    const auto words = static_cast<uint32_t>((conversion.target.placement.size + 3) / 4);
    if (words == 0) return {};
    const Push push = {source, target, KernelMatrix(conversion.source),
                       KernelMatrix(conversion.target), words};
    device.next.CmdPushConstants(commands, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes,
                                 &push);
    const uint32_t groups = std::min((words + kGroupSize - 1) / kGroupSize, kMostGroups);
    device.next.CmdDispatch(commands, groups, 1, 1);
    return {};
}

}  // namespace coopvk::layer

// SPDX-License-Identifier: Apache-2.0
//
// Matrix conversions of VK_NV_cooperative_vector, on the host and in command buffers.
#include <utility>

#include "conversion/commands.hpp"
#include "conversion/conversion_kernel.hpp"
#include "conversion/restore_state.hpp"
#include "objects/command_state.hpp"
#include "objects/guard.hpp"
#include "objects/registry.hpp"

namespace coopvk::layer {
namespace {

// Empty, or what is wrong with a request that has a plan.
std::string checkSourceSize(const VkConvertCooperativeVectorMatrixInfoNV& info,
                            const MatrixConversion& conversion) {
    const uint64_t needed = conversion.source.placement.size;
    if (info.srcSize >= needed) return {};
    return "source: " + std::to_string(info.srcSize) + " bytes where the matrix has " +
           std::to_string(needed);
}

std::string checkTargetSize(const VkConvertCooperativeVectorMatrixInfoNV& info,
                            const MatrixConversion& conversion) {
    const uint64_t needed = conversion.target.placement.size;
    if (info.pDstSize != nullptr && *info.pDstSize >= needed) return {};
    return "destination: fewer than " + std::to_string(needed) + " bytes";
}

// Empty, or what is wrong with an element of vkCmdConvertCooperativeVectorMatrixNV.
std::string planRecorded(const DeviceContext& device,
                         const VkConvertCooperativeVectorMatrixInfoNV& info,
                         MatrixConversion& conversion) {
    std::string wrong = planConversion(info, device.facts.traits.blockedWeights, conversion);
    if (wrong.empty()) wrong = checkStrides(conversion);
    if (wrong.empty()) wrong = checkSourceSize(info, conversion);
    if (wrong.empty()) wrong = checkTargetSize(info, conversion);
    if (wrong.empty()) wrong = ConversionKernel::checkLimits(conversion);
    return wrong;
}

// Empty, or what is wrong with a request of vkConvertCooperativeVectorMatrixNV. Without a
// destination it only asks for the size.
std::string planOnHost(const DeviceContext& device,
                       const VkConvertCooperativeVectorMatrixInfoNV& info,
                       MatrixConversion& conversion) {
    std::string wrong = planConversion(info, device.facts.traits.blockedWeights, conversion);
    if (!wrong.empty()) return wrong;
    if (info.pDstSize == nullptr) return "destination: no size";
    if (!std::in_range<size_t>(conversion.target.wholeSize())) return "the matrix is too large";
    if (info.dstData.hostAddress == nullptr) return {};
    if (info.srcData.hostAddress == nullptr) return "source: no address";
    wrong = checkStrides(conversion);
    return wrong.empty() ? checkSourceSize(info, conversion) : wrong;
}

void recordOne(DeviceContext& device, CommandState& state, ConversionKernel::Bound& bound,
               const VkConvertCooperativeVectorMatrixInfoNV& info) {
    MatrixConversion conversion;
    const std::string wrong = planRecorded(device, info, conversion);
    if (!wrong.empty()) {
        state.failure = VK_ERROR_UNKNOWN;
        device.log().error("vkCmdConvertCooperativeVectorMatrixNV: " + wrong);
        return;
    }
    const VkResult result = device.conversions->dispatch(
        device, conversion, info.srcData.deviceAddress, info.dstData.deviceAddress, bound);
    if (result != VK_SUCCESS) {
        state.failure = result;
        device.log().error(
            "vkCmdConvertCooperativeVectorMatrixNV: cannot make its pipeline, or memory for its "
            "arguments");
        return;
    }
    if (device.statistics != nullptr) {
        device.statistics->ranCommand(rewrite::Extension::kNvCooperativeVector);
    }
}

void recordAll(DeviceContext& device, CommandState& state, VkCommandBuffer commands,
               std::span<const VkConvertCooperativeVectorMatrixInfoNV> infos) {
    ConversionKernel& kernel = *device.conversions;
    if (kernel.isCounted.load() && !kernel.isCountedLogged.exchange(true)) {
        device.log().warn(
            "vkCmdConvertCooperativeVectorMatrixNV: queries of pipeline statistics count its "
            "invocations, since it is a compute shader here");
    }
    ConversionKernel::Bound bound = {commands, state.pool};
    state.converts = true;
    suspendCondition(device.next, state, commands);
    const OnExit restore([&] {
        if (bound.pipeline != VK_NULL_HANDLE) {
            showWrites(device.next, commands);
            bindAgain(device.next, state, commands);
        }
        resumeCondition(device.next, state, commands);
    });
    for (const auto& info : infos) recordOne(device, state, bound, info);
}

}  // namespace

VkResult convertCooperativeVectorMatrix(VkDevice device,
                                        const VkConvertCooperativeVectorMatrixInfoNV* info) {
    DeviceContext* const context = &deviceOf(device);
    if (!context->emulates(rewrite::Extension::kNvCooperativeVector)) {
        const auto next = context->next.ConvertCooperativeVectorMatrixNV;
        return next != nullptr ? next(device, info) : VK_ERROR_UNKNOWN;
    }
    MatrixConversion conversion;
    if (const std::string wrong = planOnHost(*context, *info, conversion); !wrong.empty()) {
        context->log().error("vkConvertCooperativeVectorMatrixNV: " + wrong);
        return VK_ERROR_UNKNOWN;
    }
    const auto* source = static_cast<const std::byte*>(info->srcData.hostAddress);
    auto* target = static_cast<std::byte*>(info->dstData.hostAddress);
    const auto size = static_cast<size_t>(conversion.target.wholeSize());
    if (target == nullptr) {
        *info->pDstSize = size;
        return VK_SUCCESS;
    }
    if (!checkTargetSize(*info, conversion).empty()) {
        *info->pDstSize = 0;
        return VK_INCOMPLETE;
    }
    convertOnHost(conversion, source, target);
    if (context->statistics != nullptr) {
        context->statistics->ranCommand(rewrite::Extension::kNvCooperativeVector);
    }
    *info->pDstSize = std::min(*info->pDstSize, size);
    return VK_SUCCESS;
}

void cmdConvertCooperativeVectorMatrix(VkCommandBuffer commands, uint32_t count,
                                       const VkConvertCooperativeVectorMatrixInfoNV* infos) {
    DeviceContext& device = deviceOf(commands);
    if (CommandState* state = device.states.find(commands)) {
        return recordAll(device, *state, commands, std::span(infos, count));
    }
    const auto next = device.next.CmdConvertCooperativeVectorMatrixNV;
    if (next != nullptr) next(commands, count, infos);
}

}  // namespace coopvk::layer

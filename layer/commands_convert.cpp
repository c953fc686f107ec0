// SPDX-License-Identifier: Apache-2.0
//
// Matrix conversions of VK_NV_cooperative_vector, on the host and in command buffers.
#include <utility>

#include "command_state.hpp"
#include "commands.hpp"
#include "guard.hpp"
#include "registry.hpp"
#include "restore_state.hpp"

namespace coopvk::layer {
namespace {

// Empty, or what is wrong with a request that has a plan.
std::string checkSizes(const VkConvertCooperativeVectorMatrixInfoNV& info,
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

// Records one element of vkCmdConvertCooperativeVectorMatrixNV. Empty, or why it was not recorded.
std::string recordOne(DeviceContext& device, VkCommandBuffer commands, PushMode mode,
                      const VkConvertCooperativeVectorMatrixInfoNV& info) {
    MatrixConversion conversion;
    std::string wrong = planConversion(info, device.facts().traits.blockedWeights, conversion);
    if (wrong.empty()) wrong = checkStrides(conversion);
    if (wrong.empty()) wrong = checkSizes(info, conversion);
    if (wrong.empty()) wrong = checkTargetSize(info, conversion);
    if (!wrong.empty()) return wrong;
    if (device.statistics != nullptr) {
        device.statistics->ranCommand(rewrite::Extension::kNvCooperativeVector);
    }
    return device.conversions.dispatch(device, commands, mode, conversion,
                                       info.srcData.deviceAddress, info.dstData.deviceAddress);
}

PushMode pushModeOf(const CommandState& state) {
    return state.usesHeaps ? PushMode::kData : PushMode::kConstants;
}

void recordAll(CommandState& state, VkCommandBuffer commands,
               std::span<const VkConvertCooperativeVectorMatrixInfoNV> infos) {
    DeviceContext& device = *state.device;
    const PushMode mode = pushModeOf(state);
    if (VkResult result = device.conversions.prepare(device, mode); result != VK_SUCCESS) {
        state.failure = result;
        device.log().error("vkCmdConvertCooperativeVectorMatrixNV: cannot make its pipeline");
        return;
    }
    state.converts = true;
    suspendCondition(state, commands);
    const OnExit resume([&] { restoreState(state, commands); });
    device.conversions.bind(device, commands, mode);
    for (const auto& info : infos) {
        const std::string wrong = recordOne(device, commands, mode, info);
        if (wrong.empty()) continue;
        device.log().error("vkCmdConvertCooperativeVectorMatrixNV: " + wrong);
        state.failure = VK_ERROR_UNKNOWN;
    }
}

}  // namespace

VkResult convertCooperativeVectorMatrix(VkDevice device,
                                        const VkConvertCooperativeVectorMatrixInfoNV* info) {
    const auto context = devices().find(device);
    if (!context->emulates(rewrite::Extension::kNvCooperativeVector)) {
        const auto next = context->next.ConvertCooperativeVectorMatrixNV;
        return next != nullptr ? next(device, info) : VK_ERROR_UNKNOWN;
    }
    MatrixConversion conversion;
    const auto* source = static_cast<const std::byte*>(info->srcData.hostAddress);
    auto* target = static_cast<std::byte*>(info->dstData.hostAddress);
    std::string wrong = planConversion(*info, context->facts().traits.blockedWeights, conversion);
    if (wrong.empty() && target != nullptr) wrong = checkStrides(conversion);
    if (wrong.empty() && target != nullptr) wrong = checkSizes(*info, conversion);
    if (wrong.empty() && target != nullptr && source == nullptr) wrong = "source: no address";
    if (wrong.empty() && info->pDstSize == nullptr) wrong = "destination: no size";
    const uint64_t bytes = conversion.target.wholeSize();
    if (wrong.empty() && !std::in_range<size_t>(bytes)) wrong = "the matrix is too large";
    if (!wrong.empty()) {
        context->log().error("vkConvertCooperativeVectorMatrixNV: " + wrong);
        return VK_ERROR_UNKNOWN;
    }
    const auto size = static_cast<size_t>(bytes);
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
    if (const auto state = commandStates().find(commands)) {
        return recordAll(*state, commands, std::span(infos, count));
    }
    const auto next = devices().find(commands)->next.CmdConvertCooperativeVectorMatrixNV;
    if (next != nullptr) next(commands, count, infos);
}

}  // namespace coopvk::layer

// SPDX-License-Identifier: Apache-2.0
//
// Commands of the fake driver that do nothing but count.
#include "fake_commands.hpp"
#include "fake_driver.hpp"

namespace coopvk::test::fake {
namespace {

template <typename Function>
struct Counted;

template <typename R, typename... Args>
struct Counted<R(VKAPI_PTR*)(Args...)> {
    static VKAPI_ATTR R VKAPI_CALL call(Args...) {
        ++current()->recorded;
        return R();
    }
};

#define COOPVK_COUNTED(command) \
    {#command, reinterpret_cast<PFN_vkVoidFunction>(&Counted<PFN_##command>::call)}

const Entry kEntries[] = {
    COOPVK_COUNTED(vkCmdBindShadersEXT),
    COOPVK_COUNTED(vkCmdPushConstants2),
    COOPVK_COUNTED(vkCmdPushConstants2KHR),
    COOPVK_COUNTED(vkCmdExecuteCommands),
    COOPVK_COUNTED(vkCmdBeginConditionalRenderingEXT),
    COOPVK_COUNTED(vkCmdEndConditionalRenderingEXT),
    COOPVK_COUNTED(vkCmdPipelineBarrier),
    COOPVK_COUNTED(vkCmdPipelineBarrier2),
    COOPVK_COUNTED(vkCmdPipelineBarrier2KHR),
    COOPVK_COUNTED(vkCmdSetEvent2),
    COOPVK_COUNTED(vkCmdSetEvent2KHR),
    COOPVK_COUNTED(vkCmdResetEvent2),
    COOPVK_COUNTED(vkCmdResetEvent2KHR),
    COOPVK_COUNTED(vkCmdWaitEvents),
    COOPVK_COUNTED(vkCmdWaitEvents2),
    COOPVK_COUNTED(vkCmdWaitEvents2KHR),
    COOPVK_COUNTED(vkCmdWriteTimestamp2),
    COOPVK_COUNTED(vkCmdWriteTimestamp2KHR),
    COOPVK_COUNTED(vkCmdWriteBufferMarker2AMD),
    COOPVK_COUNTED(vkQueueSubmit2),
    COOPVK_COUNTED(vkQueueSubmit2KHR),
};

}  // namespace

std::span<const Entry> recordingEntries() { return kEntries; }

}  // namespace coopvk::test::fake

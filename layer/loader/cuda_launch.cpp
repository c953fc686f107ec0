// SPDX-License-Identifier: Apache-2.0
//
// The commands of VK_NV_cuda_kernel_launch, which coopvk lists only (the setting `as`): programs
// must not call them, since its feature is false. Those that do get an error and a line in the log.
#include "loader/commands.hpp"
#include "objects/registry.hpp"

#ifdef VK_NV_cuda_kernel_launch

namespace coopvk::layer {
namespace {

constexpr auto kCuda = rewrite::Extension::kNvCudaKernelLaunch;

// The driver's command, if it has one and the device is not taken for another.
template <typename Command>
Command ofDriver(const DeviceContext& device, Command next) {
    return device.emulates(kCuda) ? nullptr : next;
}

VkResult refuse(const DeviceContext& device, std::string_view command) {
    device.log().error(std::string(command) +
                       ": VK_NV_cuda_kernel_launch is listed, but its feature is false");
    return VK_ERROR_INITIALIZATION_FAILED;
}

}  // namespace

VkResult createCudaModule(VkDevice device, const VkCudaModuleCreateInfoNV* info,
                          const VkAllocationCallbacks* allocator, VkCudaModuleNV* module) {
    const DeviceContext& context = deviceOf(device);
    if (const auto next = ofDriver(context, context.next.CreateCudaModuleNV))
        return next(device, info, allocator, module);
    *module = VK_NULL_HANDLE;
    return refuse(context, "vkCreateCudaModuleNV");
}

VkResult getCudaModuleCache(VkDevice device, VkCudaModuleNV module, size_t* size, void* data) {
    const DeviceContext& context = deviceOf(device);
    if (const auto next = ofDriver(context, context.next.GetCudaModuleCacheNV))
        return next(device, module, size, data);
    *size = 0;
    return refuse(context, "vkGetCudaModuleCacheNV");
}

VkResult createCudaFunction(VkDevice device, const VkCudaFunctionCreateInfoNV* info,
                            const VkAllocationCallbacks* allocator, VkCudaFunctionNV* function) {
    const DeviceContext& context = deviceOf(device);
    if (const auto next = ofDriver(context, context.next.CreateCudaFunctionNV))
        return next(device, info, allocator, function);
    *function = VK_NULL_HANDLE;
    return refuse(context, "vkCreateCudaFunctionNV");
}

void destroyCudaModule(VkDevice device, VkCudaModuleNV module,
                       const VkAllocationCallbacks* allocator) {
    const DeviceContext& context = deviceOf(device);
    if (const auto next = ofDriver(context, context.next.DestroyCudaModuleNV))
        next(device, module, allocator);
}

void destroyCudaFunction(VkDevice device, VkCudaFunctionNV function,
                         const VkAllocationCallbacks* allocator) {
    const DeviceContext& context = deviceOf(device);
    if (const auto next = ofDriver(context, context.next.DestroyCudaFunctionNV))
        next(device, function, allocator);
}

void cudaLaunchKernel(VkCommandBuffer commands, const VkCudaLaunchInfoNV* info) {
    const DeviceContext& context = deviceOf(commands);
    if (const auto next = ofDriver(context, context.next.CmdCudaLaunchKernelNV))
        return next(commands, info);
    refuse(context, "vkCmdCudaLaunchKernelNV");
}

}  // namespace coopvk::layer

#endif

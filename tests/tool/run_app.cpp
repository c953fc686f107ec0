// SPDX-License-Identifier: Apache-2.0
// usage: run_app STEP...
//
// A program that uses Vulkan as far as its arguments say:
//
//   instance, physical (asks what there is), device (plain), matrix-device (with
//   VK_KHR_cooperative_matrix), pipeline (that uses it), no-pipeline (with an entry point that the
//   shader does not have)
//   fork (the rest in a child), exit=N, abort, kill (SIGKILL), sleep (until a signal), leave
//   (returns from main, with everything alive)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <volk.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "run_app.spv.h"

namespace {

VkInstance instance;
VkPhysicalDevice physical;
VkDevice device;
VkPipeline pipeline;

void check(bool good, const char* what) {
    if (good) return;
    std::fprintf(stderr, "run_app: %s failed\n", what);
    std::exit(3);
}

void makeInstance() {
    check(volkInitialize() == VK_SUCCESS, "volkInitialize");
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    check(vkCreateInstance(&info, nullptr, &instance) == VK_SUCCESS, "vkCreateInstance");
    volkLoadInstance(instance);
}

void findPhysical() {
    uint32_t count = 1;
    check(vkEnumeratePhysicalDevices(instance, &count, &physical) >= 0 && count == 1, "a device");
    vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
}

void makeDevice(bool matrices) {
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    matrix.cooperativeMatrix = VK_TRUE;
    VkPhysicalDeviceVulkan12Features features = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &matrix};
    features.vulkanMemoryModel = features.shaderFloat16 = VK_TRUE;
    VkPhysicalDeviceVulkan11Features older = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                              &features};
    older.storageBuffer16BitAccess = VK_TRUE;
    const char* name = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    if (matrices) {
        info.pNext = &older;
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &name;
    }
    check(vkCreateDevice(physical, &info, nullptr, &device) == VK_SUCCESS, "vkCreateDevice");
    volkLoadDevice(device);
}

void makePipeline(const char* entryPoint) {
    VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                            VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    VkDescriptorSetLayoutCreateInfo setInfo = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = 1;
    setInfo.pBindings = &binding;
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    check(vkCreateDescriptorSetLayout(device, &setInfo, nullptr, &set) == VK_SUCCESS, "set");
    VkPipelineLayoutCreateInfo layoutInfo = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layoutInfo.setLayoutCount = 1;
    layoutInfo.pSetLayouts = &set;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    check(vkCreatePipelineLayout(device, &layoutInfo, nullptr, &layout) == VK_SUCCESS, "layout");
    VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = sizeof(kMatrixShader);
    code.pCode = kMatrixShader;
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.layout = layout;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = entryPoint;
    check(vkCreateShaderModule(device, &code, nullptr, &info.stage.module) == VK_SUCCESS, "module");
    check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline) ==
              VK_SUCCESS,
          "vkCreateComputePipelines");
    vkDestroyShaderModule(device, info.stage.module, nullptr);
    vkDestroyPipelineLayout(device, layout, nullptr);
    vkDestroyDescriptorSetLayout(device, set, nullptr);
}

void continueInChild() {
    const pid_t child = fork();
    if (child == 0) return;
    int status = 0;
    waitpid(child, &status, 0);
    std::exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
}

void destroyAll() {
    if (pipeline != VK_NULL_HANDLE) vkDestroyPipeline(device, pipeline, nullptr);
    if (device != VK_NULL_HANDLE) vkDestroyDevice(device, nullptr);
    if (instance != VK_NULL_HANDLE) vkDestroyInstance(instance, nullptr);
}

bool runStep(std::string_view step) {
    if (step == "instance") makeInstance();
    if (step == "physical") findPhysical();
    if (step == "device" || step == "matrix-device") makeDevice(step == "matrix-device");
    if (step == "pipeline") makePipeline("main");
    if (step == "no-pipeline") makePipeline("nothing");
    if (step == "fork") continueInChild();
    if (step.starts_with("exit=")) std::exit(std::atoi(step.data() + 5));
    if (step == "abort") std::abort();
    if (step == "kill") raise(SIGKILL);
    if (step == "sleep") {
        std::puts("ready");
        std::fflush(stdout);
        pause();
    }
    return step != "leave";
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        if (!runStep(argv[i])) return 0;
    }
    destroyAll();
}

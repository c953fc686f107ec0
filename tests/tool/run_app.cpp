// SPDX-License-Identifier: Apache-2.0
// usage: run_app STEP...
//
// A program that does with Vulkan what its arguments say:
//
//   instance, physical (asks what there is), list (prints the device's extensions), shapes (prints
//   those of VK_KHR_cooperative_matrix), device (plain), matrix-device (with
//   VK_KHR_cooperative_matrix), pipeline (that uses it), no-pipeline (with an entry point that the
//   shader does not have), shader=FILE (before pipeline: SPIR-V in place of its own)
//   engine=NAME, application=NAME (before instance: what it calls itself)
//   callbacks (before instance: creates VK_EXT_debug_report's callbacks, and prints what they are
//   told), messengers (VK_EXT_debug_utils' too)
//   fork (the rest in a child), exit=N, abort, kill (SIGKILL), sleep (until a signal), leave
//   (returns from main, with everything alive)
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <volk.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "bindings.hpp"
#include "gpu_setup.hpp"
#include "run_app.spv.h"

namespace {

namespace vulkan = coopvk::vulkan;

VkInstance instance;
VkPhysicalDevice physical;
VkDevice device;
VolkDeviceTable vk;
VkPipeline pipeline;
std::vector<uint32_t> shader(std::begin(kMatrixShader), std::end(kMatrixShader));
bool hasMessengers, hasCallbacks;
const char *engineName, *applicationName;
VkDebugUtilsMessengerEXT messenger;
VkDebugReportCallbackEXT callback;

void check(bool good, const char* what) {
    if (good) return;
    std::fprintf(stderr, "run_app: %s failed\n", what);
    std::exit(3);
}

VKAPI_ATTR VkBool32 VKAPI_CALL tellUtils(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                         VkDebugUtilsMessageTypeFlagsEXT,
                                         const VkDebugUtilsMessengerCallbackDataEXT* data,
                                         void* name) {
    const bool isError = severity == VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    std::fprintf(stderr, "messenger: %sutils: %s: %s\n", static_cast<const char*>(name),
                 isError ? "error" : "warning", data->pMessage);
    return VK_FALSE;
}

VKAPI_ATTR VkBool32 VKAPI_CALL tellReport(VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT,
                                          uint64_t, size_t, int32_t, const char*, const char* text,
                                          void* name) {
    const bool isError = flags == VK_DEBUG_REPORT_ERROR_BIT_EXT;
    std::fprintf(stderr, "messenger: %sreport: %s: %s\n", static_cast<const char*>(name),
                 isError ? "error" : "warning", text);
    return VK_FALSE;
}

VkDebugUtilsMessengerCreateInfoEXT utilsInfo(const char* name) {
    VkDebugUtilsMessengerCreateInfoEXT info = {
        VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                           VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
    info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    info.pfnUserCallback = tellUtils;
    info.pUserData = const_cast<char*>(name);
    return info;
}

VkDebugReportCallbackCreateInfoEXT reportInfo(const char* name) {
    VkDebugReportCallbackCreateInfoEXT info = {
        VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT};
    info.flags = VK_DEBUG_REPORT_ERROR_BIT_EXT | VK_DEBUG_REPORT_WARNING_BIT_EXT;
    info.pfnCallback = tellReport;
    info.pUserData = const_cast<char*>(name);
    return info;
}

void makeMessengers() {
    const auto utils = utilsInfo("");
    check(!hasMessengers ||
              vkCreateDebugUtilsMessengerEXT(instance, &utils, nullptr, &messenger) == VK_SUCCESS,
          "vkCreateDebugUtilsMessengerEXT");
    const auto report = reportInfo("");
    check(vkCreateDebugReportCallbackEXT(instance, &report, nullptr, &callback) == VK_SUCCESS,
          "vkCreateDebugReportCallbackEXT");
}

void makeInstance() {
    check(volkInitialize() == VK_SUCCESS, "volkInitialize");
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    application.pEngineName = engineName;
    application.pApplicationName = applicationName;
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    const char* names[] = {VK_EXT_DEBUG_REPORT_EXTENSION_NAME, VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    auto utils = utilsInfo("creator's ");
    auto report = reportInfo("creator's ");
    if (hasCallbacks) {
        info.enabledExtensionCount = hasMessengers ? 2 : 1;
        info.ppEnabledExtensionNames = names;
        utils.pNext = &report;
        info.pNext = hasMessengers ? static_cast<const void*>(&utils) : &report;
    }
    check(vkCreateInstance(&info, nullptr, &instance) == VK_SUCCESS, "vkCreateInstance");
    volkLoadInstance(instance);
    if (hasCallbacks) makeMessengers();
}

void findPhysical() {
    uint32_t count = 1;
    check(vkEnumeratePhysicalDevices(instance, &count, &physical) >= 0 && count == 1, "a device");
    vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
}

void printExtensions() {
    for (const auto& name : vulkan::extensionsOf(physical, vkEnumerateDeviceExtensionProperties))
        std::puts(name.c_str());
}

void printShapes() {
    uint32_t count = 0;
    vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, nullptr);
    VkCooperativeMatrixPropertiesKHR empty = {VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR};
    std::vector<VkCooperativeMatrixPropertiesKHR> list(count, empty);
    vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR(physical, &count, list.data());
    for (const auto& shape : list) {
        std::printf("%ux%ux%u\n", shape.MSize, shape.NSize, shape.KSize);
    }
}

void makeDevice(bool matrices) {
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR};
    matrix.cooperativeMatrix = VK_TRUE;
    VkPhysicalDeviceVulkan12Features features = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &matrix};
    features.vulkanMemoryModel = features.shaderFloat16 = VK_TRUE;
    VkPhysicalDeviceVulkan11Features older = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                              &features};
    older.storageBuffer16BitAccess = VK_TRUE;
    const char* const name = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
    device = vulkan::createDevice(physical, vkCreateDevice, 0, {&name, matrices ? 1u : 0u},
                                  matrices ? &older : nullptr);
    volkLoadDevice(device);
    volkLoadDeviceTable(&vk, device);
}

void readShader(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    check(!bytes.empty(), path);
    shader.assign(bytes.size() / 4, 0);
    std::memcpy(shader.data(), bytes.data(), shader.size() * 4);
}

void makePipeline(const char* entryPoint) {
    const vulkan::Layout layout(device, vk, 1u, 4);
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.layout = layout.pipeline;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = entryPoint;
    info.stage.module = vulkan::createShaderModule(device, vk, shader.data(), shader.size());
    pipeline = vulkan::createComputePipeline(device, vk, info);
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
    if (messenger != VK_NULL_HANDLE) {
        vkDestroyDebugUtilsMessengerEXT(instance, messenger, nullptr);
    }
    if (callback != VK_NULL_HANDLE) vkDestroyDebugReportCallbackEXT(instance, callback, nullptr);
    if (instance != VK_NULL_HANDLE) vkDestroyInstance(instance, nullptr);
}

bool runStep(std::string_view step) {
    if (step == "messengers") hasMessengers = hasCallbacks = true;
    if (step == "callbacks") hasCallbacks = true;
    if (step.starts_with("engine=")) engineName = step.data() + 7;
    if (step.starts_with("application=")) applicationName = step.data() + 12;
    if (step == "instance") makeInstance();
    if (step == "physical") findPhysical();
    if (step == "list") printExtensions();
    if (step == "shapes") printShapes();
    if (step == "device" || step == "matrix-device") makeDevice(step == "matrix-device");
    if (step.starts_with("shader=")) readShader(step.data() + 7);
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
    try {
        for (int i = 1; i < argc; ++i) {
            if (!runStep(argv[i])) return 0;
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "run_app: %s\n", error.what());
        return 3;
    }
    destroyAll();
}

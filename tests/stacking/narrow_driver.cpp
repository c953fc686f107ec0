// SPDX-License-Identifier: Apache-2.0
//
// A second Vulkan driver in the process: another lavapipe, which has 4 lanes whatever the
// environment sets for the first one. Not for several threads.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace {

// A library is loaded only once, so this is one of a copy of its file.
void* openCopy() {
    void* original = dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL);
    link_map* map = nullptr;
    if (original == nullptr || dlinfo(original, RTLD_DI_LINKMAP, &map) != 0) return nullptr;
    const int from = open(map->l_name, O_RDONLY | O_CLOEXEC);
    const int to = memfd_create("lavapipe", MFD_CLOEXEC);
    while (sendfile(to, from, nullptr, size_t{1} << 30) > 0) {
    }
    void* copy = dlopen(("/proc/self/fd/" + std::to_string(to)).c_str(), RTLD_NOW | RTLD_LOCAL);
    close(from);
    close(to);
    dlclose(original);
    return copy;
}

template <typename Function>
Function find(const char* name) {
    static void* const library = openCopy();
    return library == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library, name));
}

class Narrow {
 public:
    Narrow() {
        const char* value = std::getenv(kWidth);
        hadOne_ = value != nullptr;
        if (hadOne_) before_ = value;
        setenv(kWidth, "128", 1);
    }
    ~Narrow() {
        if (hadOne_) {
            setenv(kWidth, before_.c_str(), 1);
        } else {
            unsetenv(kWidth);
        }
    }
    Narrow(const Narrow&) = delete;
    Narrow& operator=(const Narrow&) = delete;

 private:
    static constexpr const char* kWidth = "LP_NATIVE_VECTOR_WIDTH";
    bool hadOne_ = false;
    std::string before_;
};

PFN_vkEnumeratePhysicalDevices nextEnumerate = nullptr;

// lavapipe reads the width as it makes its devices.
VKAPI_ATTR VkResult VKAPI_CALL enumerate(VkInstance instance, uint32_t* count,
                                         VkPhysicalDevice* devices) {
    const Narrow narrow;
    return nextEnumerate(instance, count, devices);
}

}  // namespace

#define COOPVK_EXPORT extern "C" __attribute__((visibility("default"))) VKAPI_ATTR

COOPVK_EXPORT VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version);
COOPVK_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance,
                                                                      const char* name);
COOPVK_EXPORT PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance,
                                                                            const char* name);

VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
    const auto next = find<decltype(&vk_icdNegotiateLoaderICDInterfaceVersion)>(__func__);
    return next == nullptr ? VK_ERROR_INCOMPATIBLE_DRIVER : next(version);
}

PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
    const auto next = find<decltype(&vk_icdGetInstanceProcAddr)>(__func__);
    const PFN_vkVoidFunction function = next == nullptr ? nullptr : next(instance, name);
    if (function == nullptr || std::strcmp(name, "vkEnumeratePhysicalDevices") != 0) {
        return function;
    }
    nextEnumerate = reinterpret_cast<PFN_vkEnumeratePhysicalDevices>(function);
    return reinterpret_cast<PFN_vkVoidFunction>(enumerate);
}

PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance instance,
                                                              const char* name) {
    const auto next = find<decltype(&vk_icdGetPhysicalDeviceProcAddr)>(__func__);
    return next == nullptr ? nullptr : next(instance, name);
}

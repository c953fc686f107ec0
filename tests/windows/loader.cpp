// SPDX-License-Identifier: Apache-2.0
#include "loader.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace coopvk::test {

namespace fs = std::filesystem;

Loader::Loader(const fs::path& manifest, const char* function) {
    std::ifstream file(manifest);
    const auto layer = nlohmann::json::parse(file).at("layer");
    library_ = manifest.parent_path() / fs::path(layer.at("library_path").get<std::string>());
    module_ = LoadLibraryW(library_.c_str());
    if (module_ == nullptr) throw std::runtime_error("cannot load " + library_.string());
    const auto negotiate = reinterpret_cast<PFN_vkNegotiateLoaderLayerInterfaceVersion>(
        reinterpret_cast<void*>(GetProcAddress(module_, function)));
    if (negotiate == nullptr) throw std::runtime_error(std::string("no function ") + function);
    functions_.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT;
    functions_.loaderLayerInterfaceVersion = 2;
    if (negotiate(&functions_) != VK_SUCCESS) throw std::runtime_error("negotiation failed");
}

Loader::~Loader() {
    if (module_ != nullptr) FreeLibrary(module_);
}

VkResult Loader::createInstance(const VkInstanceCreateInfo& info, PFN_vkGetInstanceProcAddr driver,
                                VkInstance* instance) const {
    VkLayerInstanceLink link = {nullptr, driver, nullptr};
    VkLayerInstanceCreateInfo linked = {VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, info.pNext};
    linked.function = VK_LAYER_LINK_INFO;
    linked.u.pLayerInfo = &link;
    VkInstanceCreateInfo whole = info;
    whole.pNext = &linked;
    return instanceCommand<PFN_vkCreateInstance>(VK_NULL_HANDLE, "vkCreateInstance")(
        &whole, nullptr, instance);
}

VkResult Loader::createDevice(VkInstance instance, VkPhysicalDevice physical,
                              const VkDeviceCreateInfo& info, PFN_vkGetInstanceProcAddr driver,
                              VkDevice* device) const {
    const auto devices =
        reinterpret_cast<PFN_vkGetDeviceProcAddr>(driver(instance, "vkGetDeviceProcAddr"));
    VkLayerDeviceLink link = {nullptr, driver, devices};
    VkLayerDeviceCreateInfo linked = {VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, info.pNext};
    linked.function = VK_LAYER_LINK_INFO;
    linked.u.pLayerInfo = &link;
    VkDeviceCreateInfo whole = info;
    whole.pNext = &linked;
    return instanceCommand<PFN_vkCreateDevice>(instance, "vkCreateDevice")(physical, &whole,
                                                                           nullptr, device);
}

}  // namespace coopvk::test

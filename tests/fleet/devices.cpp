// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

#include <algorithm>
#include <filesystem>

namespace coopvk::fleet {
namespace {

constexpr const char* kAmd = "libamdgpu_noop_drm_shim.so";
constexpr const char* kAdreno = "libfreedreno_noop_drm_shim.so";
constexpr const char* kNvidia = "libnouveau_noop_drm_shim.so";
constexpr const char* kApple = "libasahi_noop_drm_shim.so";
constexpr Variable kNvkToo = {"NVK_I_WANT_A_BROKEN_VULKAN_DRIVER", "1"};

// Chips of nouveau by the numbers of envytools' "chipset" list, AMD's and Qualcomm's by the names
// that their preload libraries know.
constexpr Device kDevices[] = {
    {"polaris10", "AMD GCN 4", kAmd, "radeon_icd", {{{"AMDGPU_GPU_ID", "polaris10"}}}, true},
    {"vega10", "AMD GCN 5", kAmd, "radeon_icd", {{{"AMDGPU_GPU_ID", "vega10"}}}, true},
    {"navi10", "AMD RDNA 1", kAmd, "radeon_icd", {{{"AMDGPU_GPU_ID", "navi10"}}}, true},
    {"navi21", "AMD RDNA 2", kAmd, "radeon_icd", {{{"AMDGPU_GPU_ID", "navi21"}}}, true},
    {"navi31", "AMD RDNA 3", kAmd, "radeon_icd", {{{"AMDGPU_GPU_ID", "navi31"}}}, true},
    {"gfx1201", "AMD RDNA 4", kAmd, "radeon_icd", {{{"AMDGPU_GPU_ID", "gfx1201"}}}, true},
    {"adreno630", "Adreno 630", kAdreno, "freedreno_icd", {{{"FD_GPU_ID", "630"}}}, false},
    {"adreno730", "Adreno 730", kAdreno, "freedreno_icd", {{{"FD_GPU_ID", "730"}}}, true},
    {"adreno830", "Adreno 830", kAdreno, "freedreno_icd", {{{"FD_GPU_ID", "830"}}}, true},
    {"turing",
     "NVIDIA Turing",
     kNvidia,
     "nouveau_icd",
     {{{"NOUVEAU_CHIPSET", "164"}, kNvkToo}},
     true},
    {"ampere",
     "NVIDIA Ampere",
     kNvidia,
     "nouveau_icd",
     {{{"NOUVEAU_CHIPSET", "172"}, kNvkToo}},
     false},
    {"ada", "NVIDIA Ada", kNvidia, "nouveau_icd", {{{"NOUVEAU_CHIPSET", "192"}, kNvkToo}}, false},
    {"m1", "Apple M1", kApple, "asahi_icd", {{{"AGX_MESA_DEBUG", "shaders"}}}, true},
};

constexpr const char* kManifestFolders = "/usr/local/share/vulkan/icd.d:/usr/share/vulkan/icd.d";

// The first file in one of the folders whose name begins with `name` and ends with `ending`.
std::string find(std::string_view name, std::string_view ending, std::string_view folders) {
    while (!folders.empty()) {
        const std::filesystem::path folder = folders.substr(0, folders.find(':'));
        folders.remove_prefix(std::min(folders.size(), folder.native().size() + 1));
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
            const std::string file = entry.path().filename();
            if (file.starts_with(name) && file.ends_with(ending)) return entry.path();
        }
    }
    return {};
}

}  // namespace

std::span<const Device> devices() { return kDevices; }

const Device* findDevice(std::string_view name) {
    const auto* device = std::ranges::find(kDevices, name, &Device::name);
    return device == std::ranges::end(kDevices) ? nullptr : device;
}

std::string findLibrary(std::string_view library, std::string_view folders) {
    return find(library, ".so", folders);
}

std::string findManifest(std::string_view driver) {
    return find(driver, ".json", kManifestFolders);
}

}  // namespace coopvk::fleet

// SPDX-License-Identifier: Apache-2.0
//
// Another layer in the process. For each shader module it appends a line to the file that
// COOPVK_TEST_NEIGHBOUR_LOG names, which says whether the module has cooperative matrices. Above
// coopvk modules have them, below coopvk they do not.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <span>

#include "../module_layer.hpp"

namespace coopvk::test {
namespace {

constexpr uint32_t kCapability = 17, kCooperativeMatrixKHR = 6022;

std::mutex mutex;

void tell(const char* line) {
    const char* path = std::getenv("COOPVK_TEST_NEIGHBOUR_LOG");
    if (path == nullptr) return;
    const std::lock_guard lock(mutex);
    if (std::FILE* file = std::fopen(path, "a")) {
        std::fprintf(file, "%s\n", line);
        std::fclose(file);
    }
}

bool hasMatrices(std::span<const uint32_t> words) {
    for (size_t i = 5; i + 1 < words.size() && (words[i] >> 16) != 0; i += words[i] >> 16) {
        if ((words[i] & 0xffff) == kCapability && words[i + 1] == kCooperativeMatrixKHR) {
            return true;
        }
    }
    return false;
}

}  // namespace

VKAPI_ATTR VkResult VKAPI_CALL createShaderModule(VkDevice device,
                                                  const VkShaderModuleCreateInfo* info,
                                                  const VkAllocationCallbacks* allocator,
                                                  VkShaderModule* module) {
    tell(hasMatrices({info->pCode, info->codeSize / 4}) ? "with matrices" : "without matrices");
    return createShaderModuleBelow(device, info, allocator, module);
}

std::span<const Command> furtherCommands() { return {}; }

}  // namespace coopvk::test

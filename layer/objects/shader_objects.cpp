// SPDX-License-Identifier: Apache-2.0
#include "objects/shader_objects.hpp"

namespace coopvk::layer {

void ShaderObjects::add(VkShaderEXT shader, const std::optional<SubgroupNeeds>& needs) noexcept {
    try {
        const std::scoped_lock lock(mutex_);
        Entry& entry = shaders_[shader];
        ++entry.count;
        if (needs) entry.needs = needs;
    } catch (...) {
    }
}

void ShaderObjects::remove(VkShaderEXT shader) {
    const std::scoped_lock lock(mutex_);
    const auto found = shaders_.find(shader);
    if (found != shaders_.end() && --found->second.count == 0) shaders_.erase(found);
}

std::optional<SubgroupNeeds> ShaderObjects::find(VkShaderEXT shader) {
    const std::scoped_lock lock(mutex_);
    const auto found = shaders_.find(shader);
    return found == shaders_.end() ? std::nullopt : found->second.needs;
}

}  // namespace coopvk::layer

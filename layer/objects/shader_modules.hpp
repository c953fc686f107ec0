// SPDX-License-Identifier: Apache-2.0
//
// Shader modules that use emulated capabilities. The driver gets a stub in their place. So every
// command that takes a VkShaderModule works on it (names, private data, destruction), and the
// driver never sees the original words.
#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>
#include <vulkan/utility/vk_concurrent_unordered_map.hpp>

#include "report/shader_words.hpp"
#include "system/sha256.hpp"

namespace coopvk::layer {

// The words of the smallest possible compute shader. No two are equal: a driver that gives equal
// modules the same handle would merge two stubs.
using StubWords = std::array<uint32_t, 40>;
StubWords makeStub();

class ShaderModules {
 public:
    void add(VkShaderModule handle, ShaderWordsRef words) {
        modules_.insert_or_assign(reinterpret_cast<uint64_t>(handle), std::move(words));
    }
    void remove(VkShaderModule handle) { modules_.erase(reinterpret_cast<uint64_t>(handle)); }
    // Null for modules that the driver got unchanged.
    ShaderWordsRef find(VkShaderModule handle) const {
        const auto found = modules_.find(reinterpret_cast<uint64_t>(handle));
        return found != modules_.end() ? found->second : nullptr;
    }

    // Identifiers that the application got, so that a pipeline can be created from one alone. If
    // there are many, the oldest are dropped; such a pipeline must then be compiled again.
    void remember(const Digest& identifier, ShaderWordsRef words);
    ShaderWordsRef findIdentifier(const uint8_t* identifier, uint32_t size) const;

 private:
    vku::concurrent::unordered_map<uint64_t, ShaderWordsRef> modules_;
    mutable std::mutex mutex_;
    std::map<Digest, ShaderWordsRef> identified_;
    std::deque<Digest> order_;
};

}  // namespace coopvk::layer

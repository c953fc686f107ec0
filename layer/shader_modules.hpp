// SPDX-License-Identifier: Apache-2.0
//
// Shader modules that use emulated capabilities. The driver gets a stub in their place, so that
// every command that takes a VkShaderModule works on it (names, private data, destruction) while
// no driver ever sees the original words.
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

#include "sha256.hpp"

namespace coopvk::layer {

// The application's original words and their name in logs.
struct ShaderWords {
    explicit ShaderWords(std::span<const uint32_t> source);
    std::vector<uint32_t> words;
    uint64_t hash;
};
using ShaderWordsRef = std::shared_ptr<const ShaderWords>;

// Words of the smallest compute shader there is. No two are equal, so that a driver which gives
// equal modules one handle cannot merge two of ours.
using StubWords = std::array<uint32_t, 40>;
StubWords makeStub();

class ShaderModules {
 public:
    void add(VkShaderModule handle, ShaderWordsRef words) {
        modules_.insert_or_assign(reinterpret_cast<uint64_t>(handle), std::move(words));
    }
    void remove(VkShaderModule handle) { modules_.erase(reinterpret_cast<uint64_t>(handle)); }
    // Null for modules that went to the driver as they were.
    ShaderWordsRef find(VkShaderModule handle) const {
        const auto found = modules_.find(reinterpret_cast<uint64_t>(handle));
        return found != modules_.end() ? found->second : nullptr;
    }

    // Identifiers that were given out, so that a pipeline can be created from one alone. The
    // oldest are forgotten when there are many; such a pipeline must then be compiled anew.
    void remember(const Digest& identifier, ShaderWordsRef words);
    ShaderWordsRef findIdentifier(const uint8_t* identifier, uint32_t size) const;

 private:
    vku::concurrent::unordered_map<uint64_t, ShaderWordsRef> modules_;
    mutable std::mutex mutex_;
    std::map<Digest, ShaderWordsRef> identified_;
    std::deque<Digest> order_;
};

}  // namespace coopvk::layer

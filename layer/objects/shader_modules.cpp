// SPDX-License-Identifier: Apache-2.0
#include "objects/shader_modules.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "system/hash.hpp"

namespace coopvk::layer {
namespace {

constexpr size_t kMaxIdentified = 4096;

// void main() {} for compute, and OpString "00000000", whose text becomes unique.
constexpr StubWords kStub = {
    0x07230203, 0x00010000, 0x00000000, 0x00000006, 0x00000000, 0x00020011, 0x00000001, 0x0003000e,
    0x00000000, 0x00000001, 0x0005000f, 0x00000005, 0x00000001, 0x6e69616d, 0x00000000, 0x00060010,
    0x00000001, 0x00000011, 0x00000001, 0x00000001, 0x00000001, 0x00050007, 0x00000002, 0x30303030,
    0x30303030, 0x00000000, 0x00020013, 0x00000003, 0x00030021, 0x00000004, 0x00000003, 0x00050036,
    0x00000003, 0x00000001, 0x00000000, 0x00000004, 0x000200f8, 0x00000005, 0x000100fd, 0x00010038};
constexpr size_t kStubText = 23;

}  // namespace

StubWords makeStub() {
    static std::atomic<uint32_t> counter = 0;
    const std::string text = hexName(counter.fetch_add(1, std::memory_order_relaxed));
    StubWords words = kStub;
    std::memcpy(&words[kStubText], text.data() + 8, 8);
    return words;
}

void ShaderModules::remember(const Digest& identifier, ShaderWordsRef words) {
    const std::scoped_lock lock(mutex_);
    if (identified_.contains(identifier)) return;
    if (order_.size() >= kMaxIdentified) {
        identified_.erase(order_.front());
        order_.pop_front();
    }
    order_.push_back(identifier);
    identified_.emplace(identifier, std::move(words));
}

ShaderWordsRef ShaderModules::findIdentifier(const uint8_t* identifier, uint32_t size) const {
    Digest digest;
    if (size != digest.size() || identifier == nullptr) return nullptr;
    std::copy_n(identifier, size, digest.begin());
    const std::scoped_lock lock(mutex_);
    const auto found = identified_.find(digest);
    return found != identified_.end() ? found->second : nullptr;
}

}  // namespace coopvk::layer

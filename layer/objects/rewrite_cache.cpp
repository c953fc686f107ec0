// SPDX-License-Identifier: Apache-2.0
#include "objects/rewrite_cache.hpp"

#include "system/hash.hpp"

namespace coopvk::layer {

uint64_t RewriteKey::hash() const {
    uint64_t value = words->hash;
    const uint32_t numbers[] = {static_cast<uint32_t>(stage), subgroupSize, indexes64Bits ? 1u : 0u,
                                needsFullSubgroups ? 1u : 0u};
    value = fnv1a(std::span<const uint32_t>(numbers), value);
    value = fnv1a(std::as_bytes(std::span(entryPoint.data(), entryPoint.size())), value);
    return fnv1a(specialization, value);
}

bool RewriteKey::operator==(const RewriteKey& other) const {
    return stage == other.stage && subgroupSize == other.subgroupSize &&
           indexes64Bits == other.indexes64Bits && needsFullSubgroups == other.needsFullSubgroups &&
           entryPoint == other.entryPoint && specialization == other.specialization &&
           (words == other.words || words->words == other.words->words);
}

size_t RewriteKey::bytes() const {
    return words->words.size() * sizeof(uint32_t) + entryPoint.size() + specialization.size();
}

RewriteCache::Place RewriteCache::findLocked(const RewriteKey& key, uint64_t hash) {
    const auto [first, last] = byHash_.equal_range(hash);
    for (auto candidate = first; candidate != last; ++candidate) {
        if (candidate->second->key == key) return candidate->second;
    }
    return entries_.end();
}

RewrittenRef RewriteCache::find(const RewriteKey& key) {
    const uint64_t hash = key.hash();
    const std::scoped_lock lock(mutex_);
    const Place found = findLocked(key, hash);
    if (found == entries_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found);
    return found->value;
}

void RewriteCache::add(RewriteKey key, RewrittenRef value) {
    const uint64_t hash = key.hash();
    const size_t bytes = key.bytes() + value->words.size() * sizeof(uint32_t) + sizeof(Entry);
    if (bytes > maxBytes_) return;
    const std::scoped_lock lock(mutex_);
    if (findLocked(key, hash) != entries_.end()) return;  // another thread was first
    while (bytes_ + bytes > maxBytes_) dropOldest();
    entries_.push_front({std::move(key), std::move(value), bytes});
    try {
        byHash_.emplace(hash, entries_.begin());
    } catch (...) {
        entries_.pop_front();
        throw;
    }
    bytes_ += bytes;
}

void RewriteCache::dropOldest() {
    const Place oldest = std::prev(entries_.end());
    std::erase_if(byHash_, [&](const auto& entry) { return entry.second == oldest; });
    bytes_ -= oldest->bytes;
    entries_.erase(oldest);
}

}  // namespace coopvk::layer

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "objects/shader_modules.hpp"

namespace coopvk::layer {

// Everything on which the result of a rewrite depends on one device. (The device's traits and the
// emulated set are the same for all entries of a cache.)
struct RewriteKey {
    ShaderWordsRef words;
    rewrite::Stage stage = rewrite::Stage::kCompute;
    uint32_t subgroupSize = 0;
    bool indexes64Bits = false;
    bool needsFullSubgroups = false;
    std::string entryPoint;
    // Constant id, size and bytes of each entry, one after the other.
    std::vector<std::byte> specialization;

    uint64_t hash() const;
    bool operator==(const RewriteKey& other) const;  // compares contents, not addresses
    size_t bytes() const;
};

using RewrittenRef = std::shared_ptr<const rewrite::Rewritten>;

// The results of a device's rewrites. Drops the least recently used first. Thread-safe.
class RewriteCache {
 public:
    explicit RewriteCache(size_t maxBytes = size_t{64} << 20) : maxBytes_(maxBytes) {}

    RewrittenRef find(const RewriteKey& key);
    void add(RewriteKey key, RewrittenRef value);

 private:
    struct Entry {
        RewriteKey key;
        RewrittenRef value;
        size_t bytes;
    };
    using Place = std::list<Entry>::iterator;

    Place findLocked(const RewriteKey& key, uint64_t hash);
    void dropOldest();

    const size_t maxBytes_;
    std::mutex mutex_;
    std::list<Entry> entries_;  // most recently used first
    std::unordered_multimap<uint64_t, Place> byHash_;
    size_t bytes_ = 0;
};

}  // namespace coopvk::layer

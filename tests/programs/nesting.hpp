// SPDX-License-Identifier: Apache-2.0
//
// How deep statements of random programs are nested.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace coopvk::programs {

inline constexpr uint32_t kMostDepth = 2;

// A block of statements: values that it made are not known behind it.
template <typename Writer>
class Scope {
 public:
    explicit Scope(Writer& w) : w_(w), count_(w.live.size()) { ++w.depth; }
    ~Scope() {
        w_.live.resize(std::min(count_, w_.live.size()));
        --w_.depth;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

 private:
    Writer& w_;
    size_t count_;
};

}  // namespace coopvk::programs

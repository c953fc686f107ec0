// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <unordered_map>

#include "program/types.hpp"

namespace coopvk::reference {

// Components that are defined in part, as bit casts make them of others that are not: of each byte,
// the lanes that lack it. Most programs have none. A component is named by where its lanes are.
class Holes {
 public:
    using Bytes = std::array<LaneMask, 8>;

    bool empty() const { return components_.empty(); }
    Bytes of(const LaneMask* component) const {
        const auto found = components_.find(component);
        return found != components_.end() ? found->second : Bytes{};
    }
    // In these lanes.
    void set(const LaneMask* component, const Bytes& bytes, LaneMask lanes) {
        Bytes all = of(component);
        for (size_t b = 0; b < all.size(); ++b) all[b] = (all[b] & ~lanes) | (bytes[b] & lanes);
        if (std::ranges::any_of(all, &LaneMask::any))
            components_[component] = all;
        else
            components_.erase(component);
    }

 private:
    std::unordered_map<const LaneMask*, Bytes> components_;
};

}  // namespace coopvk::reference

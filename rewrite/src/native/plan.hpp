// SPDX-License-Identifier: Apache-2.0
//
// How the matrices of a module are made of matrices that the driver has itself.
#pragma once

#include <algorithm>

#include "lowering/packed.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

// A matrix type as a grid of the driver's own matrices, row by row: these are its packs. A grid of
// one is the type itself.
struct TiledType : PackedType {
    Use use = Use::kAccumulator;
    uint32_t rows = 0, columns = 0;
    uint32_t tileRows = 0, tileColumns = 0;

    uint32_t down() const { return rows / tileRows; }
    uint32_t across() const { return columns / tileColumns; }
    bool isTiled() const { return down() * across() > 1; }
};

struct NativePlan {
    std::map<Id, TiledType> types;
    std::string note;  // what was chosen

    bool isTiled() const {
        return std::ranges::any_of(types, [](const auto& type) { return type.second.isTiled(); });
    }
    const TiledType* type(Id id) const {
        const auto found = types.find(id);
        return found == types.end() ? nullptr : &found->second;
    }
};

// kUnsupported, with the reason, where the driver's matrices do not do.
Result<NativePlan> planNative(const Module& module, const TypeTable& types, const Target& target);

}  // namespace coopvk::rewrite

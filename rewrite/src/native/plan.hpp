// SPDX-License-Identifier: Apache-2.0
//
// How the matrices of a module are made of matrices that the driver has itself.
#pragma once

#include <algorithm>

#include "lowering/context.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

// A matrix type as a grid of native matrices, row by row. A grid of one is the type itself.
struct TiledType {
    Id id = 0;  // of the type; redefined as an array of tiles where there are several
    Id component = 0;
    Use use = Use::kAccumulator;
    uint32_t rows = 0, columns = 0;
    uint32_t tileRows = 0, tileColumns = 0;
    Id tile = 0;  // type of one tile

    uint32_t down() const { return rows / tileRows; }
    uint32_t across() const { return columns / tileColumns; }
    uint32_t tiles() const { return down() * across(); }
    bool isTiled() const { return tiles() > 1; }
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

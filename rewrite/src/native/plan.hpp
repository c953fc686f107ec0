// SPDX-License-Identifier: Apache-2.0
//
// Chooses the driver's matrices of which the matrices of a module consist.
#pragma once

#include <algorithm>

#include "lowering/packed.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

// A matrix type as a grid of tiles in row-major order: matrices of the driver, which are its packs.
// If there is only one, it is the type itself.
struct TiledType : PackedType {
    Use use = Use::kAccumulator;
    uint32_t rows = 0, columns = 0;
    uint32_t tileRows = 0, tileColumns = 0;

    uint32_t gridRows() const { return rows / tileRows; }
    uint32_t gridColumns() const { return columns / tileColumns; }
    bool isTiled() const { return gridRows() * gridColumns() > 1; }
};

struct NativePlan {
    std::map<Id, TiledType> types;
    std::string note;  // names the choice

    bool isTiled() const {
        return std::ranges::any_of(types, [](const auto& type) { return type.second.isTiled(); });
    }
    const TiledType* type(Id id) const {
        const auto found = types.find(id);
        return found == types.end() ? nullptr : &found->second;
    }
};

// kUnsupported, with the reason, if the driver's matrices do not suffice.
Result<NativePlan> planNative(const Module& module, const TypeTable& types, const Target& target);

}  // namespace coopvk::rewrite

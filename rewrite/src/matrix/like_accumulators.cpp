// SPDX-License-Identifier: Apache-2.0
#include "matrix/like_accumulators.hpp"

#include <map>
#include <tuple>

namespace coopvk::rewrite {

std::set<Id> typesLikeAccumulators(const MatrixUses& uses) {
    std::set<Id> found;
    const std::map<Id, MatrixDimensions> types(uses.types().begin(), uses.types().end());
    for (const auto& [to, from] : uses.elementCopies()) {
        const auto a = types.find(to), b = types.find(from);
        if (a == types.end() || b == types.end()) continue;
        const MatrixDimensions &target = a->second, &source = b->second;
        const bool areAlike = target.isOfSubgroup() && source.isOfSubgroup() &&
                              target.rows == source.rows && target.columns == source.columns;
        if (areAlike && target.use != Use::kAccumulator && source.use == Use::kAccumulator) {
            found.insert(to);
        }
    }
    return found;
}

namespace {

// Components in a lane. Of a 32x32 matrix, a lane of a GPU has 256. NVIDIA's driver takes minutes
// for code that moves a few such matrices through the branches of a loop, and fails at 4,096
// components.
constexpr uint32_t kMany = 64;

// Two buffers that take turns, and a load ahead of a loop, are fewer moves. These stay as products
// want them, without a conversion in each iteration.
constexpr uint32_t kManyMoves = 4;

}  // namespace

std::set<Id> largeTypes(const MatrixUses& uses, const TypeTable& types,
                        const LayoutPolicy& policy) {
    const Module& module = types.module();
    using SizeAndUse = std::tuple<uint32_t, uint32_t, Use>;
    std::set<SizeAndUse> factors;  // that products read
    for (const MatrixProduct& product : uses.products()) {
        for (const Id factor : {product.a, product.b}) {
            const auto d = matrixDimensions(module, module.def(factor));
            if (d && d->isOfSubgroup()) factors.emplace(d->rows, d->columns, d->use);
        }
    }
    std::set<Id> large;
    for (const auto& [type, d] : uses.types()) {
        if (!d.isOfSubgroup() || d.use == Use::kAccumulator) continue;
        if (factors.contains({d.rows, d.columns, d.use}) && uses.moves(type) <= kManyMoves)
            continue;
        const std::optional<uint32_t> length = matrixLength(types, policy, type);
        if (length && *length > kMany) large.insert(type);
    }
    return large;
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "matrix/large_matrices.hpp"

#include <tuple>

#include "matrix/matrix_types.hpp"

namespace coopvk::rewrite {

namespace {

// Components in a lane. Of a 32x32 matrix, a lane of a GPU has 256. NVIDIA's driver takes minutes
// for code that moves a few such matrices through the branches of a loop, and fails at 4,096
// components.
constexpr uint32_t kMany = 64;

using SizeAndUse = std::tuple<uint32_t, uint32_t, Use>;

// Of matrices of scope Subgroup that products read.
std::set<SizeAndUse> multiplied(const Module& module) {
    std::set<SizeAndUse> found;
    module.visitBlocks([&](const Instruction& i) {
        if (i.opcode != spv::Op::OpCooperativeMatrixMulAddKHR) return;
        for (const uint32_t factor : {0, 1}) {
            const auto d = matrixDimensions(module, module.def(module.def(i.word(factor)).type));
            if (d && d->isOfSubgroup()) found.emplace(d->rows, d->columns, d->use);
        }
    });
    return found;
}

}  // namespace

std::set<Id> largeTypesWithoutProducts(const TypeTable& types, const LayoutPolicy& policy) {
    const Module& module = types.module();
    std::set<Id> large;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        const auto d = matrixDimensions(module, *i);
        if (!d || !d->isOfSubgroup() || d->use == Use::kAccumulator) continue;
        const std::optional<uint32_t> length = matrixLength(types, policy, i->result);
        if (length && *length > kMany) large.insert(i->result);
    }
    if (large.empty()) return large;
    const std::set<SizeAndUse> factors = multiplied(module);
    std::erase_if(large, [&](Id type) {
        const auto d = matrixDimensions(module, module.def(type));
        return factors.contains({d->rows, d->columns, d->use});
    });
    return large;
}

}  // namespace coopvk::rewrite

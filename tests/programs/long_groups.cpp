// SPDX-License-Identifier: Apache-2.0
//
// Long vectors in instructions of subgroups, and beside cooperative vectors.
#include "long_vectors.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

bool subgroup(LongWriter& w) {
    if (w.depth != 0 || w.isInFunction) return false;
    const LongType of = w.anyType();
    const ComponentInfo& component = info(of.component);
    const LongValue x = w.take(of);
    if (of.count > 64) return false;
    const std::string type = w.type(of), scope = w.text.u32(3);
    switch (w.pick(4)) {
        case 0:
            w.text.need("GroupNonUniformBallot");
            return w.add(w.op("OpGroupNonUniformBroadcastFirst", type, {scope, x.id}), x);
        case 1:
            w.text.need("GroupNonUniformShuffle");
            return w.add(
                w.op("OpGroupNonUniformShuffleXor", type, {scope, x.id, w.text.u32(1 + w.pick(3))}),
                x);
        case 2: {
            w.text.need("GroupNonUniformVote");
            const std::string equal = w.op("OpGroupNonUniformAllEqual", w.boolean(), {scope, x.id});
            return LongWriter::isExact(x) && w.add(equal, {kBool, 0}, 1);
        }
        default: {
            const double bound = component.isFloat ? x.bound * w.lanes : HUGE_VAL;
            if (component.isFloat && bound > component.limit) return false;
            w.text.need("GroupNonUniformArithmetic");
            return w.add(w.op(component.isFloat ? "OpGroupNonUniformFAdd" : "OpGroupNonUniformIAdd",
                              type, {scope, "Reduce", x.id}),
                         of, bound);
        }
    }
}

// A product with a matrix, of a vector that other instructions take as a long vector.
bool product(LongWriter& w) {
    const LongType of{w.components[0], w.counts[0]};
    if (!w.isCooperative(of) || info(of.component).bytes == 1) return false;
    const LongValue x = w.take(of);
    const ComponentInfo& component = info(of.component);
    const Component matrix = component.isFloat ? of.component : component.isSigned ? kS8 : kU8;
    const bool isInteger = !component.isFloat;
    const double bound = isInteger ? HUGE_VAL : of.count * 4 * x.bound;
    if (x.bound > 7 || (!isInteger && bound > component.limit)) return false;
    const uint32_t stride = (of.count * info(matrix).bytes + 15) / 16 * 16;
    const std::string size = w.text.size(of.count), zero = w.text.u32(0);
    const std::string kind = w.text.u32(info(matrix).vulkan);
    std::string mask;
    if (isInteger && component.isSigned)
        mask = "MatrixBSignedComponentsKHR|MatrixResultSignedComponentsKHR";
    return w.add(w.op("OpCooperativeVectorMatrixMulNV", w.type(of),
                      {x.id, kind, w.inputArray(matrix), w.number(64 * w.pick(8)), kind, size, size,
                       zero, w.boolean(false), w.text.size(stride), mask}),
                 of, bound);
}

constexpr LongStatement kGroups[] = {subgroup, product};

}  // namespace

std::span<const LongStatement> longGroups() { return kGroups; }

}  // namespace coopvk::programs

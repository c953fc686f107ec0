// SPDX-License-Identifier: Apache-2.0
#include "ir/index_parts.hpp"

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kMaxDepth = 4;  // of nested additions and multiplications

IndexParts separate(Emitter& emit, Id value, uint32_t depth) {
    const Module& module = emit.types().module();
    const auto constantOf = [&](Id id) -> std::optional<uint32_t> {
        const std::optional<uint64_t> found = module.constantValue(id);
        if (!found) return std::nullopt;
        return static_cast<uint32_t>(*found);
    };
    if (const std::optional<uint32_t> whole = constantOf(value)) return {emit.constant(0), *whole};
    const Instruction& i = module.def(value);
    if (depth == 0 || i.operands.size() != 2 || i.type != emit.types().uint32()) return {value, 0};
    const Id left = i.word(0), right = i.word(1);
    if (i.opcode == spv::Op::OpIAdd) {
        const IndexParts a = separate(emit, left, depth - 1), b = separate(emit, right, depth - 1);
        if (a.constant == 0 && b.constant == 0) return {value, 0};
        return {emit.addU32(a.variable, b.variable), a.constant + b.constant};
    }
    const std::optional<uint32_t> factor = constantOf(right);
    if (i.opcode == spv::Op::OpIMul && factor) {
        const IndexParts a = separate(emit, left, depth - 1);
        if (a.constant == 0) return {value, 0};
        return {emit.times(a.variable, *factor), a.constant * *factor};
    }
    return {value, 0};
}

}  // namespace

IndexParts separateConstant(Emitter& emit, Id value) { return separate(emit, value, kMaxDepth); }

}  // namespace coopvk::rewrite

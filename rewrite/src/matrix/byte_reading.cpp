// SPDX-License-Identifier: Apache-2.0
#include "matrix/byte_reading.hpp"

namespace coopvk::rewrite {

bool wantsByteDots(const DeviceTraits& device) {
    constexpr uint32_t kManyLanes = 64;
    const bool accelerated = device.dot4x8Signed || device.dot4x8Unsigned || device.dot4x8Mixed;
    return device.shaderIntegerDotProduct && !device.isCpu &&
           (accelerated || device.maxSubgroupSize >= kManyLanes);
}

std::vector<Id> ByteReading::bytes(Emitter& emit, Id word) const {
    const Id u32 = emit.types().uint32();
    const auto with = [&](spv::Op opcode, Id value, uint32_t number) {
        return emit.op(opcode, u32, {value, emit.types().constantU32(number)});
    };
    const uint32_t signBits = bits == 4 ? 0x88888888 : 0x80808080;
    if (offset != 0) word = with(spv::Op::OpBitwiseXor, word, signBits);
    if (bits == 8) return {word};
    const auto half = [&](Id value) {
        return with(spv::Op::OpBitwiseAnd, value, shift == 0 ? 0x0F0F0F0F : 0xF0F0F0F0);
    };
    if (shift == 0) return {half(word), half(with(spv::Op::OpShiftRightLogical, word, 4))};
    return {half(with(spv::Op::OpShiftLeftLogical, word, 4)), half(word)};
}

}  // namespace coopvk::rewrite

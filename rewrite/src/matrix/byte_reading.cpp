// SPDX-License-Identifier: Apache-2.0
#include "matrix/byte_reading.hpp"

#include "lowering/words.hpp"

namespace coopvk::rewrite {

bool acceleratesByteDots(const DeviceTraits& device) {
    return device.dot4x8Signed || device.dot4x8Unsigned || device.dot4x8Mixed;
}

bool wantsByteDots(const DeviceTraits& device) {
    constexpr uint32_t kManyLanes = 64;
    return device.shaderIntegerDotProduct && !device.isCpu &&
           (acceleratesByteDots(device) || device.maxSubgroupSize >= kManyLanes);
}

std::vector<Id> ByteReading::bytes(Emitter& emit, Id word) const {
    Bits all(emit);
    if (offset != 0) word = all.flip(word, bits == 4 ? 0x88888888 : 0x80808080);
    if (bits == 8) return {word};
    if (shift == 0) return {all.mask(word, 0x0F0F0F0F), all.mask(all.right(word, 4), 0x0F0F0F0F)};
    return {all.mask(all.left(word, 4), 0xF0F0F0F0), all.mask(word, 0xF0F0F0F0)};
}

}  // namespace coopvk::rewrite

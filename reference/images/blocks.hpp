// SPDX-License-Identifier: Apache-2.0
//
// Texels of blocks of 4 x 4 (Khronos Data Format Specification, "S3TC Compressed Texture Image
// Formats" to "BPTC Compressed Texture Image Formats").
#pragma once

#include "coopvk_reference/texels.hpp"

namespace coopvk::reference::images {

// The 128 bits of a block, or 64; the first is the lowest bit of the first byte.
class BlockBits {
 public:
    explicit BlockBits(const TexelBytes& bytes);
    // The same, from another bit on.
    BlockBits(const BlockBits& block, uint32_t next)
        : words_{block.words_[0], block.words_[1]}, next_(next) {}
    uint32_t at(uint32_t first, uint32_t count) const;
    // The next ones.
    uint32_t take(uint32_t count);
    uint32_t next() const { return next_; }

 private:
    uint64_t words_[2];
    uint32_t next_ = 0;
};

// Of `subsets` in this partition, the one that holds the texel; and the first texel of a subset,
// whose index has a bit less.
uint32_t subsetOf(uint32_t subsets, uint32_t partition, uint32_t texel);
uint32_t anchorOf(uint32_t subsets, uint32_t partition, uint32_t subset);
// Between two numbers, at this index of so many bits.
int32_t between(int32_t a, int32_t b, uint32_t index, uint32_t bits);

// The index of a texel among those of all texels, which begin at a bit.
uint32_t indexOf(const BlockBits& block, uint32_t begin, uint32_t bits, uint32_t subsets,
                 uint32_t partition, uint32_t texel);

// What the block holds of texel y * 4 + x, before sRGB becomes linear.
Texel bc6hTexel(const BlockBits& block, bool isSigned, uint32_t texel);
Texel bc7Texel(BlockBits block, uint32_t texel);

}  // namespace coopvk::reference::images

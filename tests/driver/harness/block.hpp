// SPDX-License-Identifier: Apache-2.0
//
// 2D blocks (SPV_INTEL_2d_block_io): shaders that load or store one block for each workgroup.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assembly.hpp"
#include "compute.hpp"

namespace coopvk::test {

enum class BlockOp { kLoad, kTranspose, kTransform, kPrefetch, kStore };

struct Block {
    BlockOp op = BlockOp::kLoad;
    uint32_t elementSize = 4;
    uint32_t width = 8, height = 8, count = 1;
};
std::string blockName(const Block& block);

// Elements that an invocation gets, padding included.
uint32_t elementsOfLane(const Block& block, uint32_t lanes);

// One region of memory and a place in it.
struct Region {
    uint32_t width, height, pitch;
    int64_t x, y;
    // The base address is this number of bytes before the memory, which is then far inside the
    // region.
    uint64_t ahead = 0;
};
Region randomRegion(Rng& rng, const Block& block);
// How a shader expresses it.
struct BlockShader {
    Block block;
    std::string regionType = "u32";   // of the buffer that holds the regions: "u8", "u32x4"
    std::string privateType = "u32";  // elements of the private array
    uint32_t privateOffset = 0;       // elements ahead of the pointer
    // Of the region's dimensions, and of the components of the coordinate.
    std::string dimensionType = "u32";
    std::string coordinateType = "u32";
    enum class Base {
        kBuffer,
        kAddress,
        kCrossWorkgroup,
        kUntypedBuffer,
        kUntypedAddress,
        kUntypedCrossWorkgroup,
    };
    Base base = Base::kBuffer;
    bool constantOperands = true;  // false: Block Height is specialization constant 5
    bool cacheControls = false;
};
inline constexpr size_t kRegionBytes = 8192;
uint32_t typeBytes(const std::string& type);
// Elements of the private array that an invocation needs.
uint32_t privateElements(const BlockShader& shader, uint32_t lanes);
std::string blockShaderText(const BlockShader& shader, uint32_t lanes);

// Runs the shader with a workgroup for each region and compares with the reference.
void expectBlock(const BlockShader& shader, const std::vector<Region>& regions,
                 std::string_view seed);

}  // namespace coopvk::test

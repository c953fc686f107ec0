// SPDX-License-Identifier: Apache-2.0
//
// The sizes of 2D blocks that coopvk advertises.
#include "blockio/block_plan.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite {

std::vector<BlockSizes> blockSizes(const DeviceTraits& device) {
    std::vector<BlockSizes> list;
    for (const auto operation :
         {BlockOperation::kLoad, BlockOperation::kLoadTranspose, BlockOperation::kLoadTransform,
          BlockOperation::kPrefetch, BlockOperation::kStore}) {
        for (const uint32_t size : {1u, 2u, 4u, 8u}) {
            if (operation == BlockOperation::kLoadTransform && size > kMaxTransformedSize) continue;
            if (!canAccessElements(device, size)) continue;
            const uint32_t granularity = size < 4 ? 4 / size : 1;
            list.push_back(
                {operation, size, granularity, kMaxBlockSize, kMaxBlockSize, kMaxBlockSize});
        }
    }
    return list;
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
//
// A loop around a segment.
#pragma once

#include "ir/types.hpp"
#include "matrix/slices/segments.hpp"

namespace coopvk::rewrite {

struct SliceLoop {
    uint32_t count = 0;
    Id number = 0;  // u32 variable that gets the number of the turn
    spv::LoopControlMask control = spv::LoopControlMask::MaskNone;
};

// Whether blocks can be divided there, and nothing that the segment computes is used outside.
bool canRepeat(const Function& function, const Segment& segment);

// The innermost loop around the segment is not to be unrolled.
void keepLoopRolled(Function& function, const Segment& segment);

void repeat(TypeTable& types, Function& function, const Segment& segment, const SliceLoop& loop);

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
//
// Values with half floats, as f32 and back.
#pragma once

#include "numbers/converter.hpp"

namespace coopvk::rewrite {

class HalfCode {
 public:
    HalfCode(NumbersContext& context, Emitter& emit) : context_(context), emit_(emit) {}

    // Whether it is f16, a vector or an OpTypeMatrix of it.
    bool isHalf(Id type) const;
    // The same type of f32; other types themselves.
    Id f32Type(Id type);
    // A value in f32; other values themselves.
    Id decode(Id value);
    // An f32 value rounded to f16, as the integers that replace `type`; another type's value
    // itself.
    Id encode(Id type, Id value);

    // The unsigned integers in place of a scalar or a vector.
    Id integers(Id type) { return context_.replacement(type); }

 private:
    NumbersContext& context_;
    Emitter& emit_;
};

// Instructions of GLSL.std.450 with half floats. False if the instruction has none, or may not have
// them.
bool lowerHalfGlsl(NumbersContext& context, Emitter& emit, const Instruction& i);

}  // namespace coopvk::rewrite

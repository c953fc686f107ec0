// SPDX-License-Identifier: Apache-2.0
//
// Loads of long vectors from variables of the invocation. Nothing copies what they load: the block
// reads the variable in its place, until an instruction may write to it.
#pragma once

#include "longvector/values.hpp"

namespace coopvk::rewrite {

// Whether an instruction may write to a variable of the invocation.
bool mayWriteTo(const Module& module, Id variable, const Instruction& i);

class LongVectorLoads {
 public:
    LongVectorLoads(LongVectorContext& context, LongVectorValues& values,
                    const LongVectorLiveness& liveness)
        : module_(context.module), values_(values), liveness_(liveness) {}

    // False: what is loaded must be copied.
    bool add(const Instruction& load);
    // Whether an instruction writes to a variable that is to be read later, or that instructions
    // read that are not emitted yet.
    bool mayChange(const Instruction& i) const;
    // Copies what is to be read behind the instruction.
    void copyChanged(const Instruction& i);
    // Copies what later blocks read.
    void endBlock();

 private:
    struct Load {
        Id value = 0, pointer = 0, variable = 0;
    };

    bool isChangedBy(const Load& load, const Instruction& i) const;

    Module& module_;
    LongVectorValues& values_;
    const LongVectorLiveness& liveness_;
    std::vector<Load> loads_;  // of the current block
};

}  // namespace coopvk::rewrite

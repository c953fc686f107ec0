// SPDX-License-Identifier: Apache-2.0
//
// Which values are equal in all invocations of a workgroup, and which blocks these run together:
// where a barrier of the workgroup may stand.
#pragma once

#include <unordered_set>
#include <vector>

#include "ir/blocks.hpp"
#include "ir/calls.hpp"
#include "ir/types.hpp"

namespace coopvk::rewrite {

// Of a module with one entry point of compute shaders. What is not known varies. Valid until the
// module changes.
class Uniformity {
 public:
    // `lanes`: of a subgroup. If a workgroup is one, what is equal in this is equal in that.
    Uniformity(const Module& module, uint32_t lanes);

    // Whether it may differ between invocations; of a variable: what it holds.
    bool varies(Id value) const { return varying_.contains(value); }
    // Whether all invocations run a block of a function together, or never.
    bool isTogether(const Function& function, size_t block) const;

 private:
    struct Known {
        explicit Known(const Function& function);

        const BlockGraph graph;
        // By block:
        std::vector<size_t> meets;  // where all that it leads to meets
        std::vector<bool> runs;     // it is not behind a condition that is known
        std::vector<bool> apart;
        std::vector<bool> isDivided;
        bool isCalledApart = false;
        bool resultVaries = false;
    };

    std::optional<Scalar> knownValue(Id id, uint32_t depth = 0) const;
    void findBlocksThatRun(const Function& function, Known& known) const;
    void callElsewhere(const Instruction& i);
    void visit(const Function& function);
    void visitBlock(const Function& function, size_t block, bool isApart);
    void visitInstruction(Known& known, const Instruction& i, bool isApart);
    void visitCall(const Instruction& call, bool isApart);
    void visitWrites(const Instruction& i, bool isApart);
    void divide(Known& known, size_t block);
    void vary(Id value) { changed_ |= value != 0 && varying_.insert(value).second; }
    bool anyVaries(const Instruction& i) const;
    bool phiVaries(const Known& known, const Instruction& phi) const;
    bool loadVaries(Id pointer, const Instruction& load) const;
    bool resultVaries(const Known& known, const Instruction& i) const;
    bool inputVaries(Id variable) const;

    const Module& module_;
    const uint32_t lanes_;
    const bool isOneSubgroup_;
    bool isMemorySteady_ = true;  // between barriers of the workgroup
    FunctionsById functions_;
    std::unordered_map<Id, std::unique_ptr<Known>> known_;  // by function
    std::unordered_set<Id> varying_;
    bool changed_ = false;
};

}  // namespace coopvk::rewrite

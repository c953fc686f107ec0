// SPDX-License-Identifier: Apache-2.0
//
// What the rewritten module may take for granted only where the original does, whatever data
// choose. Instructions of which not only the result is undefined for some operands: "Behavior is
// undefined if Operand 2 is 0" (SPIR-V, OpUDiv), or where it wraps (NoSignedWrap). And values that
// are promised to be Uniform.
#pragma once

#include <array>
#include <map>
#include <set>
#include <vector>

#include "program/program.hpp"
#include "symbols/terms.hpp"

namespace coopvk::reference::symbols {

struct Transferred;

// A condition that data decide, and the way that was taken.
using Path = std::set<std::pair<TermId, bool>>;

class Obligations {
 public:
    static bool mayHave(const Instruction& at);
    // Executions of both modules with the same contents of memory have the same number.
    void setContents(uint64_t number) {
        contents_ = number;
        convertsMore_ = false;
    }
    // False: the original does not execute this with these operands, or on fewer ways.
    bool fulfil(const Transferred& of, uint32_t component, uint32_t lane, const Path& path);
    // What the original promises to be one value in these lanes: each one, its bits and its term.
    using Lanes = std::vector<std::array<uint64_t, 3>>;
    void promise(const Lanes& lanes) { uniform_.emplace(contents_, lanes); }
    bool isPromised(const Lanes& lanes) const { return uniform_.contains({contents_, lanes}); }
    // With these contents the original may do anything, and so may the rewritten module.
    void noteUndefined() { undefined_.insert(contents_); }
    bool isUndefined() const { return undefined_.contains(contents_); }
    // Whether, since then, a float became an integer that does not in the original.
    bool convertsMore() const { return convertsMore_; }

 private:
    using Key = std::vector<uint64_t>;
    std::map<Key, std::vector<Path>> original_;
    std::set<std::pair<uint64_t, Lanes>> uniform_;
    std::set<uint64_t> undefined_;
    uint64_t contents_ = 0;
    bool convertsMore_ = false;
};

}  // namespace coopvk::reference::symbols

// SPDX-License-Identifier: Apache-2.0
//
// What a debugger debugs: the executions of one verdict, the module's own and the rewritten one.
#pragma once

#include "check/debug/module_text.hpp"
#include "coopvk_reference/debugger.hpp"
#include "replay.hpp"

namespace coopvk::tool {

// Bytes of memory that a user named.
struct NamedBytes {
    std::optional<size_t> buffer = {};  // of the memory; nothing: shared memory of a workgroup
    uint64_t offset = 0, size = 1;
};

// One side.
struct Debuggee {
    const check::ReplaySide& side;
    std::string name;  // "native", "rewritten"
    ModuleText text;
    reference::ElementMaps maps;

    Debuggee(const check::ReplaySide& of, std::string sideName);
    const reference::Program& program() const { return *side.side.program; }
    // Of "%48", "48" or a name.
    uint32_t id(const std::string& named) const { return text.id(named); }
    // The line of an instruction, as far as it is one of source; and of the rewritten module the
    // position in the original from which it comes, or 0.
    std::string line(uint32_t word) const;
    uint32_t origin(uint32_t word) const;
};

// A value at one time of an execution.
struct Sample {
    uint32_t id = 0;
    std::array<uint32_t, 3> workgroup = {};
    uint32_t subgroup = 0;
    uint32_t word = 0;  // of the instruction that gave it
    uint32_t time = 0;  // how often this subgroup had given it before
    reference::ShownValue value = {};

    // Of what is the same on both sides.
    using Key = std::array<uint32_t, 6>;
    Key key() const { return {id, workgroup[0], workgroup[1], workgroup[2], subgroup, time}; }
};

class Session {
 public:
    explicit Session(const check::Replay& replay);

    const check::Replay& replay() const { return replay_; }
    bool hasRewritten() const { return replay_.rewritten.side.program != nullptr; }
    const Debuggee& native() const { return native_; }
    const Debuggee& rewritten() const { return rewritten_; }

    // Executes a side from its start.
    reference::Status run(const Debuggee& side, reference::Debugger& debugger,
                          check::MemoryCopy& memory, reference::Resume first) const;
    // Whether an access is to the place.
    static reference::Touches touches(const check::MemoryCopy& memory, const NamedBytes& place);

    // The last write to the place up to an instruction; number 0: to the end. Nothing: none.
    reference::Debugger::Write lastWrite(const Debuggee& side, const NamedBytes& place,
                                         uint64_t number) const;
    // The values of these ids, in the order in which instructions gave them.
    std::vector<Sample> samples(const Debuggee& side, const std::vector<uint32_t>& ids) const;
    // Ids that instructions of both sides give, and that are matrices natively.
    std::vector<uint32_t> sharedMatrices() const;

    // "0.1:212" and the like. Nothing: there is no such place, and why.
    rewrite::Result<NamedBytes> place(const std::string& text) const;
    std::string nameOf(const NamedBytes& place) const;

 private:
    rewrite::Result<NamedBytes> placeOfBuffer(const std::string& name, uint64_t offset) const;

    const check::Replay& replay_;
    Debuggee native_, rewritten_;
};

}  // namespace coopvk::tool

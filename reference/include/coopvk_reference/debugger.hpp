// SPDX-License-Identifier: Apache-2.0
//
// A debugger of lanes: an observer that holds an execution behind instructions, and what lanes have
// there. On one thread an execution is the same each time, so each instruction has a number in it:
// to go back is to execute the program again, up to a smaller number.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "coopvk_reference/element_maps.hpp"
#include "coopvk_reference/formats.hpp"
#include "coopvk_reference/observer.hpp"

namespace coopvk::reference {

// Whether an access is to bytes that somebody watches.
using Touches = std::function<bool(const MemoryAccess&)>;

// Where an execution is to stop. Only one of the conditions must hold.
struct StopRule {
    uint32_t number = 0;          // the user's
    std::vector<uint32_t> words;  // positions of instructions, in ascending order; of a call: when
                                  // it has returned
    Touches writes;               // an instruction that writes such bytes
    uint32_t checks = 0;          // one that gives a report of these checks
};

// An execution is held behind an instruction.
struct Stop {
    const Moment& at;
    uint32_t word = 0;    // position of the instruction; behind a return that of the call
    uint64_t number = 0;  // of the instruction in the execution, from 1
    std::vector<uint32_t> rules = {};   // numbers of those that hold
    std::optional<Report> report = {};  // what the instruction gave
    uint32_t lane = 0;                  // that wrote the bytes or gave the report; else the first
};

// How it goes on.
struct Resume {
    enum class Until : uint8_t {
        kRule,         // or its end
        kInstruction,  // `count` instructions of the same subgroup
        kLine,         // the end of the next line; without lines an instruction. Calls are one
        kNumber,       // the instruction with this number, whatever rules say
        kEnd,          // it ends here
    };
    Until until = Until::kRule;
    uint64_t count = 1;
};

class Debugger final : public Observer, private Reporter {
 public:
    using Stopped = std::function<Resume(const Stop&)>;
    explicit Debugger(Stopped stopped) : stopped_(std::move(stopped)) {}

    // May change where the execution is held.
    std::vector<StopRule> rules;
    // The last write of such bytes, before the execution was held: see lastWrite().
    Touches watched;
    // Gets messages of NonSemantic.DebugPrintf.
    std::function<void(const std::string&)> prints;

    // Executes the dispatch from its start, on one thread. An error: why it did not come to its
    // end; none where the user ended it.
    Status run(const Program& program, Dispatch dispatch, Resources& resources, Settings settings,
               Resume first = {});
    // Of the last execution: the instructions that were executed.
    uint64_t executed() const { return executed_; }
    bool wasEnded() const { return ends_; }
    struct Write {
        uint64_t number = 0;  // of the instruction; 0: none
        uint32_t lane = 0;
    };
    Write lastWrite() const { return lastWrite_; }

    uint32_t events() const override { return kEventInstruction | kEventStore | kEventAtomic; }
    void begin(const Group& group) override;
    void store(const Moment&, const MemoryAccess& access) override { note(access); }
    void atomic(const Moment&, const MemoryAccess& access,
                const AtomicOperation& operation) override {
        if (operation.writes) note(access);
    }
    void instruction(const Moment& at) override;

 private:
    bool report(const Report& report) override;
    void print(const std::string& text) override;
    void note(const MemoryAccess& access);
    std::vector<uint32_t> rulesAt(uint32_t word) const;
    bool isDue(const Moment& at, bool hasRule);
    void hold(const Moment& at, uint32_t word, std::vector<uint32_t> rules);

    const Stopped stopped_;
    std::atomic<bool> stop_ = false;
    bool ends_ = false;
    uint64_t executed_ = 0;
    Write lastWrite_;
    // Of the instruction that executes.
    std::vector<std::pair<uint32_t, uint32_t>> written_;  // rule, lane
    std::optional<Report> report_;
    // Since the execution was held last.
    Resume resume_;
    uint32_t subgroup_ = 0, workgroup_ = 0, current_ = 0;  // workgroup_: number in the dispatch
    size_t depth_ = 0;
    std::string line_;
};

// The positions of instructions of a program: those that give an id or store to that variable, and
// the last one of each stretch of a line. `line`: "file:line", or the end of it, from a colon or
// behind a slash.
std::vector<uint32_t> wordsOfId(const Program& program, uint32_t id);
std::vector<uint32_t> wordsOfLine(const Program& program, const std::string& line);
// The line at an instruction's position; empty: none.
std::string lineOf(const Program& program, uint32_t word);
// The id with this name; 0: none.
uint32_t idNamed(const Program& program, const std::string& name);
std::string nameOfId(const Program& program, uint32_t id);

// The functions that are executed, the outermost first: the position of the next instruction there.
std::vector<uint32_t> callsAt(const Moment& at);
std::array<uint32_t, 3> workgroupAt(const Moment& at);
std::span<const std::byte> sharedMemoryAt(const Moment& at);
uint32_t subgroupsAt(const Moment& at);
// The position of the next instruction of a subgroup of the workgroup, and its active lanes.
struct Whereabouts {
    uint32_t word = 0;  // 0: it has ended
    LaneMask lanes;
};
Whereabouts whereaboutsOf(const Moment& at, uint32_t subgroup);

// A number that a lane holds.
struct ShownNumber {
    enum class Kind : uint8_t { kBool, kSigned, kUnsigned, kFloat, kPlace };  // of a pointer: bytes
    Kind kind = Kind::kUnsigned;
    numbers::Number format = numbers::Number::f32;  // of a float
    uint32_t width = 32;
    uint64_t bits = 0;
    bool defined = true;
};
std::string textOf(const ShownNumber& number);  // "1.5", "-3", "true", "byte 16"; "?": undefined

struct ShownElement : ShownNumber {
    bool isHeld = false;                     // by an invocation
    uint32_t invocation = 0, component = 0;  // of the scope: the first that holds it
    uint32_t copies = 0;                     // so many others do
    std::optional<uint32_t> otherCopy = {};  // the first of them with other bits
};

struct ShownValue {
    std::string type;                         // "16 x 16 matrix of f32 (accumulator)"
    uint32_t rows = 0, columns = 0;           // of a matrix; 0: it is none
    bool ofWorkgroup = false;                 // a matrix
    uint32_t lanes = 0, components = 0;       // of each lane
    std::vector<ShownElement> elements = {};  // of a matrix, row by row
    std::vector<ShownNumber> numbers = {};    // else: component c in lane l is at [c * lanes + l]
};

// Which invocation holds which element in values of a type that is no matrix in the program.
struct ElementMap {
    uint32_t rows = 0, columns = 0;
    uint32_t invocations = 0;  // of the scope
    bool ofWorkgroup = false;
    bool isSum = false;  // a lane holds each element as two numbers
    std::optional<numbers::Number> format = {};
    std::string what = {};  // "accumulator"
    // Of element e of an invocation: [e * invocations + invocation].
    std::vector<ElementPosition> positions = {};
};
using ElementMaps = std::map<uint32_t, ElementMap>;  // by the id of the type

// What the lanes of the subgroup have of an id; of a variable of theirs, what it holds. Nothing:
// the program has no such value.
std::optional<ShownValue> valueOf(const Moment& at, uint32_t id, const ElementMaps& maps = {});

}  // namespace coopvk::reference

// SPDX-License-Identifier: Apache-2.0
//
// What happens while a program executes, for those who want to know: each check of the device is an
// observer (checks/), and a user of the interpreter gives his own in Dispatch::observers. Observers
// change nothing but what a load sees, where the specifications leave that open.
#pragma once

#include <optional>

#include "coopvk_reference/execute.hpp"
#include "coopvk_reference/lanes.hpp"

namespace coopvk::reference {

struct Subgroup;
struct Value;

// A scope, by how far it reaches; and how far two invocations are apart. The device has one queue
// family.
enum class Reach : uint8_t { kInvocation, kSubgroup, kWorkgroup, kDevice };

enum MemoryKind : uint8_t { kShared, kBuffer, kPushConstants, kOwn };  // kOwn: of an invocation
// "the workgroup's memory", ...
const char* nameOf(MemoryKind kind);

// Scope and memory semantics of a barrier or an atomic operation.
struct Semantics {
    Reach reach = Reach::kInvocation;
    bool releases = false, acquires = false;
    bool available = false, visible = false;   // makes it so
    std::array<bool, kPushConstants> kinds{};  // of memory
};

// Memory operands of an instruction.
struct Access {
    uint32_t alignment = 0;  // of the address, in bytes; 0: not known
    uint8_t object = 0;      // number of a variable, if the program says Restrict
    uint8_t matrix = 0;      // number of the type whose elements these are; 0: no matrix's
    bool isNonPrivate = false;
    Reach available = Reach::kInvocation, visible = Reach::kInvocation;  // makes it so
};

enum Event : uint32_t {
    kEventLoad = 1u << 0,
    kEventUnwrittenLoad = 1u << 1,  // of these, those of bytes that nothing wrote
    kEventStore = 1u << 2,
    kEventUndefinedStore = 1u << 3,  // of these, those of values that are undefined
    kEventAtomic = 1u << 4,
    kEventBarrier = 1u << 5,
    kEventBranch = 1u << 6,
    kEventCall = 1u << 7,
    kEventValue = 1u << 8,
    // Uses of operands:
    kEventAddress = 1u << 9,      // a pointer through which an instruction accesses memory
    kEventAligned = 1u << 10,     // the same, which must be a multiple of Use::alignment
    kEventDescriptor = 1u << 11,  // the same, of one descriptor in all lanes: no NonUniform
    kEventIndex = 1u << 12,       // of an access chain
    kEventCondition = 1u << 13,   // of a branch
    kEventUniform = 1u << 14,     // must be the same in all invocations
    kEventAssumption = 1u << 15,  // must be true
    kEventInstruction = 1u << 16,
};
inline constexpr uint32_t kEventKinds = 17;

// A workgroup that starts.
struct Group {
    std::array<uint32_t, 3> id = {};
    uint32_t number = 0;  // in the dispatch
    uint32_t lanes = 0;   // of a subgroup
    uint32_t subgroups = 0;
    uint64_t sharedSize = 0;  // bytes
    bool vulkanMemoryModel = false;
};

// Of a value in a subgroup.
struct ValueView {
    const uint64_t* bits = nullptr;  // of component c in lane l: [c * lanes + l]
    const LaneMask* defined = nullptr;
    uint32_t components = 0, lanes = 0;

    uint64_t at(uint32_t component, uint32_t lane) const {
        return bits[uint64_t{component} * lanes + lane];
    }
};

// What a pointer leads to in a lane.
struct PointerView {
    MemoryKind kind = kOwn;
    const Range* range = nullptr;  // null: none; the range also where the offset is outside of it
    uint64_t offset = 0;           // in the range; an address where isPhysical
    bool isPhysical = false;
};

// A subgroup at an instruction. It is valid until the observer returns.
class Moment {
 public:
    explicit Moment(Subgroup& subgroup) : s_(subgroup) {}

    uint32_t opcode() const;    // of an extended set: its number there, plus 2^16 for GLSL.std.450
    uint32_t resultId() const;  // or 0
    uint32_t word() const;      // position in the module
    uint32_t subgroup() const;  // in the workgroup
    LaneMask active() const;    // lanes that execute the instruction
    LaneMask all() const;       // lanes that have an invocation

    uint32_t operands() const;           // behind type and result
    uint32_t literal(uint32_t n) const;  // of operand n: its word, also that of an id
    std::optional<ValueView> operand(uint32_t n) const;  // nothing: it has no value
    std::optional<ValueView> result() const;
    // Of the active lanes those in which a part of the operand's value is not defined.
    LaneMask undefined(uint32_t operand) const;
    PointerView pointer(uint32_t operand, uint32_t lane) const;

    // A report, if the settings have the check. `otherWord`: see Report.
    void report(Check check, uint32_t lane, std::string message, uint32_t otherWord = 0) const;
    // The instruction, its operands in the lane, and where that is: without check and message.
    Report place(uint32_t lane) const;

 private:
    friend Subgroup& subgroupAt(const Moment& at);  // of the interpreter's own

    Subgroup& s_;
};

// An access of a lane to bytes of memory that exist, other than its own.
struct MemoryAccess {
    uint32_t lane = 0;
    uint32_t subgroup = 0;  // in the workgroup
    uint32_t word = 0;      // position of the instruction
    MemoryKind kind = kShared;
    // What it reads was written before; what it stores is defined: as far as somebody wants
    // kEventUnwrittenLoad and kEventUndefinedStore.
    bool isDefined = true;
    const std::byte* data = nullptr;  // on the host
    uint64_t size = 0;
    uint64_t offset = 0;  // of data in the range
    const Range& range;
    const Access& how;
};

struct AtomicOperation {
    Semantics semantics;
    bool reads = false, writes = false;
    bool isDefined = true;        // what it adds or stores; MemoryAccess::isDefined: what it reads
    std::byte* before = nullptr;  // the bytes that it read or replaced
};

// What an instruction does with an operand, once for all lanes, before it executes.
struct Use {
    Event kind;  // of those of uses
    uint32_t operand = 0;
    uint32_t size = 0;              // of an address: bytes that each lane accesses there
    uint32_t alignment = 0;         // of kEventAligned: in bytes
    const Moment* first = nullptr;  // kEventUniform: whose value counts, or null: the first lane's
};

// Where a subgroup waits, or that it has ended.
struct Waits {
    bool hasEnded = false;
    uint32_t word = 0;
    uint64_t instance = 0;  // the same in one iteration of each loop and one call of each function
};

struct Barrier {
    enum Stage : uint8_t {
        kReached,   // a subgroup: an instruction that its invocations execute together
        kApart,     // its lanes come to a barrier apart: nothing promised otherwise
        kArrived,   // a split barrier, for which it will wait
        kLanesMet,  // a barrier of the subgroup
        kMet,       // a barrier or a cooperative instruction: all subgroups wait, the first here
        kMemory,    // a memory barrier
    };
    Stage stage = kReached;
    Semantics semantics = {};
    std::span<const Waits> subgroups = {};  // of kMet
};

// Lanes that go along one of a branch's edges.
struct Branched {
    uint32_t word = 0;  // of the first instruction of the target
    LaneMask lanes;
};

enum class CallKind : uint8_t { kEnters, kReturns, kEnds };  // kEnds: of the invocation

class Observer {
 public:
    virtual ~Observer() = default;
    // A sum of Event, the same at all times.
    virtual uint32_t events() const = 0;
    // Each thread of an execution has workgroups of its own. Null: this observer gets the events of
    // all of them, from several threads at once.
    virtual std::unique_ptr<Observer> ofThread() { return nullptr; }

    // Whatever events() says.
    virtual void begin(const Group&) {}
    // `seen`: what it read, which may become what was there before.
    virtual void load(const Moment&, const MemoryAccess&, std::byte* /*seen*/) {}
    // Before the bytes change.
    virtual void store(const Moment&, const MemoryAccess&) {}
    // After it took place. No other atomic operation on these bytes does before this returns.
    virtual void atomic(const Moment&, const MemoryAccess&, const AtomicOperation&) {}
    virtual void use(const Moment&, const Use&) {}
    virtual void barrier(const Moment&, const Barrier&) {}
    virtual void branch(const Moment&, std::span<const Branched>) {}
    virtual void call(const Moment&, CallKind) {}
    // An instruction has given its result.
    virtual void value(const Moment&) {}
    // A subgroup has executed an instruction, also one without result. Behind a branch, a call or a
    // return its lanes are those that go on.
    virtual void instruction(const Moment&) {}
};

}  // namespace coopvk::reference

// SPDX-License-Identifier: Apache-2.0
//
// The state of a subgroup and of its workgroup while they execute. SPIR-V has no recursion: each id
// has one place in a subgroup, and a frame only says where execution is in a function.
#pragma once

#include <deque>
#include <map>

#include "execution/context.hpp"
#include "execution/observers.hpp"
#include "program/program.hpp"

namespace coopvk::reference {

struct Workgroup;
class ListCounts;
class Shadow;
struct Tangles;

// Lanes that wait at the start of a block.
struct Waiting {
    uint32_t block = 0;
    LaneMask mask;
};

struct Frame {
    const Function* function = nullptr;
    uint32_t block = 0;
    uint32_t position = 0;         // of the next instruction in the block
    std::vector<Waiting> waiting;  // by block, nearest last
    LaneMask returned;
    uint32_t result = kNone;  // slot of the caller that gets the result
};

// Components that are defined in part, as bit casts make them of others that are not: of each byte,
// the lanes that lack it. Most programs have none. A component is named by where its lanes are.
class Holes {
 public:
    using Bytes = std::array<LaneMask, 8>;

    bool empty() const { return components_.empty(); }
    Bytes of(const LaneMask* component) const {
        const auto found = components_.find(component);
        return found != components_.end() ? found->second : Bytes{};
    }
    // In these lanes.
    void set(const LaneMask* component, const Bytes& bytes, LaneMask lanes) {
        Bytes all = of(component);
        for (size_t b = 0; b < all.size(); ++b) all[b] = (all[b] & ~lanes) | (bytes[b] & lanes);
        if (std::ranges::any_of(all, &LaneMask::any))
            components_[component] = all;
        else
            components_.erase(component);
    }

 private:
    std::unordered_map<const LaneMask*, Bytes> components_;
};

// With intervals: what a product of matrices gave last, and all that was added for each element.
struct OpenSums {
    std::vector<Element> result;
    std::vector<SumBounds> sums;
};

// Functions that execute an instruction find it, its operands and its result here.
struct Subgroup {
    const Program* program = nullptr;
    Workgroup* group = nullptr;
    uint32_t index = 0;  // in the workgroup
    uint32_t lanes = 0;
    LaneMask all;        // lanes that have an invocation
    LaneMask mask;       // lanes that execute now
    uint32_t phase = 0;  // see Step::kMeet
    std::vector<Frame> frames;
    // The instruction on matrices that calls the function that executes, for elements.
    const Instruction* elementsOf = nullptr;
    std::vector<Value> values;  // by slot
    // Variables of Function, Private and Input storage: component c of lane l at [c * lanes + l].
    std::vector<uint64_t> privateData;
    std::vector<LaneMask> privateDefined;
    Shadow* shadow = nullptr;        // null: no value has a deviation
    Intervals* intervals = nullptr;  // null: not computed
    std::vector<Deviation> storageDeviations, privateDeviations;
    std::deque<OpenSums> openSums;  // the last ones
    Holes holes;
    // Physical pointers, by where the lanes of their component are: those in which an index was
    // outside of its array.
    std::unordered_map<const LaneMask*, LaneMask> strays;
    LaneMask straysOf(const Value& pointer) const {
        if (strays.empty()) return {};
        const auto found = strays.find(pointer.defined);
        return found != strays.end() ? found->second : LaneMask{};
    }
    void setStrays(const Value& pointer, LaneMask where, LaneMask lanesOf) {
        where = (straysOf(pointer) & ~lanesOf) | (where & lanesOf);
        if (where.any())
            strays[pointer.defined] = where;
        else
            strays.erase(pointer.defined);
    }
    std::vector<uint32_t> iterations;   // of each loop of the program
    std::shared_ptr<Tangles> tangles;   // null: lanes meet at merge blocks
    std::shared_ptr<ListCounts> lists;  // of the stage; null: it is not scripted
    LaneMask helpers;                   // whose stores go nowhere
    const Range* lastBuffer = nullptr;

    // What a variable holds from a component on.
    Value variable(uint64_t first, const Type& type) {
        return {privateData.data() + first * lanes, privateDefined.data() + first, &type, lanes,
                shadow != nullptr ? privateDeviations.data() + first * lanes : nullptr};
    }
    const Instruction* at = nullptr;  // what executes
    const Value& result() const { return values[at->result]; }
    const Type& type() const { return *at->type; }  // of the result
    uint32_t operands() const { return uint32_t(at->operands.size()); }
    const Value& operand(uint32_t n) const { return values[(*at)[n].slot]; }
    // The first component of operand n in the first active lane.
    uint64_t first(uint32_t n) const { return operand(n).at(0, mask.first()); }
    uint32_t slot(uint32_t n) const { return (*at)[n].slot; }
    uint32_t word(uint32_t n) const { return (*at)[n].word; }
    template <typename Plan>
    const Plan& plan() const {
        return *static_cast<const Plan*>(at->prepared.get());
    }
    // The same of an operand that must be the same in all invocations.
    uint64_t uniform(uint32_t n);

    const Observers* observers = nullptr;  // null: no events
    uint32_t events = 0;                   // that somebody observes
    bool observes(uint32_t any) const { return (events & any) != 0; }
    template <auto kFunction>
    void tell(Event event, const auto&... arguments) {
        if (observes(event)) observers->tell<kFunction>(event, Moment(*this), arguments...);
    }
    void uses(const Use& use) { tell<&Observer::use>(use.kind, use); }

    bool checks(Check check) const;
    void report(Check check, uint32_t lane, std::string message, uint32_t otherWord = 0);
    // A report without check and message.
    Report placeOf(uint32_t lane) const;

    std::vector<uint64_t> storage;
    std::vector<LaneMask> storageDefined;
    // Results of this instruction that are undefined whatever its operands: component and lane. Of
    // the last one, what reports of its use say.
    std::vector<std::pair<uint32_t, uint32_t>> outside;
    const Instruction* lastOutside = nullptr;
    const char* lastWhat = "";
    void noteOutside(uint32_t component, uint32_t lane, const char* what);
    uint64_t steps = 0;  // blocks that it has executed
};

// The same for all that execute one dynamic instance of an instruction: by the calls that led to
// it, and the iterations of the loops around it.
uint64_t dynamicInstance(const Subgroup& s);
// Tells that the instruction has executed, unless it waits for others and is to execute again.
inline void afterInstruction(Subgroup& s, Step step) {
    if (step != Step::kMeet && step != Step::kStop)
        s.tell<&Observer::instruction>(kEventInstruction);
}
// Executes until the subgroup yields, meets others, stops, or has left all frames but `depth`
// (Step::kBranched).
Step run(Subgroup& s, size_t depth);
// Executes until all lanes that go on are at this block of the function in frame `depth`, or behind
// it, or have left that frame.
Step runTo(Subgroup& s, size_t depth, uint32_t block);
// Lanes wait at the start of a block, or have left the function: others go on first.
Step arriveAt(Subgroup& s, uint32_t block, LaneMask mask);
Step leaveFunction(Subgroup& s, LaneMask mask);
// The lanes that execute end.
Step endLanes(Subgroup& s);
// Starts a function: its arguments must be in its parameters.
void enter(Subgroup& s, const Function& function, LaneMask mask, uint32_t result);
// Executes an instruction of constants only, when a program is made.
void executeOnConstants(Program& program, const Instruction& i);
// The lanes in which the whole value is defined.
inline LaneMask definedInAll(const Value& value) {
    LaneMask defined = LaneMask::firstLanes(kMaxLanes);
    for (uint32_t c = 0; c < value.components(); ++c) defined &= value.defined[c];
    return defined;
}
// Copies components where the lanes of the mask are, with what is defined.
void copyComponents(Subgroup& s, const Value& to, uint32_t toFirst, const Value& from,
                    uint32_t fromFirst, uint32_t count, LaneMask mask);
inline void copyValue(Subgroup& s, const Value& to, const Value& from, LaneMask mask) {
    copyComponents(s, to, 0, from, 0, to.type->components, mask);
}

// Calls a function for the lanes of `mask` and returns when it has returned in all of them. The
// arguments are copied to its parameters; its result is in value(function.result) until the next
// call. False: it stopped. Barriers and other meetings of subgroups are not possible in it.
bool callFunction(Subgroup& s, const Function& function, std::span<const Value> arguments,
                  LaneMask mask);

// A value of its own, that no id has.
class OwnValue : public Value {
 public:
    OwnValue(const Type& valueType, uint32_t count, bool hasDeviations = false)
        : data_(size_t(valueType.components) * count),
          defined_(valueType.components, LaneMask::firstLanes(count)),
          deviations_(hasDeviations ? data_.size() : 0) {
        static_cast<Value&>(*this) = {data_.data(), defined_.data(), &valueType, count,
                                      hasDeviations ? deviations_.data() : nullptr};
    }
    OwnValue(OwnValue&&) = delete;

 private:
    std::vector<uint64_t> data_;
    std::vector<LaneMask> defined_;
    std::vector<Deviation> deviations_;
};

// Calls f(lane) for each active lane; a plain loop if all are active.
template <typename F>
inline void forLanes(const Subgroup& s, F&& function) {
    if (s.mask == LaneMask::firstLanes(s.lanes))
        for (uint32_t lane = 0; lane < s.lanes; ++lane) function(lane);
    else
        s.mask.forEach(function);
}

// Component 0 of the result becomes f(lane).
template <typename F>
inline void setLanes(const Subgroup& s, F&& function) {
    uint64_t* const result = s.result().data;
    forLanes(s, [&](uint32_t lane) { result[lane] = uint64_t(function(lane)); });
}

// The active lanes for which test(lane) is true; those whose bits are not 0.
template <typename F>
inline LaneMask lanesWhere(const Subgroup& s, F&& test) {
    LaneMask mask;
    forLanes(s, [&](uint32_t lane) {
        if (test(lane)) mask.set(lane);
    });
    return mask;
}
inline LaneMask lanesWith(const Subgroup& s, const uint64_t* bits) {
    return lanesWhere(s, [&](uint32_t lane) { return bits[lane] != 0; });
}

struct Workgroup : Context {
    std::array<uint32_t, 3> id = {};
    std::vector<Subgroup> subgroups;
    std::vector<std::byte> shared;  // Workgroup variables
    std::vector<Deviation> sharedDeviations;
    std::vector<uint8_t> sharedWritten;
    Range sharedRange, pushRange;
    const Observers* observers = nullptr;
    std::shared_ptr<Shadow> shadow;
    uint64_t random = 0;  // state of the generator, from the seed
    uint64_t nextRandom() { return spread(random += 0x9E3779B97F4A7C15); }
};

// Memory and state for workgroups, which a thread executes one after the other.
void prepare(Workgroup& group);
// Who gets the events of all that this thread executes.
void observe(Workgroup& group, const Observers& observers);
// Starts the workgroup with this id.
void begin(Workgroup& group, std::array<uint32_t, 3> id);

}  // namespace coopvk::reference

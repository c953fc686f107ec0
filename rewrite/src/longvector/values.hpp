// SPDX-License-Identifier: Apache-2.0
//
// Where the components of long vectors are while a function is lowered.
#pragma once

#include "longvector/slots.hpp"

namespace coopvk::rewrite {

// Which component: its number as a constant, or the counter of a loop.
struct ComponentIndex {
    Id id = 0;                      // an integer scalar
    std::optional<uint32_t> known;  // its value
};

// A value that is not a constant is in a variable of storage class Function. Values of cooperative
// types are not: they stay values.
class LongVectorValues {
 public:
    LongVectorValues(LongVectorContext& context, FunctionWriter& writer, LongVectorSlots& slots)
        : context_(context), writer_(writer), slots_(slots) {}

    Emitter& emit() { return writer_.emit(); }
    FunctionWriter& writer() { return writer_; }
    ComponentIndex index(uint32_t number) { return {emit().constant(number), number}; }
    // Runs body(index) for all components: in a loop if they are many, else once for each.
    void each(const LongVector& vector, const std::function<void(ComponentIndex)>& body);

    LongVectorSlots& slots() { return slots_; }
    // The variable that a value is in.
    Id variableOf(Id value);
    // The variable to which the definition of a value stores: one that was set, or a slot.
    Id newVariableFor(Id value);
    // A value is in what a pointer points to, which others read, too.
    void setVariable(Id value, Id pointer) { variables_[value] = pointer; }
    bool isPlaced(Id value) const { return variables_.contains(value); }
    // A value is in a slot of its own. Then the slot may become that of another value.
    bool owns(Id value) const { return owned_.contains(value); }
    void passVariable(Id from, Id to);
    bool isIn(Id value, Id pointer) const {
        const auto found = variables_.find(value);
        return found != variables_.end() && found->second == pointer;
    }
    // Copies a value from where it was set to be to a slot.
    void own(Id value);
    // A pointer to a variable that holds a value, also of a constant.
    Id pointerTo(Id value);

    Id component(Id value, ComponentIndex at);
    std::vector<Id> components(Id value);
    void store(Id value, ComponentIndex at, Id component);
    // Stores a value behind a pointer to a variable, and the inverse, which defines it.
    void copy(Id value, Id pointer);
    void defineByPointee(Id value, Id pointer);
    // Defines a value by its components: stores them, or constructs a cooperative vector.
    void define(Id value, Id type, std::span<const Id> components);

    // Memory: a pointer to a component of the long vector behind a pointer.
    Id componentPointer(Id pointer, const LongVector& vector, ComponentIndex at);

    // A value as a constituent of type `type`: the vector's type, or that in memory.
    Id whole(Id value, Id type);
    // Defines a value by a constituent of such a type.
    void defineByWhole(Id value, Id constituent);

 private:
    Id constantComponent(const Instruction& constant, ComponentIndex at);
    Id constantVariable(const Instruction& constant);
    bool isPlainConstant(Id value) const;

    LongVectorContext& context_;
    FunctionWriter& writer_;
    LongVectorSlots& slots_;
    std::unordered_map<Id, Id> variables_;  // by value
    std::unordered_set<Id> owned_;
};

}  // namespace coopvk::rewrite

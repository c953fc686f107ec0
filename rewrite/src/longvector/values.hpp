// SPDX-License-Identifier: Apache-2.0
//
// Where the components of long vectors are while a function is lowered.
#pragma once

#include "longvector/types.hpp"
#include "lowering/function_writer.hpp"

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
    LongVectorValues(LongVectorContext& context, FunctionWriter& writer)
        : context_(context), writer_(writer) {}

    Emitter& emit() { return writer_.emit(); }
    FunctionWriter& writer() { return writer_; }
    ComponentIndex index(uint32_t number) { return {emit().constant(number), number}; }
    // Runs body(index) for all components: in a loop if they are many, else once for each.
    void each(const LongVector& vector, const std::function<void(ComponentIndex)>& body);

    // The variable of a value: its own, a new one, or one that was set.
    Id variableOf(Id value);
    void setVariable(Id value, Id pointer) { variables_[value] = pointer; }
    bool hasVariable(Id value) const { return variables_.contains(value); }
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
    std::unordered_map<Id, Id> variables_;  // by value
};

}  // namespace coopvk::rewrite

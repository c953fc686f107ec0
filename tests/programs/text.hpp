// SPDX-License-Identifier: Apache-2.0
//
// The text of a SPIR-V module while it is being written.
#pragma once

#include <format>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "components.hpp"
#include "numbers.hpp"

namespace coopvk::programs {

class Text {
 public:
    void need(const std::string& capability, const std::string& extension = {});
    // The id of a type or constant, which is defined once.
    std::string global(const std::string& definition);
    std::string type(Component component);
    std::string u32(uint32_t value);
    // A constant of u32, which may be a specialization constant: one for each value.
    std::string size(uint32_t value);
    bool isSpecialised(uint32_t size) { return this->size(size) != u32(size); }
    // Specialization constants get other values than those that the module has for them.
    static constexpr uint32_t kFirstSpecId = 16;
    using Specialization = std::vector<check::SpecializationValue>;
    void specialise(check::Random random) { specialises_ = random; }
    const Specialization& specialization() const { return specialization_; }
    // A constant of the component type with a small integer's value.
    std::string constant(Component component, int value);
    // Declares a variable at module scope, which the entry point lists.
    std::string variable(const std::string& pointerType, const std::string& storage);
    void decorate(const std::string& line) { decorations_.insert(line); }
    void mode(const std::string& name) { modes_ += "OpExecutionMode %main " + name + "\n"; }
    void needAddresses();
    const char* glsl();  // the instructions of GLSL.std.450

    // Appends to the function that is being written.
    void line(const std::string& text) { current().append(text).append("\n"); }
    std::string value(const std::string& instruction);
    void label(const std::string& id);
    const std::string& block() const { return block_; }  // the last label
    std::string fresh() { return "%n" + std::to_string(next_++); }
    // Variables of the function that is being written, at its beginning.
    std::string local(const std::string& pointerType);

    // A function of its own; its lines go there until endFunction().
    void beginFunction();
    void endFunction();

    std::string module(uint32_t localSize) const;

 private:
    std::string& current() { return inFunction_ ? functions_ : body_; }

    std::set<std::string> capabilities_, extensions_, decorations_;
    std::string addressing_ = "Logical", imports_, modes_;
    std::optional<check::Random> specialises_;
    std::map<uint32_t, std::string> sizes_;
    Specialization specialization_;
    std::vector<std::pair<std::string, std::string>> globals_;  // id, definition
    std::map<std::string, std::string> ids_;                    // by definition
    std::string interface_, locals_, body_, functions_, block_ = "%entry", outerBlock_;
    size_t localsAt_ = std::string::npos;  // in functions_: where variables of the last one begin
    bool inFunction_ = false;
    uint32_t next_ = 0;
};

}  // namespace coopvk::programs

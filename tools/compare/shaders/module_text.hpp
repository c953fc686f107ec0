// SPDX-License-Identifier: Apache-2.0
//
// A compute shader as SPIR-V text, built from pieces that declare what they need. It contains
// nothing that its case does not use, so that people can read it and send it with a bug report.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compare/shaders/storage.hpp"

namespace coopvk::compare {

class ModuleText {
 public:
    explicit ModuleText(uint32_t workgroupSize) : workgroupSize_(workgroupSize) {}

    void capability(std::string_view name) { capabilities_.insert(std::string(name)); }
    void extension(std::string_view name) { extensions_.insert(std::string(name)); }
    void decorate(std::string_view text) { decorations_ += std::string(text) + "\n"; }
    void line(std::string_view text) { body_ += std::string(text) + "\n"; }
    // A complete function other than main.
    void function(std::string_view text) { functions_ += text; }
    // Adds "%NAME = TEXT" to types and constants, once. Returns "%NAME".
    std::string declare(std::string_view name, std::string_view text);
    // A fresh id for the body.
    std::string fresh(std::string_view prefix) {
        return "%" + std::string(prefix) + std::to_string(++fresh_);
    }

    // Ids of types and constants.
    std::string scalar(Component type);     // for packed and fp8 components what holds them
    std::string component(Component type);  // of a matrix
    std::string u32() { return scalar(VK_COMPONENT_TYPE_UINT32_KHR); }
    std::string constant(uint32_t value);
    std::string constant(Component type, uint64_t bits);
    std::string pointer(std::string_view storage, std::string_view type);  // type: "%f16"
    std::string glsl();  // the extended instruction set

    // A storage buffer with a runtime array of elements; an array in shared memory; and an array
    // behind an address in the push constants.
    struct Array {
        Storage storage;
        std::string id;       // pointer to the block or to the array
        std::string element;  // id of the type
        uint32_t bytes;       // of an element
    };
    Array buffer(uint32_t binding, const Element& element);
    Array shared(std::string_view name, const Element& element, uint32_t length);
    // Push constant `index` contains the address. Call this before any body that uses it.
    Array address(uint32_t index, const Element& element);

    // Pointers to an element and to the whole array, in the body.
    std::string elementPointer(const Array& array, const std::string& index);
    std::string arrayPointer(const Array& array);
    std::string load(const Array& array, const std::string& index);
    void store(const Array& array, const std::string& index, const std::string& value);
    // Memory operands that an access to a matrix or vector in such an array needs.
    static std::string memoryOperands(const Array& array);
    // target[i] = source[i] for i below count, by the whole workgroup.
    void copy(const Array& target, const Array& source, uint32_t count);
    void barrier();
    std::string lane();        // LocalInvocationIndex, loaded at the head of main
    std::string invocation();  // GlobalInvocationID.x
    std::string variable(std::string_view name, const std::string& type);  // of main
    // for (i = first; i < end; i += step) { body(i) }
    template <typename Body>
    void loop(const std::string& first, const std::string& end, const std::string& step,
              Body&& body) {
        const Loop l = beginLoop(first, end);
        body(l.index);
        endLoop(l, step);
    }

    std::string text() const;

 private:
    struct Loop {
        std::string index, variable, head, next, merge;
    };
    Loop beginLoop(const std::string& first, const std::string& end);
    void endLoop(const Loop& loop, const std::string& step);
    std::string input(std::string_view name, std::string_view builtIn, std::string_view type);
    // Returns the element's id; "%block_..." with the same name is the block.
    std::string elementBlock(const Element& element);
    std::string elementType(const Element& element);

    uint32_t workgroupSize_;
    int fresh_ = 0;
    std::set<std::string> capabilities_, extensions_, declared_;
    std::string imports_, decorations_, declarations_, variables_, head_, body_, functions_;
    std::vector<std::string> interface_;
    std::vector<std::string> addressTypes_;  // of the push constants
};

}  // namespace coopvk::compare

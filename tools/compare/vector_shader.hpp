// SPDX-License-Identifier: Apache-2.0
//
// Shaders over cooperative vectors: each invocation has vectors of its own, which lie in buffers
// one after the other.
#pragma once

#include "block.hpp"
#include "module_text.hpp"
#include "plan.hpp"

namespace coopvk::compare {

// One workgroup of so many invocations runs each case.
inline constexpr uint32_t kInvocations = 32;

// `count` components for each of so many invocations, at 16 bytes' alignment.
Block vectorsOf(Component type, uint32_t count, uint32_t invocations = kInvocations);

class VectorShader {
 public:
    VectorShader();

    std::string type(Component component, uint32_t count);
    // An invocation's vector of such a block.
    std::string load(const ModuleText::Array& array, Component component, uint32_t count,
                     const Block& block);
    void store(const ModuleText::Array& array, const std::string& vector, const Block& block);
    // "%r = OPCODE %TYPE OPERANDS"
    std::string apply(std::string_view opcode, const std::string& type, std::string_view operands);
    // Only two of three invocations run what `body` writes; the others keep zeros.
    template <typename Body>
    std::string diverging(const std::string& resultType, Body&& body) {
        const Branch branch = beginBranch(resultType);
        endBranch(branch, body());
        return apply("OpLoad", resultType, branch.variable);
    }
    // The same without a result.
    template <typename Body>
    void divergingAction(Body&& body) {
        const Branch branch = beginBranch({});
        body();
        endBranch(branch, {});
    }

    ModuleText& text() { return text_; }
    ModuleText::Array array(Storage storage, uint32_t binding, uint32_t address, Component type);

 private:
    struct Branch {
        std::string variable, merge;
    };
    Branch beginBranch(const std::string& resultType);
    void endBranch(const Branch& branch, const std::string& result);
    std::string offsetOf(const Block& block);

    ModuleText text_;
};

// An invocation that takes part where they diverge.
inline bool takesPart(uint32_t invocation) { return invocation % 3 != 1; }

}  // namespace coopvk::compare

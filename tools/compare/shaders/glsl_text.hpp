// SPDX-License-Identifier: Apache-2.0
//
// A compute shader in GLSL, built from pieces that declare what they need. module_text.hpp does the
// same for SPIR-V.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compare/shaders/storage.hpp"

namespace coopvk::compare {

// "float16_t", and "gl_ComponentTypeFloat16NV"; packed and fp8 types have no scalar of their own.
std::string glslScalar(Component type);
std::string_view glslComponentType(Component type);
// "float16_t(1.5)"
std::string glslConstant(Component type, uint64_t bits);

class GlslText {
 public:
    explicit GlslText(uint32_t workgroupSize);

    void extension(const std::string& name, const std::string& behaviour = "require") {
        extensions_.insert(name + " : " + behaviour);
    }
    // Ahead of main; each declaration once.
    void declare(std::string_view text);
    void line(std::string_view text) {
        body_ += std::string(4 * depth_, ' ') + std::string(text) + "\n";
    }
    // "HEAD {" until close.
    void open(std::string_view head) {
        line(std::string(head) + " {");
        ++depth_;
    }
    void close() {
        --depth_;
        line("}");
    }

    // Names of arrays in storage buffers, in shared memory, and at an address in the push
    // constants, in the order of their index.
    std::string buffer(uint32_t binding, const Element& element);
    std::string shared(uint32_t index, const Element& element, uint32_t length);
    std::string address(uint32_t index, const Element& element);
    // target[i] = source[i] for i below count, by the whole workgroup.
    void copy(const std::string& target, const std::string& source, uint32_t count);

    std::string text() const;

 private:
    uint32_t workgroupSize_;
    size_t depth_ = 1;
    std::set<std::string> extensions_;
    std::string declarations_, pushConstants_, body_;
};

}  // namespace coopvk::compare

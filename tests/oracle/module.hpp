// SPDX-License-Identifier: Apache-2.0
//
// Text of compute shaders with storage buffers. Types and constants of the same text are one.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "formats.hpp"

namespace coopvk::oracle {

using Id = std::string;

class Module {
 public:
    explicit Module(uint32_t invocations);

    void capability(std::string_view name, std::string_view extension = "");
    void mode(const std::string& text);  // "RoundingModeRTZ 16"
    void decorate(const std::string& text) { decorations_ += "OpDecorate " + text + "\n"; }
    void memberOffset(const Id& block) {
        decorations_ += "OpMemberDecorate " + block + " 0 Offset 0\n";
    }
    void usesAddresses();  // of PhysicalStorageBuffer

    Id type(const std::string& text);  // "OpTypeVector %7 2"
    Id scalar(const Format& format);
    Id pointer(const std::string& storageClass, const Id& type);
    Id constant(const Id& type, const std::string& value);
    Id u32(uint64_t value) { return constant(scalar(kU32), std::to_string(value)); }
    Id vector(const Id& type, uint32_t components);
    Id array(const Id& type, uint32_t length);
    Id builtIn(const std::string& name);  // of u32, or of its first component
    // Each buffer is an array of one type, with its bytes as stride.
    Id element(uint32_t binding, const Id& type, uint32_t bytes, const Id& index);
    Id wholeArray(uint32_t binding, const Id& type, uint32_t bytes);

    Id local(const Id& type);  // a variable of main()

    // Instructions of main(): value("OpFAdd %3 %4 %5") gives an id.
    Id value(const std::string& text);
    void instruction(const std::string& text) { body_ += text + "\n"; }
    // A function of the module; `text` has its body, from its parameters to its end.
    Id function(const Id& result, const std::vector<Id>& parameters, const std::string& body);
    Id name() { return "%v" + std::to_string(++ids_); }

    // Elements of a buffer of 32-bit words: word `index`, or two at 2 * index.
    Id load(uint32_t binding, const Format& format, const Id& index);
    void store(uint32_t binding, const Format& format, const Id& index, const Id& value);

    std::string text() const;

 private:
    struct Buffer {
        Id variable, array;
    };
    const Buffer& buffer(uint32_t binding, const Id& type, uint32_t bytes);
    Id loadWord(uint32_t binding, const Id& index);
    void storeWord(uint32_t binding, const Id& index, const Id& value);
    Id narrowed(const Format& format, const Id& value);

    uint32_t invocations_, ids_ = 0;
    bool hasAddresses_ = false;
    std::set<std::string> capabilities_, extensions_;
    std::string modes_, decorations_, declarations_, body_, functions_, interface_, variables_;
    std::map<std::string, Id> declared_;
    std::map<uint32_t, Buffer> buffers_;
};

}  // namespace coopvk::oracle

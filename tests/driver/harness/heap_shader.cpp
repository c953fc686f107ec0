// SPDX-License-Identifier: Apache-2.0
#include "heap_shader.hpp"

#include <algorithm>
#include <format>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string_view>

namespace coopvk::test {
namespace {

using Tokens = std::vector<std::string>;

Tokens tokensOf(const std::string& line) {
    std::istringstream in(line);
    Tokens tokens;
    for (std::string token; in >> token;) tokens.push_back(token);
    tokens.resize(std::max<size_t>(tokens.size(), 7));
    return tokens;
}

struct MaskBit {
    std::string_view name;
    uint32_t bit;
};
constexpr MaskBit kMaskBits[] = {{"None", 0},
                                 {"Aligned", 0x2},
                                 {"MakePointerAvailable", 0x8},
                                 {"MakePointerVisible", 0x10},
                                 {"NonPrivatePointer", 0x20}};
constexpr MaskBit kTensorBits[] = {{"None", 0}, {"TensorView", 0x1}, {"DecodeFunc", 0x2}};

// "!<number>" for names with | between them; the text itself if it is something else.
std::string rawMask(const std::string& text, std::span<const MaskBit> bits) {
    if (text.empty()) return text;
    uint32_t mask = 0;
    std::istringstream in(text);
    for (std::string name; std::getline(in, name, '|');) {
        const auto found = std::ranges::find(bits, name, &MaskBit::name);
        if (found == bits.end()) return text;
        mask |= found->bit;
    }
    return std::format("!{}", mask);
}

// The assembler of SPIRV-Tools 2026.4 reads no memory operands of tensors but None.
Tokens withRawMasks(Tokens tokens) {
    const bool isLoad = tokens[2] == "OpCooperativeMatrixLoadTensorNV";
    if (!isLoad && tokens[0] != "OpCooperativeMatrixStoreTensorNV") return tokens;
    const size_t memory = isLoad ? 7 : 4;
    tokens[memory] = rawMask(tokens[memory], kMaskBits);
    for (size_t i = memory + 1; i < tokens.size(); ++i) tokens[i] = rawMask(tokens[i], kTensorBits);
    return tokens;
}

class HeapText {
 public:
    HeapText(const std::string& text, const HeapArray& array) : array_(array) {
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);)
            lines_.push_back(withRawMasks(tokensOf(line)));
        for (const Tokens& t : lines_) survey(t);
    }

    std::string converted() const {
        std::string out;
        bool hasTypes = false, hasFunctions = false;
        for (const Tokens& t : lines_) {
            if (!hasTypes && t[1] == "=" && t[2].starts_with("OpType")) {
                hasTypes = true;
                out += decorations();
            }
            if (!hasFunctions && t[2] == "OpFunction") {
                hasFunctions = true;
                out += declarations();
            }
            out += converted(t);
        }
        return out;
    }

 private:
    void survey(const Tokens& t) {
        if (t[2] == "OpTypePointer") pointees_[t[0]] = t[4];
        if (t[2] == "OpUntypedAccessChainKHR") indices_[t[0]] = t[6];
        if (t[2] == "OpTypeBufferEXT") buffer_ = t[0];
        if (t[2] == "OpBufferPointerEXT") {
            pointers_.insert(t[3]);
            gone_.insert(t[0]);  // its decorations
            bufferPointers_.insert(t[0]);
        }
        if (isOfHeap(t)) gone_.insert(t[0]);
    }

    bool isOfHeap(const Tokens& t) const {
        for (const char* opcode :
             {"OpUntypedAccessChainKHR", "OpTypeUntypedPointerKHR", "OpUntypedVariableKHR",
              "OpTypeBufferEXT", "OpConstantSizeOfEXT"}) {
            if (t[2] == opcode) return true;
        }
        return t[2] == "OpTypeRuntimeArray" && t[3] == buffer_;
    }

    static bool isLacking(const Tokens& t) {
        static const std::set<std::string> names = {"DescriptorHeapEXT",
                                                    "UntypedPointersKHR",
                                                    "Shader64BitIndexingEXT",
                                                    "\"SPV_EXT_descriptor_heap\"",
                                                    "\"SPV_KHR_untyped_pointers\"",
                                                    "\"SPV_EXT_shader_64bit_indexing\""};
        if (t[0] == "OpExecutionMode") return names.contains(t[2]);
        return (t[0] == "OpCapability" || t[0] == "OpExtension") && names.contains(t[1]);
    }

    static std::string variable(const std::string& pointer) { return "%heap_" + pointer.substr(1); }

    std::string decorations() const {
        std::string out;
        for (const std::string& pointer : pointers_) {
            out += std::format(
                "OpDecorate {0} DescriptorSet 0\nOpDecorate {0} Binding {1}\n"
                "OpDecorate {0} Aliased\n",
                variable(pointer), array_.binding);
        }
        // A heap's buffers may differ between lanes; an array's may so only with this decoration.
        for (const std::string& pointer : bufferPointers_) {
            out += std::format("OpDecorate {} NonUniform\n", pointer);
        }
        return out;
    }

    std::string declarations() const {
        std::string out = std::format("%heap_size = OpConstant %uint {}\n", array_.count);
        for (const std::string& pointer : pointers_) {
            out += std::format(
                "{0}_array = OpTypeArray {1} %heap_size\n"
                "{0}_pointer = OpTypePointer StorageBuffer {0}_array\n"
                "{0} = OpVariable {0}_pointer StorageBuffer\n",
                variable(pointer), pointees_.at(pointer));
        }
        return out;
    }

    std::string converted(const Tokens& t) const {
        if (isOfHeap(t) || (t[1] != "=" && gone_.contains(t[1]))) return "";
        if (t[2] == "OpBufferPointerEXT") {
            return std::format("{} = OpAccessChain {} {} {}\n", t[0], t[3], variable(t[3]),
                               indices_.at(t[4]));
        }
        if (isLacking(t)) return "";
        std::string line;
        for (const std::string& token : t) {
            if (t[0] == "OpEntryPoint" && gone_.contains(token)) continue;
            line += token + " ";
        }
        if (t[0] != "OpEntryPoint") return line + "\n";
        for (const std::string& pointer : pointers_) line += variable(pointer) + " ";
        return line + "\n";
    }

    HeapArray array_;
    std::vector<Tokens> lines_;
    std::map<std::string, std::string> pointees_, indices_;
    std::set<std::string> pointers_, gone_, bufferPointers_;
    std::string buffer_;
};

}  // namespace

Words heapAsArray(const Words& words, const HeapArray& array) {
    return assemble(
        "OpCapability StorageBufferArrayDynamicIndexing\n"
        "OpCapability ShaderNonUniform\n"
        "OpCapability StorageBufferArrayNonUniformIndexing\n" +
        HeapText(disassemble(words), array).converted());
}

}  // namespace coopvk::test

// SPDX-License-Identifier: Apache-2.0
//
// Disassembly, also with the numbers of lines, and validation by SPIRV-Tools.
#include <spirv-tools/libspirv.h>

#include <map>
#include <spirv-tools/libspirv.hpp>
#include <string_view>

#include "coopvk/rewrite.hpp"
#include "ir/opcodes.hpp"
#include "ir/tools_reserve.hpp"

namespace coopvk::rewrite {

std::string disassemble(std::span<const uint32_t> words) noexcept {
    try {
        std::string text;
        const ToolsReserve reserve(ToolsReserve::Work::kDisassemble, words.size());
        const spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
        constexpr uint32_t kOptions = SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES |
                                      SPV_BINARY_TO_TEXT_OPTION_INDENT |
                                      SPV_BINARY_TO_TEXT_OPTION_COMMENT;
        tools.Disassemble(words.data(), words.size(), &text, kOptions);
        return text;
    } catch (...) {
        return {};
    }
}

namespace {

// With names, which take a tenth of the time, messages are easier to read.
bool isValid(std::span<const uint32_t> words, bool withNames, std::string& message) {
    ToolsReserve reserve(ToolsReserve::Work::kValidate, words.size());
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_4);
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t& at, const char* text) {
            message += "word " + std::to_string(at.index) + ": " + text + "\n";
        });
    spvtools::ValidatorOptions options;
    options.SetFriendlyNames(withNames);
    // Words alone do not tell which of these features are enabled: allow them.
    options.SetScalarBlockLayout(true);
    options.SetWorkgroupScalarBlockLayout(true);
    options.SetAllowLocalSizeId(true);
    return tools.Validate(words.data(), words.size(), options);
}

}  // namespace

std::optional<std::string> validate(std::span<const uint32_t> words) noexcept {
    try {
        std::string unnamed, message;
        if (isValid(words, false, unnamed)) return std::nullopt;
        isValid(words, true, message);
        return message.empty() ? "spirv-val rejects the module" : message;
    } catch (...) {
        return "out of memory";
    }
}

namespace {

using Words = std::vector<uint32_t>;
using Span = std::span<const uint32_t>;

// Instructions of a function before which no line may be, or which do nothing.
bool hasNoLine(spv::Op opcode) {
    return isVariable(opcode) ||
           isOneOf(opcode, {OpFunction, OpFunctionParameter, OpFunctionEnd, OpLabel, OpPhi});
}

// Puts lines into a copy of a module.
class Liner {
 public:
    explicit Liner(Span words) : words_(words) {}

    Words run() {
        bool inFunctions = false, hasLines = false;
        forEach([&](spv::Op opcode, Span instruction) {
            hasLines |= opcode == OpLine;
            inFunctions |= opcode == OpFunction;
            if (sectionOf(opcode) < Section::kDebug) {
                stringsAt_ = positionOf(instruction) + instruction.size();
            }
            if (inFunctions && !hasNoLine(opcode)) files_.emplace(opcode, 0);
        });
        if (hasLines || stringsAt_ == 0) return {words_.begin(), words_.end()};
        return write();
    }

 private:
    template <typename Visit>
    void forEach(Visit visit) {
        anyInstruction(words_.subspan(kHeaderWords), [&](spv::Op opcode, Span instruction) {
            visit(opcode, instruction);
            return false;
        });
    }
    size_t positionOf(Span instruction) const {
        return static_cast<size_t>(instruction.data() - words_.data());
    }

    Words write() {
        Words out(words_.begin(), words_.begin() + static_cast<ptrdiff_t>(stringsAt_));
        uint32_t& bound = out[3];
        std::vector<uint32_t> strings;
        for (auto& [opcode, id] : files_) {
            id = bound++;
            const Operands name =
                stringOperands(std::string("input Op") +
                               spvOpcodeString(static_cast<uint32_t>(opcode)) + ", word");
            strings.insert(strings.end(), {firstWord(OpString, 2 + name.size()), id});
            for (const Operand& characters : name) strings.push_back(characters.word);
        }
        out.insert(out.end(), strings.begin(), strings.end());
        bool inFunctions = false, isBehindMerge = false;
        forEach([&](spv::Op opcode, Span instruction) {
            const size_t position = positionOf(instruction);
            if (position < stringsAt_) return;
            inFunctions |= opcode == OpFunction;
            if (inFunctions && !isBehindMerge && !hasNoLine(opcode)) {
                out.insert(out.end(), {firstWord(OpLine, 4), files_[opcode],
                                       static_cast<uint32_t>(position), 0});
            }
            isBehindMerge = opcode == OpSelectionMerge || opcode == OpLoopMerge;
            out.insert(out.end(), instruction.begin(), instruction.end());
        });
        return out;
    }

    Span words_;
    size_t stringsAt_ = 0;               // the end of the sections ahead of strings
    std::map<spv::Op, uint32_t> files_;  // OpString ids by opcode
};

}  // namespace

std::vector<uint32_t> withLines(std::span<const uint32_t> words) {
    if (words.size() < kHeaderWords || words[0] != spv::MagicNumber)
        return {words.begin(), words.end()};
    return Liner(words).run();
}

}  // namespace coopvk::rewrite

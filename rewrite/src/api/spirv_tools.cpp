// SPDX-License-Identifier: Apache-2.0
//
// Disassembly, also with the numbers of lines, and validation by SPIRV-Tools.
#include <spirv-tools/libspirv.h>

#include <map>
#include <spirv-tools/libspirv.hpp>
#include <string_view>

#include "coopvk/rewrite.hpp"
#include "ir/instruction.hpp"
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

std::optional<std::string> validate(std::span<const uint32_t> words) noexcept {
    try {
        std::string message;
        ToolsReserve reserve(ToolsReserve::Work::kValidate, words.size());
        spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_4);
        tools.SetMessageConsumer(
            [&](spv_message_level_t, const char*, const spv_position_t& at, const char* text) {
                message += "word " + std::to_string(at.index) + ": " + text + "\n";
            });
        spvtools::ValidatorOptions options;
        // Words alone do not tell which of these features are enabled: allow them.
        options.SetScalarBlockLayout(true);
        options.SetWorkgroupScalarBlockLayout(true);
        options.SetAllowLocalSizeId(true);
        if (tools.Validate(words.data(), words.size(), options)) return std::nullopt;
        return message.empty() ? "spirv-val rejects the module" : message;
    } catch (...) {
        return "out of memory";
    }
}

namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t kLine = static_cast<uint32_t>(OpLine) | 4u << spv::WordCountShift;

void appendString(Words& out, uint32_t id, std::string_view text) {
    const size_t characters = out.size() + 2;
    out.resize(characters + text.size() / 4 + 1);  // with a zero behind the text
    out[characters - 2] = static_cast<uint32_t>(OpString) |
                          static_cast<uint32_t>(out.size() - characters + 2) << spv::WordCountShift;
    out[characters - 1] = id;
    for (size_t i = 0; i < text.size(); ++i)
        out[characters + i / 4] |= uint32_t{static_cast<uint8_t>(text[i])} << i % 4 * 8;
}

bool isHead(spv::Op opcode) {
    return opcode == OpMemoryModel || opcode == OpEntryPoint || opcode == OpExecutionMode ||
           opcode == OpExecutionModeId;
}

// Instructions before which no line may be, or which do nothing.
bool hasNoLine(spv::Op opcode) {
    return opcode == OpFunction || opcode == OpFunctionParameter || opcode == OpFunctionEnd ||
           opcode == OpLabel || opcode == OpPhi || opcode == OpVariable ||
           opcode == OpUntypedVariableKHR;
}

// What a module has, and its copy with lines.
class Liner {
 public:
    explicit Liner(std::span<const uint32_t> words) : words_(words) {}

    Words run() {
        bool functions = false;
        each([&](spv::Op opcode, std::span<const uint32_t> all) {
            hasLines_ |= opcode == OpLine;
            functions |= opcode == OpFunction;
            if (isHead(opcode)) headEnd_ = at(all) + all.size();
            if (functions && !hasNoLine(opcode)) files_.emplace(opcode, 0);
        });
        if (hasLines_ || headEnd_ == 0) return {words_.begin(), words_.end()};
        return write();
    }

 private:
    template <typename F>
    void each(F&& f) {
        anyInstruction(words_.subspan(kHeaderWords), [&](spv::Op opcode, auto all) {
            f(opcode, all);
            return false;
        });
    }
    size_t at(std::span<const uint32_t> all) const {
        return static_cast<size_t>(all.data() - words_.data());
    }

    Words write() {
        Words out(words_.begin(), words_.begin() + static_cast<ptrdiff_t>(headEnd_));
        for (auto& [opcode, id] : files_) {
            id = out[3]++;  // the bound of ids
            appendString(out, id,
                         std::string("input Op") + spvOpcodeString(static_cast<uint32_t>(opcode)) +
                             ", word");
        }
        bool functions = false, merged = false;
        each([&](spv::Op opcode, std::span<const uint32_t> all) {
            if (at(all) < headEnd_) return;
            functions |= opcode == OpFunction;
            if (functions && !merged && !hasNoLine(opcode))
                out.insert(out.end(), {kLine, files_[opcode], static_cast<uint32_t>(at(all)), 0});
            merged = opcode == OpSelectionMerge || opcode == OpLoopMerge;
            out.insert(out.end(), all.begin(), all.end());
        });
        return out;
    }

    std::span<const uint32_t> words_;
    size_t headEnd_ = 0;
    bool hasLines_ = false;
    std::map<spv::Op, uint32_t> files_;  // OpString ids by opcode
};

}  // namespace

std::vector<uint32_t> withLines(std::span<const uint32_t> words) {
    if (words.size() < kHeaderWords || words[0] != spv::MagicNumber)
        return {words.begin(), words.end()};
    return Liner(words).run();
}

}  // namespace coopvk::rewrite

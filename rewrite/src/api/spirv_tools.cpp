// SPDX-License-Identifier: Apache-2.0
//
// Disassembly and validation by SPIRV-Tools.
#include <spirv-tools/libspirv.hpp>

#include "coopvk/rewrite.hpp"
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

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "compare/run/side.hpp"

#include <algorithm>
#include <spirv-tools/libspirv.hpp>
#include <stdexcept>

namespace coopvk::compare {

std::vector<uint32_t> assemble(const std::string& text) {
    std::string log;
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    tools.SetMessageConsumer(
        [&](spv_message_level_t, const char*, const spv_position_t& at, const char* message) {
            log += "line " + std::to_string(at.line + 1) + ": " + message + "; ";
        });
    std::vector<uint32_t> words;
    if (!tools.Assemble(text, &words)) throw std::runtime_error("the case's shader: " + log);
    return words;
}

void checkSurroundings(const Plan& plan, const Bytes& after) {
    const Block& block = plan.result;
    const Bytes& before = plan.buffers[plan.output];
    Bytes masked = after;
    for (uint32_t r = 0; r < block.rows; ++r)
        for (uint32_t c = 0; c < block.columns; ++c) {
            const size_t at = block.at(r, c);
            std::copy_n(before.begin() + static_cast<ptrdiff_t>(at), info(block.component).bytes(),
                        masked.begin() + static_cast<ptrdiff_t>(at));
        }
    for (size_t i = 0; i < masked.size(); ++i)
        if (masked[i] != before[i])
            throw std::runtime_error("wrote byte " + std::to_string(i) +
                                     " of the result's buffer, where no element lies");
}

}  // namespace coopvk::compare

// SPDX-License-Identifier: Apache-2.0
//
// A program in the debugger.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <spirv/unified1/spirv.hpp11>

#include "coopvk_reference/buffers.hpp"
#include "coopvk_reference/debugger.hpp"
#include "shader_text.hpp"

namespace coopvk::reference::test {

// A program of 4 lanes with its memory.
struct Debuggee {
    explicit Debuggee(const ShaderText& text) : Debuggee(shader(text)) {}
    explicit Debuggee(const std::string& text, Choice placement = Choice::kPlain) {
        settings.subgroupSize = 4;
        settings.placement = placement;
        const std::vector<uint32_t> words = assemble(text);
        auto made = makeProgram({.words = words, .subgroupSize = 4, .placement = placement});
        EXPECT_TRUE(made) << (made ? "" : made.error().message);
        if (made) program = *made;
    }
    // Executes from the start: calls `stopped` where it is held.
    void run(Debugger::Stopped stopped, std::vector<StopRule> rules = {}, Resume first = {},
             Touches watched = {}) {
        out.assign(32, 0);
        BufferList buffers;
        buffers.add(0, 0, 0, {reinterpret_cast<std::byte*>(in.data()), in.size() * 4});
        buffers.add(0, 1, 0, {reinterpret_cast<std::byte*>(out.data()), out.size() * 4});
        debugger.emplace(std::move(stopped));
        debugger->rules = std::move(rules);
        debugger->watched = std::move(watched);
        const auto status =
            debugger->run(*program, {.groups = {groups, 1, 1}}, buffers, settings, first);
        error = status ? "" : status.error().message;
    }
    // Each instruction that gives an id, by its opcode; the last one counts.
    std::map<spv::Op, uint32_t> ids() {
        std::map<spv::Op, uint32_t> found;
        run(
            [&](const Stop& stop) {
                found[spv::Op(stop.at.opcode())] = stop.at.resultId();
                return Resume{Resume::Until::kInstruction};
            },
            {}, {Resume::Until::kNumber, 1});
        return found;
    }

    std::shared_ptr<const Program> program;
    Settings settings;
    uint32_t groups = 1;
    std::vector<uint32_t> in = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, out;
    std::optional<Debugger> debugger;
    std::string error;
};

}  // namespace coopvk::reference::test

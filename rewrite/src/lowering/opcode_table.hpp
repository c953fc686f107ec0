// SPDX-License-Identifier: Apache-2.0
//
// Which instructions a lowering takes, by opcode, and the walk through a function that hands them
// to it.
#pragma once

#include <concepts>
#include <type_traits>

#include "lowering/function_writer.hpp"

namespace coopvk::rewrite {

// A function that is being lowered.
template <typename ContextType, typename WriterType = FunctionWriter>
struct FunctionLowering {
    using Context = ContextType;
    using Writer = WriterType;

    FunctionLowering(Context& theContext, Function& theFunction)
        : context(theContext), writer(theContext, theFunction) {}

    Emitter& emit() { return writer.emit(); }

    Context& context;
    Writer writer;
};

// `Lowering` derives from FunctionLowering. What lowers an instruction takes it last; ahead of it
// it takes the Lowering, or the context and the writer, or the context and the emitter. It returns
// false where the instruction stays, perhaps changed in place; nothing where none does.
template <typename Lowering>
class OpcodeTable {
 public:
    // The last row of an opcode counts.
    template <auto Lower>
    void add(std::span<const spv::Op> opcodes) {
        for (const spv::Op opcode : opcodes) rows_[opcode] = &call<Lower>;
    }
    template <auto Lower>
    void add(std::initializer_list<spv::Op> opcodes) {
        add<Lower>(std::span(opcodes.begin(), opcodes.size()));
    }

    // Puts what its instructions are lowered to in the place of a function's blocks. Stops at the
    // first error, which context.error has.
    void lower(Lowering& lowering, Function& function) const {
        for (const auto& block : function.blocks) {
            lowering.writer.beginBlock(*block);
            for (InstructionPtr& instruction : block->body) {
                const bool stays = !lowerOne(lowering, *instruction);
                if (stays) lowering.context.checkKept(*instruction);
                if (lowering.context.error) return;
                if (stays) {
                    lowering.writer.keep(std::move(instruction));
                } else {
                    lowering.context.module.retire(std::move(instruction));
                }
            }
            lowering.writer.endBlock();
        }
        lowering.writer.finish();
    }

 private:
    using Row = bool (*)(Lowering&, Instruction&);

    bool lowerOne(Lowering& lowering, Instruction& instruction) const {
        const auto row = rows_.find(instruction.opcode);
        return row != rows_.end() && row->second(lowering, instruction);
    }

    template <auto Lower>
    static bool call(Lowering& lowering, Instruction& instruction) {
        using Context = typename Lowering::Context;
        using Writer = typename Lowering::Writer;
        const auto run = [&]() -> decltype(auto) {
            if constexpr (std::invocable<decltype(Lower), Lowering&, Instruction&>) {
                return Lower(lowering, instruction);
            } else if constexpr (std::invocable<decltype(Lower), Context&, Writer&, Instruction&>) {
                return Lower(lowering.context, lowering.writer, instruction);
            } else {
                return Lower(lowering.context, lowering.emit(), instruction);
            }
        };
        if constexpr (std::is_void_v<decltype(run())>) {
            run();
            return true;
        } else {
            return run();
        }
    }

    std::unordered_map<spv::Op, Row> rows_;
};

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
//
// Rewrites one function block by block. New instructions go to the current block, which control
// flow splits; a loop header must not be its loop's continue target (passes/whole_module.hpp).
// Values that are constant in the function, such as the lane number, are computed in a prologue in
// the entry block.
#pragma once

#include <concepts>
#include <type_traits>

#include "lowering/context.hpp"

namespace coopvk::rewrite {

class FunctionWriter : private ControlFlow {
 public:
    FunctionWriter(LoweringContext& context, Function& function);

    using ControlFlow::emit;
    using ControlFlow::label;
    using ControlFlow::variable;

    // Begins the new version of a block. The caller visits its old instructions.
    void beginBlock(Block& block);
    // Appends an instruction of the old block unchanged.
    void keep(InstructionPtr instruction);
    void endBlock();

    // Executes `body` only if the boolean is true (0: always). Splits the current block. Later code
    // must not use values that the body defines.
    void guarded(Id condition, const std::function<void()>& body);

    // As guarded(): executes one of two bodies, or computes a value of `type` in one of two ways.
    void chosen(Id condition, const std::function<void()>& then,
                const std::function<void()>& otherwise);
    Id chosenValue(Id type, Id condition, const std::function<Id()>& then,
                   const std::function<Id()>& otherwise);

    // As guarded(): a loop with body(index), a u32 that runs from 0 to count - 1.
    void repeated(uint32_t count, const std::function<void(Id index)>& body,
                  spv::LoopControlMask control = spv::LoopControlMask::MaskNone);

    Id lane();  // SubgroupLocalInvocationId as a u32, read in the prologue

    // Replaces the function's blocks by the new ones.
    void finish();

 protected:
    LoweringContext& context() { return context_; }
    // Instructions at the start of the function.
    InstructionList& prologue() { return prologue_; }
    // Returns what make(emitter) emits into the prologue; calls it once for each key.
    template <typename Make>
    Id once(std::pair<int, uint32_t> key, Make make) {
        Id& value = prologueValues_[key];
        Emitter prologue(context_.types, prologue_);
        return value != 0 ? value : value = make(prologue);
    }

 private:
    struct SampledImage {
        Id result = 0;  // of the last copy
        Id part = 0;    // the label of the block that has it
    };

    void splitLoopHeader();
    void repeatSampledImages(Instruction& user);
    void updatePhis();

    LoweringContext& context_;
    Function& function_;
    InstructionList prologue_;
    std::map<std::pair<int, uint32_t>, Id> prologueValues_;
    std::map<Id, Id> lastPartOf_;               // label of an old block -> label of its last part
    std::map<Id, SampledImage> sampledImages_;  // of the current block
    Id current_ = 0;                            // label of the old block being rewritten
    Block* header_ = nullptr;   // first part of the current block, if it is a loop header
    InstructionPtr loopMerge_;  // its OpLoopMerge, until the header is split or ends
};

// A table of the functions that lower instructions, by opcode, and the lowering of a function by
// it.

// What lowering one function needs. Lowerings derive from it.
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

// `Lowering` derives from FunctionLowering. A function in the table has parameters (Lowering,
// Instruction), (context, writer, Instruction) or (context, emitter, Instruction). It returns false
// if the instruction stays, perhaps changed in place, and true or void if it has been replaced.
template <typename Lowering>
class OpcodeTable {
 public:
    // A later row of an opcode replaces an earlier one.
    template <auto Lower>
    void add(std::span<const spv::Op> opcodes) {
        for (const spv::Op opcode : opcodes) rows_[opcode] = &call<Lower>;
    }
    template <auto Lower>
    void add(std::initializer_list<spv::Op> opcodes) {
        add<Lower>(std::span(opcodes.begin(), opcodes.size()));
    }

    // Lowers the instructions of a function and replaces its blocks. Stops at the first error,
    // which is in context.error.
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

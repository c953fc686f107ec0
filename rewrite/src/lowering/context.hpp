// SPDX-License-Identifier: Apache-2.0
//
// What all lowerings use: the module, the target, the functions that they add, and the first error.
// The lowerings of matrices, vectors and so on derive their contexts from it.
#pragma once

#include <concepts>
#include <format>
#include <map>
#include <string_view>
#include <type_traits>

#include "ir/calls.hpp"
#include "ir/control_flow.hpp"
#include "ir/emitter.hpp"
#include "ir/opcodes.hpp"
#include "lowering/place.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

// What lowering takes from the workgroup: built-ins, shared memory, barriers.

// Load built-ins as u32: SubgroupLocalInvocationId, SubgroupId, SubgroupSize, LocalInvocationIndex.
Id readLane(Emitter& emit);
Id readSubgroup(Emitter& emit);
Id readSubgroupSize(Emitter& emit);
Id readInvocation(Emitter& emit);
// The number of the workgroup in the dispatch, by WorkgroupId and NumWorkgroups.
Id readWorkgroup(Emitter& emit);
// HelperInvocation, a boolean, as it is now: invocations of fragment shaders may become helpers.
Id readIsHelper(Emitter& emit);

// Shared memory: variables of storage class Workgroup.

// Whether a module with one entry point may declare variables of `bytes` more bytes. False if its
// variables have an explicit layout (hasSharedBlocks()).
bool sharedMemoryHasRoom(const Module& module, uint64_t bytes, const DeviceFeatures& device);

// A control barrier that orders accesses to shared memory. These must have nonPrivateAccess().
void sharedBarrier(Emitter& emit, spv::Scope scope);

// An error that names the instruction that causes it.
inline Error errorAt(ErrorCode code, const Instruction& at, std::string_view what) {
    return {code,
            std::format("instruction {} (result %{}): {}", nameOf(at.opcode), at.result, what)};
}

struct LoweringContext {
    LoweringContext(TypeTable& theTypes, const PlannedTarget& theTarget)
        : module(theTypes.module()),
          types(theTypes),
          target(theTarget),
          hasSharedBlocks(rewrite::hasSharedBlocks(module)),
          views(theTypes) {}
    virtual ~LoweringContext() = default;

    Module& module;
    TypeTable& types;
    const PlannedTarget& target;
    const bool hasSharedBlocks;
    BufferViews views;
    std::map<std::vector<uint32_t>, Id> helpers;  // helper functions by key
    FunctionList newFunctions;
    std::optional<Error> error;

    // Keeps the first error. Lowering goes on until OpcodeTable::lower() checks for it. Returns
    // false, for callers that return this.
    bool fail(ErrorCode code, const Instruction& at, std::string_view what) {
        if (!error) error = errorAt(code, at, what);
        return false;
    }
    // The same, for callers that return nothing.
    void invalid(const Instruction& at, std::string_view what) {
        fail(ErrorCode::kInvalidModule, at, what);
    }
    void unsupported(const Instruction& at, std::string_view what) {
        fail(ErrorCode::kUnsupported, at, what);
    }

    // Whether the table does not lower this instruction, whatever its opcode.
    virtual bool isOfOthers(const Instruction&) const { return false; }

    // Sets an error if the output must not have this instruction, which no row lowered.
    virtual void checkKept(const Instruction&) {}

    // The helper function for a key. make() builds it once and returns its id.
    template <typename Make>
    Id helper(const std::vector<uint32_t>& key, Make make) {
        Id& function = helpers[key];
        return function != 0 ? function : function = make();
    }

    // Those that the module has when this is called first.
    const FunctionsById& functions() {
        return functions_ ? *functions_ : functions_.emplace(module);
    }

    // Moves the new functions to the module.
    void addNewFunctions() {
        for (auto& function : newFunctions) module.functions().push_back(std::move(function));
        newFunctions.clear();
    }

 private:
    std::optional<FunctionsById> functions_;
};

// Lowers the instructions of a function. Values that are constant in the function, such as the lane
// number, are computed in a prologue in the entry block.

class FunctionWriter : public FunctionEditor {
 public:
    FunctionWriter(LoweringContext& context, Function& function)
        : FunctionEditor(context.types, function) {}

    // SubgroupLocalInvocationId as a u32.
    Id lane() {
        Emitter out(emit().types(), prologue());
        if (!lane_) lane_ = readLane(out);
        return *lane_;
    }
    // SubgroupId as a u32.
    Id subgroup() {
        Emitter out(emit().types(), prologue());
        if (!subgroup_) subgroup_ = readSubgroup(out);
        return *subgroup_;
    }

 private:
    std::optional<Id> lane_, subgroup_;
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
    // The same for all functions of the module. `more`: what the lowering takes behind the context.
    template <typename... More>
    void lowerAll(typename Lowering::Context& context, More&... more) const {
        for (const auto& function : context.module.functions()) {
            if (context.error) return;
            Lowering lowering(context, more..., *function);
            lower(lowering, *function);
        }
    }

 private:
    using Row = bool (*)(Lowering&, Instruction&);

    bool lowerOne(Lowering& lowering, Instruction& instruction) const {
        const auto row = rows_.find(instruction.opcode);
        return row != rows_.end() && !lowering.context.isOfOthers(instruction) &&
               row->second(lowering, instruction);
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

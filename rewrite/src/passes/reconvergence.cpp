// SPDX-License-Identifier: Apache-2.0
#include "ir/effects.hpp"
#include "ir/entry_point.hpp"
#include "ir/opcodes.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

bool mayDiverge(spv::Op opcode) { return isOneOf(opcode, {OpBranchConditional, OpSwitch}); }

bool reconverges(const Module& module) {
    using enum spv::ExecutionMode;
    return std::ranges::any_of(
        module.section(Section::kExecutionModes), [](const InstructionPtr& i) {
            return i->opcode == OpExecutionMode &&
                   isOneOf(static_cast<spv::ExecutionMode>(i->word(1)),
                           {SubgroupUniformControlFlowKHR, MaximallyReconvergesKHR});
        });
}

}  // namespace

void declareReconvergence(Module& module, const DeviceFeatures& device, Stage stage,
                          uint32_t subgroupSize) {
    const bool isPossible = device.shaderSubgroupUniformControlFlow &&
                            (device.subgroupStages & static_cast<uint32_t>(stage)) != 0 &&
                            static_cast<uint32_t>(stage) < static_cast<uint32_t>(Stage::kRaygen);
    // Of a workgroup that is one subgroup SPIR-V promises the same.
    if (!isPossible || reconverges(module) || subgroupsOf(module, subgroupSize) == 1) return;
    bool isTangledAnywhere = false, diverges = false;
    module.visitBlocks([&](const Instruction& i) {
        isTangledAnywhere |= (ownEffects(module, i) & kTogether) != 0;
        diverges |= mayDiverge(i.opcode);
    });
    if (!isTangledAnywhere || !diverges) return;
    for (const InstructionPtr& entry : module.section(Section::kEntryPoints)) {
        module.append(
            Section::kExecutionModes,
            makeInstruction(OpExecutionMode, 0, 0,
                            {idOperand(entry->word(1)),
                             literal(spv::ExecutionMode::SubgroupUniformControlFlowKHR)}));
    }
    module.addExtension("SPV_KHR_subgroup_uniform_control_flow");
}

}  // namespace coopvk::rewrite

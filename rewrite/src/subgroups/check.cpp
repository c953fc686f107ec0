// SPDX-License-Identifier: Apache-2.0
//
// Whether the invocations of a workgroup reach each operation on its subgroups together.
#include "ir/entry_point.hpp"
#include "subgroups/lower.hpp"
#include "subgroups/operations.hpp"

namespace coopvk::rewrite {

namespace {

// Instructions on matrices that may become exchanges between lanes.
bool isMatrixOperation(spv::Op opcode) {
    return (opcode >= OpTypeCooperativeMatrixKHR && opcode <= OpCooperativeMatrixLengthKHR &&
            opcode != OpCooperativeMatrixLengthKHR) ||
           (opcode >= OpTypeCooperativeMatrixNV && opcode <= OpCooperativeMatrixPerElementOpNV) ||
           isOneOf(opcode, {OpCooperativeMatrixConvertNV, OpCooperativeMatrixTransposeNV,
                            OpCompositeConstructCoopMatQCOM, OpCompositeExtractCoopMatQCOM});
}

bool isSubgroupBarrier(const Module& module, const Instruction& i) {
    return i.opcode == OpControlBarrier &&
           module.constantValue(i.word(0)) == static_cast<uint64_t>(spv::Scope::Subgroup);
}

bool hasSubgroupMatrices(const Module& module) {
    constexpr auto kWorkgroup = static_cast<uint64_t>(spv::Scope::Workgroup);
    return std::ranges::any_of(module.section(Section::kGlobals), [&](const InstructionPtr& i) {
        const bool isMatrix =
            isOneOf(i->opcode, {OpTypeCooperativeMatrixKHR, OpTypeCooperativeMatrixNV});
        return isMatrix && module.constantValue(i->word(1)) != kWorkgroup;
    });
}

class FlowCheck {
 public:
    FlowCheck(const Module& module, uint32_t lanes)
        : module_(module),
          lanes_(lanes),
          isOneSubgroup_(invocationsOf(module) <= lanes),
          hasMatrices_(hasSubgroupMatrices(module)),
          hasOtherQuads_(module.hasCapability(spv::Capability::ComputeDerivativeGroupQuadsKHR)) {}

    std::optional<Error> run() const {
        bool needs = false;
        module_.visitBlocks([&](const Instruction& i) { needs |= needsAll(i); });
        if (!needs) return std::nullopt;
        const Uniformity uniformity(module_, lanes_);
        for (const auto& function : module_.functions()) {
            for (size_t block = 0; block < function->blocks.size(); ++block) {
                const bool isTogether = uniformity.isTogether(*function, block);
                for (const InstructionPtr& i : function->blocks[block]->body) {
                    if (auto error = check(*i, isTogether)) return error;
                }
            }
        }
        return std::nullopt;
    }

 private:
    bool needsAll(const Instruction& i) const {
        if (isSubgroupOperation(i.opcode)) return true;
        if (isOneSubgroup_) return false;
        return isSubgroupBarrier(module_, i) || (hasMatrices_ && isMatrixOperation(i.opcode));
    }

    std::optional<Error> check(const Instruction& i, bool isTogether) const {
        if (!needsAll(i)) return std::nullopt;
        const auto refuse = [&](std::string_view why) {
            return errorAt(
                ErrorCode::kUnsupported, i,
                std::format("the device has no subgroups of {} lanes, and {}", lanes_, why));
        };
        const bool isLowered = !isSubgroupOperation(i.opcode) || hasSubgroupLowering(i.opcode);
        if (!isLowered || isPartitioned(i)) return refuse("this operation is not emulated");
        if (hasOtherQuads_ && isOfQuads(i.opcode))
            return refuse("quads lie in two dimensions (DerivativeGroupQuadsKHR)");
        if (!isTogether) {
            return refuse(
                "nothing shows that all invocations of a workgroup reach it together, as the "
                "emulation needs it");
        }
        return std::nullopt;
    }

    bool isPartitioned(const Instruction& i) const {
        return SubgroupFunctions::combines(i.opcode) &&
               i.word(1) > static_cast<uint32_t>(spv::GroupOperation::ClusteredReduce);
    }

    static bool isOfQuads(spv::Op opcode) {
        return isOneOf(opcode, {OpGroupNonUniformQuadBroadcast, OpGroupNonUniformQuadSwap,
                                OpGroupNonUniformQuadAllKHR, OpGroupNonUniformQuadAnyKHR});
    }

    const Module& module_;
    const uint32_t lanes_;
    const bool isOneSubgroup_;
    const bool hasMatrices_;
    const bool hasOtherQuads_;
};

}  // namespace

std::optional<Error> checkSubgroupFlow(const Module& module, uint32_t lanes) {
    return FlowCheck(module, lanes).run();
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
//
// Runs the passes in order, and checks between them what must hold.
#include <format>
#include <map>

#include "api/passes.hpp"
#include "ir/instruction.hpp"
#include "ir/opcodes.hpp"
#include "numbers/lower.hpp"
#include "passes/whole_module.hpp"

namespace coopvk::rewrite {

namespace {

// Whether the opcode name of any instruction contains one of these parts.
bool has(const Module& module, std::initializer_list<std::string_view> parts) {
    bool found = false;
    forEachInstruction(module, [&](const Instruction* i) {
        const std::string_view name = spv::OpToString(i->opcode);
        for (const std::string_view part : parts) {
            found = found || name.find(part) != std::string_view::npos;
        }
    });
    return found;
}

bool hasDecoration(const Module& module, spv::Decoration decoration) {
    return std::ranges::any_of(module.section(Section::kAnnotations),
                               [&](const auto& i) { return decorates(*i, decoration); });
}

bool isInt4(const Module& module, Id type) {
    const Instruction& def = module.def(type);
    return def.opcode == OpTypeInt && def.word(0) == 4;
}

// `inMatrices`: counts component types of matrices, too.
bool hasInt4(const Module& module, bool inMatrices) {
    return std::ranges::any_of(module.section(Section::kGlobals), [&](const auto& i) {
        if (inMatrices) return isInt4(module, i->result);
        return i->opcode != OpTypeCooperativeMatrixKHR &&
               (isInt4(module, i->type) || std::ranges::any_of(i->operands, [&](const Operand& o) {
                    return o.isId && isInt4(module, o.word);
                }));
    });
}

// Whether nothing of an extension is left that the module used. Does not look at modules that do
// not declare its capabilities: their instructions, if any, are invalid and stay.
bool isGone(const Rewriting& r, Extension extension,
            std::initializer_list<std::string_view> instructions) {
    if (!r.out.used.contains(extension)) return true;
    const ExtensionSet left =
        scan(r.module.serialise(), r.target.emulated, r.target.nativeFeatures);
    return !has(r.module, instructions) && !left.contains(extension);
}

bool hasNoMatrices(const Rewriting& r) {
    if (!r.lowersMatrices) return true;
    return !has(r.module, {"CooperativeMatrixConvertNV", "CoopMatQCOM", "ArrayQCOM",
                           "TensorLayoutNV", "TensorViewNV"}) &&
           (r.native || isGone(r, Extension::kKhrCooperativeMatrix, {"CooperativeMatrix"}));
}

bool hasNoFloatAtomics(const Rewriting& r) {
    constexpr auto kAtomics = Extension::kExtShaderAtomicFloat;
    return !r.target.emulated.contains(kAtomics) ||
           !hasFloatAtomics(r.module.serialise(), r.target.nativeFeatures[kAtomics]);
}

bool hasNoLackingFloats(const Rewriting& r) {
    return isGone(r, Extension::kKhrShaderBfloat16, {}) &&
           isGone(r, Extension::kExtShaderFloat8, {}) &&
           isGone(r, Extension::kExtShaderOcpMicroscalingTypes, {}) &&
           numbersToLower(r.module, r.target).empty();
}

struct Check {
    Fact fact;
    std::string_view what;
    bool (*holds)(const Rewriting&);
};

constexpr Check kChecks[] = {
    {Fact::kOneEntryPoint, "there is one entry point",
     [](const Rewriting& r) { return r.module.section(Section::kEntryPoints).size() == 1; }},
    {Fact::kNoDecorationGroups, "there are no decoration groups",
     [](const Rewriting& r) { return !has(r.module, {"OpDecorationGroup"}); }},
    {Fact::kNoSpecIds, "specialization constants are frozen",
     [](const Rewriting& r) { return !hasDecoration(r.module, spv::Decoration::SpecId); }},
    {Fact::kInt4InMatrices, "4-bit integers are only components of matrices",
     [](const Rewriting& r) {
         return !r.out.used.contains(Extension::kIntelInt4) || !hasInt4(r.module, false);
     }},
    {Fact::kNoInt4, "there are no 4-bit integers",
     [](const Rewriting& r) {
         return isGone(r, Extension::kIntelInt4, {}) &&
                (!r.out.used.contains(Extension::kIntelInt4) || !hasInt4(r.module, true));
     }},
    {Fact::kNoNvMatrices, "matrices are those of SPV_KHR_cooperative_matrix",
     [](const Rewriting& r) {
         return isGone(r, Extension::kNvCooperativeMatrix, {"OpTypeCooperativeMatrixNV"});
     }},
    {Fact::kContinueTargets, "no header is its loop's continue target",
     [](const Rewriting& r) { return !r.entersLoops || !sharesContinueTarget(r.module); }},
    {Fact::kNoMatrices, "there are no emulated matrices", hasNoMatrices},
    {Fact::kNoLongVectors, "there are no long vectors",
     [](const Rewriting& r) { return isGone(r, Extension::kExtShaderLongVector, {}); }},
    {Fact::kNoVectors, "there are no cooperative vectors",
     [](const Rewriting& r) {
         return isGone(r, Extension::kNvCooperativeVector, {"OpCooperativeVector"});
     }},
    {Fact::kNoReplicatedComposites, "there are no replicated composites",
     [](const Rewriting& r) {
         return isGone(r, Extension::kExtShaderReplicatedComposites, {"ReplicateEXT"});
     }},
    {Fact::kNoFloatAtomics, "there are no atomics of floats", hasNoFloatAtomics},
    {Fact::kNoBlockIo, "there is no block I/O",
     [](const Rewriting& r) { return isGone(r, Extension::kIntel2dBlockIo, {"2DBlock"}); }},
    {Fact::kNoLackingFloats, "there are no floats that the device lacks", hasNoLackingFloats},
    {Fact::kNoWideSubgroups, "there are no operations on emulated subgroups",
     [](const Rewriting& r) {
         return !r.lowersSubgroups || !has(r.module, {"OpGroup", "OpSubgroup"});
     }},
};
static_assert(std::size(kChecks) == static_cast<size_t>(Fact::kFactCount));

Error broken(const Pass& pass, std::string_view what) {
    return {ErrorCode::kUnsupported, std::format("internal error after '{}': {}", pass.name, what)};
}

// What is malformed in a module: ids that no instruction or several define, blocks without a
// terminator. Empty if nothing is.
std::string malformedIn(const Module& module) {
    std::unordered_map<Id, const Instruction*> defined;
    std::string what;
    forEachInstruction(module, [&](const Instruction* i) {
        if (i == nullptr) {
            what = "an instruction is missing";
        } else if (i->result != 0 && !defined.emplace(i->result, i).second) {
            what = std::format("id %{} is defined twice", i->result);
        }
    });
    if (!what.empty()) return what;
    forEachInstruction(module, [&](const Instruction* i) {
        if (i->result != 0 && &module.def(i->result) != i) {
            what = std::format("the lookup of id %{} finds another instruction", i->result);
        }
        const auto check = [&](Id id) {
            if (!defined.contains(id)) {
                what = std::format("instruction {} (result %{}) names %{}, which nothing defines",
                                   nameOf(i->opcode), i->result, id);
            }
        };
        if (i->type != 0) check(i->type);
        for (const Operand& operand : i->operands) {
            if (operand.isId) check(operand.word);
        }
    });
    for (const auto& function : module.functions()) {
        for (const auto& block : function->blocks) {
            if (block->body.empty() || !isTerminator(block->body.back()->opcode)) {
                what = std::format("block %{} has no terminator", block->id());
            }
        }
    }
    return what;
}

}  // namespace

bool isQuickToValidate(const Module& module) {
    constexpr uint64_t kMostPaths = 10000;
    std::map<Id, uint64_t> paths;
    for (const InstructionPtr& i : module.section(Section::kGlobals)) {
        if (i->type != 0) continue;
        uint64_t sum = 1;
        for (const Operand& operand : i->operands) {
            const auto known = paths.find(operand.word);
            if (operand.isId && known != paths.end()) sum += known->second;
        }
        if (sum > kMostPaths) return false;
        paths[i->result] = sum;
    }
    return true;
}

std::optional<Error> runPasses(std::span<const Pass> passes, Rewriting& rewriting, bool checked) {
    checked = checked && malformedIn(rewriting.module).empty();
    Facts facts = {};
    for (const Pass& pass : passes) {
        if (checked && (pass.needs.bits & ~facts.bits) != 0) {
            return broken(pass, "it needs more than earlier passes give");
        }
        if (std::optional<Error> error = pass.run(rewriting)) return error;
        if (rewriting.out.untouched) return std::nullopt;
        if (!checked) continue;
        facts.bits |= pass.gives.bits;
        if (const std::string what = malformedIn(rewriting.module); !what.empty()) {
            return broken(pass, what);
        }
        for (const Check& check : kChecks) {
            if (!facts.contains(check.fact) || check.holds(rewriting)) continue;
            return broken(pass, std::format("it does not hold that {}", check.what));
        }
    }
    return std::nullopt;
}

}  // namespace coopvk::rewrite

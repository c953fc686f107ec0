// SPDX-License-Identifier: Apache-2.0
//
// Cooperative vectors in SPIR-V that GLSL cannot express: whole vectors in phi, select and copies,
// undefined, null and specialized values, initialisers, literal paths into composites, signed
// instructions on unsigned types, NaN-aware minima, memory operands, pointers from select.
#include <gtest/gtest.h>

#include <cctype>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/covering.hpp"
#include "harness/random.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/vector.hpp"

namespace coopvk::test::vector_assembly_test {
namespace {

enum class For { kAny, kFloat, kUnsigned, kSigned };

// ${add} adds two vectors of type %V; %E is the component type, %n the number of components, %k_2
// and %k_3 are constants of it, %k_s is a specialized 2. The text before @ in the body declares
// variables of the function.
struct Snippet {
    const char* name;
    For types;
    const char* declarations;
    const char* body;  // makes %R of %A, %B, %C and the invocation's index %li
    const char* functions = "";
    const char* capability = nullptr;
};

constexpr const char* kReplicates = "ReplicatedCompositesEXT";

constexpr Snippet kSnippets[] = {
    {"Undef", For::kAny, "%st = OpTypeStruct %V %V\n%u = OpUndef %st\n",
     "%s = OpCompositeInsert %st %A %u 1\n%R = OpCompositeExtract %V %s 1\n"},
    {"UndefInPhi", For::kAny, "%u = OpUndef %V\n",
     "%cond = OpIEqual %bool %c_0 %c_0\nOpSelectionMerge %m None\n"
     "OpBranchConditional %cond %t %m\n%t = OpLabel\nOpBranch %m\n%m = OpLabel\n"
     "%R = OpPhi %V %u %main_entry %A %t\n"},
    {"Null", For::kAny, "%z = OpConstantNull %V\n", "%R = ${add} %V %A %z\n"},
    {"NullOfArray", For::kAny, "%arr = OpTypeArray %V %c_3\n%z = OpConstantNull %arr\n",
     "%x = OpCompositeExtract %V %z 2\n%R = ${add} %V %A %x\n"},
    {"Constant", For::kAny, "%k = OpConstantComposite %V ${list}\n", "%R = ${add} %V %A %k\n"},
    {"SpecConstant", For::kAny, "%k = OpSpecConstantComposite %V ${speclist}\n",
     "%R = ${add} %V %A %k\n"},
    {"SpecConstantElement", For::kAny,
     "%k = OpSpecConstantComposite %V ${speclist}\n"
     "%l = OpSpecConstantOp %V CompositeInsert %k_3 %k 0\n"
     "%one = OpSpecConstantOp %E CompositeExtract %l 0\n",
     "%x = ${add} %V %A %l\n%y = OpCompositeInsert %V %one %x 0\n%R = OpCopyObject %V %y\n"},
    {"ConstantReplicated", For::kAny, "%k = OpConstantCompositeReplicateEXT %V %k_2\n",
     "%R = ${add} %V %A %k\n", "", kReplicates},
    {"SpecConstantReplicated", For::kAny, "%k = OpSpecConstantCompositeReplicateEXT %V %k_s\n",
     "%R = ${add} %V %A %k\n", "", kReplicates},
    {"Replicated", For::kAny, "",
     "%k = OpCompositeConstructReplicateEXT %V %k_2\n%R = ${add} %V %A %k\n", "", kReplicates},
    {"Constructed", For::kAny, "",
     "%k = OpCompositeConstruct %V ${speclist}\n"
     "%R = ${add} %V %A %k\n"},
    {"CopyObject", For::kAny, "%fn = OpTypePointer Function %V\n",
     "%v = OpVariable %fn Function\n@%q = OpCopyObject %fn %v\nOpStore %q %A\n"
     "%x = OpLoad %V %v\n%R = OpCopyObject %V %x\n"},
    {"CopyMemory", For::kAny, "%fn = OpTypePointer Function %V\n",
     "%v = OpVariable %fn Function\n%w = OpVariable %fn Function\n@OpStore %v %A\n"
     "OpCopyMemory %w %v\nOpStore %v %B\n%R = OpLoad %V %w\n"},
    {"CopyLogical", For::kAny,
     "%arr = OpTypeArray %V %c_2\n%st = OpTypeStruct %arr %f32\n%st2 = OpTypeStruct %arr %f32\n"
     "%u = OpUndef %st\n",
     "%s = OpCompositeInsert %st %A %u 0 1\n%t = OpCopyLogical %st2 %s\n"
     "%R = OpCompositeExtract %V %t 0 1\n"},
    {"Select", For::kAny, "",
     "%m3 = OpUMod %u32 %li %c_3\n%cond = OpIEqual %bool %m3 %c_1\n"
     "%R = OpSelect %V %cond %A %B\n"},
    {"SelectOfStructs", For::kAny, "%st = OpTypeStruct %f32 %V\n%half = OpConstant %f32 0.5\n",
     "%m3 = OpUMod %u32 %li %c_3\n%cond = OpIEqual %bool %m3 %c_1\n"
     "%x = OpCompositeConstruct %st %half %A\n%y = OpCompositeConstruct %st %half %B\n"
     "%s = OpSelect %st %cond %x %y\n%R = OpCompositeExtract %V %s 1\n"},
    {"PhiOfLoop", For::kAny, "",
     "OpBranch %h\n%h = OpLabel\n%x = OpPhi %V %A %main_entry %y %next\n"
     "%y = OpPhi %V %B %main_entry %x %next\n%k = OpPhi %u32 %c_0 %main_entry %k1 %next\n"
     "OpLoopMerge %m %next None\nOpBranch %t\n%t = OpLabel\n%more = OpULessThan %bool %k %c_3\n"
     "OpBranchConditional %more %next %m\n%next = OpLabel\n%k1 = OpIAdd %u32 %k %c_1\n"
     "OpBranch %h\n%m = OpLabel\n%R = ${add} %V %x %C\n"},
    {"PhiOfSwitch", For::kAny, "",
     "%m3 = OpUMod %u32 %li %c_3\nOpSelectionMerge %m None\nOpSwitch %m3 %d 1 %one\n"
     "%one = OpLabel\nOpBranch %m\n%d = OpLabel\nOpBranch %m\n%m = OpLabel\n"
     "%R = OpPhi %V %A %one %B %d\n"},
    {"DynamicComponents", For::kAny, "",
     "%k = OpUMod %u32 %li %n\n%x = OpVectorExtractDynamic %E %A %k\n"
     "%R = OpVectorInsertDynamic %V %B %x %k\n"},
    {"LiteralPath", For::kAny,
     "%arr = OpTypeArray %V %c_2\n%st = OpTypeStruct %f32 %arr\n%u = OpUndef %st\n",
     "%x = OpCompositeExtract %E %B 0\n%s = OpCompositeInsert %st %A %u 1 1\n"
     "%t = OpCompositeInsert %st %x %s 1 1 0\n%R = OpCompositeExtract %V %t 1 1\n"},
    {"ChainToComponent", For::kAny,
     "%arr = OpTypeArray %V %c_2\n%st = OpTypeStruct %f32 %arr\n%fs = OpTypePointer Function %st\n"
     "%fn = OpTypePointer Function %V\n%fe = OpTypePointer Function %E\n",
     "%v = OpVariable %fs Function\n@%one = OpUDiv %u32 %c_2 %c_2\n"
     "%p = OpAccessChain %fn %v %c_1 %one\nOpStore %p %A\n%x = OpCompositeExtract %E %B 0\n"
     "%zero = OpISub %u32 %one %c_1\n%q = OpInBoundsAccessChain %fe %v %c_1 %one %zero\n"
     "OpStore %q %x\n%R = OpLoad %V %p\n"},
    {"PrivateInitialiser", For::kAny,
     "%k = OpConstantComposite %V ${list}\n%pv = OpTypePointer Private %V\n"
     "%g = OpVariable %pv Private %k\n",
     "%x = OpLoad %V %g\n%R = ${add} %V %A %x\n"},
    {"FunctionInitialiser", For::kAny,
     "%k = OpConstantComposite %V ${list}\n%fn = OpTypePointer Function %V\n",
     "%v = OpVariable %fn Function %k\n@%x = OpLoad %V %v\n%R = ${add} %V %A %x\n"},
    {"FunctionOfStructs", For::kAny,
     "%st = OpTypeStruct %V %u32\n%ft = OpTypeFunction %st %V %st\n",
     "%s = OpCompositeConstruct %st %B %c_1\n%t = OpFunctionCall %st %f %A %s\n"
     "%R = OpCompositeExtract %V %t 0\n",
     "%f = OpFunction %st None %ft\n%fx = OpFunctionParameter %V\n%fs = OpFunctionParameter %st\n"
     "%fl = OpLabel\n%fy = OpCompositeExtract %V %fs 0\n%fz = ${add} %V %fx %fy\n"
     "%fr = OpCompositeInsert %st %fz %fs 0\nOpReturnValue %fr\nOpFunctionEnd\n"},
    {"NegateByBits", For::kFloat,
     "%VI = OpTypeCooperativeVectorNV ${bits} %n\n%top = OpConstant ${bits} ${sign}\n",
     "%x = OpBitcast %VI %A\n%k = OpCompositeConstruct %VI ${tops}\n"
     "%y = OpBitwiseXor %VI %x %k\n%R = OpBitcast %V %y\n"},
    {"MinOfNan", For::kFloat, "%nan = OpConstant %E ${nan}\n",
     "%k = OpCompositeConstruct %V ${nans}\n%x = OpExtInst %V %glsl NMin %A %k\n"
     "%y = OpExtInst %V %glsl NMax %k %B\n%z = OpExtInst %V %glsl NClamp %x %x %x\n"
     "%R = OpFAdd %V %z %y\n"},
    {"SignedOfUnsigned", For::kUnsigned, "",
     "%x = OpSNegate %V %A\n%y = OpShiftRightArithmetic %V %x %C\n"
     "%z = OpExtInst %V %glsl SMax %y %x\n%R = OpExtInst %V %glsl SMin %z %B\n"},
    {"SignedQuotientOfUnsigned", For::kUnsigned, "",
     "%x = OpSNegate %V %A\n%R = OpSDiv %V %x %C\n"},
    {"UnsignedOfSigned", For::kSigned, "",
     "%x = OpShiftRightLogical %V %A %C\n%y = OpExtInst %V %glsl UMax %x %B\n"
     "%R = OpExtInst %V %glsl UMin %y %A\n"},
    {"VolatileAccess", For::kAny, "",
     "%x = OpCooperativeVectorLoadNV %V %q_b %at Volatile\n"
     "%y = OpCooperativeVectorLoadNV %V %q_b %at Volatile|Aligned 16\n%R = ${add} %V %A %x\n"},
    {"VisibleAccess", For::kAny, "",
     "OpCooperativeVectorStoreNV %q_r %at %B MakePointerAvailable|NonPrivatePointer %c_5\n"
     "%x = OpCooperativeVectorLoadNV %V %q_r %at MakePointerVisible|NonPrivatePointer %c_5\n"
     "%R = ${add} %V %A %x\n"},
    {"SelectedPointer", For::kAny, "",
     "%m3 = OpUMod %u32 %li %c_3\n%cond = OpIEqual %bool %m3 %c_1\n%q2 = OpCopyObject %pb %q_b\n"
     "%q = OpSelect %pb %cond %q_b %q2\n%x = OpCooperativeVectorLoadNV %V %q %at\n"
     "%R = ${add} %V %A %x\n",
     "", "VariablePointersStorageBuffer"},
};

struct Case {
    const Snippet* snippet;
    VkComponentTypeKHR type;
    uint32_t n;
};

std::string nameOf(const testing::TestParamInfo<Case>& info) {
    const Case& c = info.param;
    return std::string(c.snippet->name) + "_" + std::string(component(c.type).name) + "x" +
           std::to_string(c.n);
}

std::string repeated(uint32_t n, std::string_view even, std::string_view odd) {
    std::string text;
    for (uint32_t i = 0; i < n; ++i) text += " " + std::string(i % 2 == 0 ? even : odd);
    return text;
}

class VectorAssembly : public testing::TestWithParam<Case> {
 protected:
    const Case& c_ = GetParam();
    const VectorComponent& type_ = component(c_.type);
    const size_t bytes_ = (c_.n * type_.bytes + 15) / 16 * 16;

    std::string filled(std::string_view text) const {
        const bool half = type_.bytes == 2;
        return substitute(text, {{"add", type_.isFloat ? "OpFAdd" : "OpIAdd"},
                                 {"list", repeated(c_.n, "%k_2", "%k_3")},
                                 {"speclist", repeated(c_.n, "%k_s", "%k_3")},
                                 {"bits", half ? "%u16" : "%u32"},
                                 {"sign", half ? "0x8000" : "0x80000000"},
                                 {"tops", repeated(c_.n, "%top", "%top")},
                                 {"nan", half ? "!0x7e00" : "!0x7fc00000"},
                                 {"nans", repeated(c_.n, "%nan", "%nan")}});
    }

    Words module() const {
        const std::string e = "%" + std::string(type_.name);
        Assembly a;
        for (const char* const& name : {"a", "b", "c", "r"}) {
            a.buffers.push_back({name, std::string(type_.name), type_.bytes});
            a.declarations +=
                std::string("%p") + name + " = OpTypePointer StorageBuffer %array_" + name + "\n";
        }
        a.capabilities = {"CooperativeVectorNV"};
        a.extensions = {"SPV_NV_cooperative_vector"};
        if (c_.snippet->capability != nullptr) a.capabilities.push_back(c_.snippet->capability);
        if (c_.snippet->capability == kReplicates)
            a.extensions.push_back("SPV_EXT_replicated_composites");
        a.decorations = "OpDecorate %k_s SpecId 9\n";
        a.types = "%n = OpConstant %u32 " + std::to_string(c_.n) +
                  "\n%V = OpTypeCooperativeVectorNV %E %n\n";
        a.declarations +=
            "%k_2 = OpConstant %E 2\n%k_3 = OpConstant %E 3\n%k_s = OpSpecConstant "
            "%E 2\n%bytes = OpConstant %u32 " +
            std::to_string(bytes_) + "\n";
        a.declarations += filled(c_.snippet->declarations);
        if (a.declarations.find("%g = ") != std::string::npos) a.interfaces = {"%g"};
        const std::string body = filled(c_.snippet->body);
        const size_t split = body.find('@');
        if (split != body.npos) a.body = body.substr(0, split);
        a.body += "%li = OpLoad %u32 %lane\n%at = OpIMul %u32 %li %bytes\n";
        for (const char* const& name : {"a", "b", "c", "r"})
            a.body +=
                std::string("%q_") + name + " = OpAccessChain %p" + name + " %" + name + " %c_0\n";
        for (const char* const& load : {"%A = OpCooperativeVectorLoadNV %V %q_a %at\n",
                                        "%B = OpCooperativeVectorLoadNV %V %q_b %at\n",
                                        "%C = OpCooperativeVectorLoadNV %V %q_c %at\n"})
            a.body += load;
        a.body += (split == body.npos ? body : body.substr(split + 1)) +
                  "OpCooperativeVectorStoreNV %q_r %at %R\n";
        a.functions = filled(c_.snippet->functions);
        std::string text = assemblyText(a);
        for (size_t at = text.find("%E"); at != text.npos; at = text.find("%E", at + 1))
            if (std::isspace(static_cast<unsigned char>(text[at + 2]))) text.replace(at, 2, e);
        return assemble(text);
    }
};

TEST_P(VectorAssembly, Matches) {
    if (c_.snippet->capability != nullptr && c_.snippet->capability != kReplicates)
        COOPVK_REQUIRE(Requirement::kVariablePointers);
    Rng rng(nameOf({c_, 0}));
    const uint32_t lanes = Context::get().subgroupSize;
    std::vector<Bytes> buffers;
    for (uint32_t operand = 0; operand < 3; ++operand) {
        Bytes data = rng.bytes(lanes * bytes_);
        for (uint32_t i = 0; i < lanes; ++i) {
            for (uint32_t e = 0; e < c_.n; ++e) {
                // C: powers of two, to divide and to shift by.
                const int64_t value =
                    operand == 2 ? 1 << rng.range(0, 1) : rng.range(type_.low < 0 ? -5 : 0, 5);
                putElement(data, i * bytes_ + e * type_.bytes, type_, static_cast<double>(value));
            }
        }
        buffers.push_back(std::move(data));
    }
    buffers.push_back(rng.bytes(lanes * bytes_));
    Dispatch dispatch;
    dispatch.buffers = buffers;
    expectAsReference(module(), dispatch);
}

bool fits(For wanted, const VectorComponent& type) {
    switch (wanted) {
        case For::kAny:
            return true;
        case For::kFloat:
            return type.isFloat;
        case For::kUnsigned:
            return !type.isFloat && type.low == 0;
        case For::kSigned:
            return !type.isFloat && type.low < 0;
    }
    return false;
}

std::vector<Case> cases() {
    constexpr std::pair<VkComponentTypeKHR, uint32_t> kTypes[] = {
        {VK_COMPONENT_TYPE_FLOAT16_KHR, 7}, {VK_COMPONENT_TYPE_FLOAT16_KHR, 300},
        {VK_COMPONENT_TYPE_FLOAT32_KHR, 5}, {VK_COMPONENT_TYPE_UINT8_KHR, 9},
        {VK_COMPONENT_TYPE_SINT8_KHR, 6},   {VK_COMPONENT_TYPE_UINT32_KHR, 3},
        {VK_COMPONENT_TYPE_SINT32_KHR, 4}};
    std::vector<Case> list;
    for (const Snippet& snippet : kSnippets) {
        for (const auto& [type, n] : kTypes) {
            if (fits(snippet.types, component(type))) list.push_back({&snippet, type, n});
        }
    }
    return covering(list, [](const Case& c) {
        return factors(c.snippet->name, factor(c.type) + "x" + factor(c.n));
    });
}

INSTANTIATE_TEST_SUITE_P(All, VectorAssembly, testing::ValuesIn(cases()), nameOf);

}  // namespace
}  // namespace coopvk::test::vector_assembly_test

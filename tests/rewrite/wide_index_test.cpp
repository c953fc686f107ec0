// SPDX-License-Identifier: Apache-2.0
//
// 64-bit indexing (SPV_EXT_shader_64bit_indexing): the rewritten modules are evaluated, with
// indices beyond 32 bits, and the bytes that their accesses reach are compared with those that the
// specifications name.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <map>
#include <set>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "ir/composites.hpp"
#include "ir/opcodes.hpp"
#include "ir/types.hpp"
#include "read_all.hpp"

namespace coopvk::rewrite::wide_index_test {
namespace {

constexpr uint64_t kAt = 5'000'000'000, kStride = 0x1'0000'0040;
constexpr uint32_t kLanes = 8;
constexpr Id kAtId = 1000, kStrideId = 1001;  // loads of these numbers

struct Parts {
    bool hasMode = true;
    std::string capabilities, extensions, types, body;
};

// A buffer %x of f16, and 64-bit numbers that no pass can know.
std::string moduleText(const Parts& p) {
    return std::format(R"(OpCapability Shader
OpCapability Float16
OpCapability Int64
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability Shader64BitIndexingEXT
{}
OpExtension "SPV_EXT_shader_64bit_indexing"
{}
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %x %push
OpExecutionMode %main LocalSize 8 1 1
{}
OpDecorate %halves ArrayStride 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %numbers Block
OpMemberDecorate %numbers 0 Offset 0
OpMemberDecorate %numbers 1 Offset 8
OpDecorate %x DescriptorSet 0
OpDecorate %x Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%false = OpConstantFalse %bool
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%f16 = OpTypeFloat 16
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c16 = OpConstant %u32 16
%cHalf = OpConstant %u32 0x80000000
%cMany = OpConstant %u32 0xF0000000
%halves = OpTypeRuntimeArray %f16
%block = OpTypeStruct %halves
%numbers = OpTypeStruct %u64 %u64
%pBlock = OpTypePointer StorageBuffer %block
%pHalves = OpTypePointer StorageBuffer %halves
%pHalf = OpTypePointer StorageBuffer %f16
%pNumbers = OpTypePointer PushConstant %numbers
%pNumber = OpTypePointer PushConstant %u64
%x = OpVariable %pBlock StorageBuffer
%push = OpVariable %pNumbers PushConstant
{}
%main = OpFunction %void None %fn
%label = OpLabel
%pAt = OpAccessChain %pNumber %push %c0
%1000 = OpLoad %u64 %pAt
%pStride = OpAccessChain %pNumber %push %c1
%1001 = OpLoad %u64 %pStride
%all = OpAccessChain %pHalves %x %c0
{}
OpReturn
OpFunctionEnd
)",
                       p.capabilities, p.extensions,
                       p.hasMode ? "OpExecutionMode %main Shader64BitIndexingEXT" : "", p.types,
                       p.body);
}

// Evaluates a rewritten module for one lane: variables of functions have 0, so loops are in their
// first iteration. Each function has one call.
class Evaluation {
 public:
    Evaluation(const Module& module, const TypeTable& types, uint64_t lane)
        : module_(module), types_(types), lane_(lane) {
        module.visitBlocks([&](const Instruction& i) {
            if (i.opcode != spv::Op::OpFunctionCall) return;
            for (const auto& function : module.functions()) {
                if (function->id() != i.word(0)) continue;
                for (size_t p = 0; p < function->parameters.size(); ++p) {
                    arguments_[function->parameters[p]->result] = i.word(p + 1);
                }
            }
        });
    }

    uint64_t value(Id id) const {
        const Instruction& i = module_.def(id);
        const uint32_t width = types_.width(i.type);
        return Scalar{anyBits(id, i, width), width}.asUnsigned();
    }

    // Adds the bytes of %x that accesses reach.
    void addBytes(std::set<uint64_t>& bytes) const {
        module_.visitBlocks([&](const Instruction& i) {
            if (!isAccessChain(i.opcode) && !isUntypedChain(i.opcode)) return;
            const ChainStep step = chainStep(module_, i);
            const Id array = typeBehind(module_, step, 1);
            if (module_.def(array).opcode != spv::Op::OpTypeRuntimeArray) return;
            const uint64_t stride =
                module_.decoration(array, spv::Decoration::ArrayStride).value_or(0);
            const uint64_t first = value(step.indices.back().word) * stride;
            for (uint64_t b = 0; b < stride; ++b) bytes.insert(first + b);
        });
    }

 private:
    uint64_t anyBits(Id id, const Instruction& i, uint32_t width) const {
        using enum spv::Op;
        if (id == kAtId) return kAt;
        if (id == kStrideId) return kStride;
        if (const auto known = module_.constantValue(id)) return *known;
        if (const auto given = arguments_.find(id); given != arguments_.end()) {
            return value(given->second);
        }
        if (isOneOf(i.opcode, {OpUConvert, OpBitcast, OpCopyObject})) return value(i.word(0));
        if (i.opcode == OpSConvert) return static_cast<uint64_t>(scalar(i.word(0)).asSigned());
        if (i.opcode == OpLoad) {
            return module_.storage(i.word(0)) == spv::StorageClass::Input ? lane_ : 0;
        }
        if (i.opcode == OpPhi) return value(i.word(0));
        if (i.opcode == OpCompositeExtract) return 0;  // of a tensor's coordinates
        if (i.operands.size() == 2) {
            const auto result = evaluate(i.opcode, scalar(i.word(0)), scalar(i.word(1)));
            if (result) return Scalar{*result, width}.asUnsigned();
        }
        ADD_FAILURE() << "instruction " << static_cast<uint32_t>(i.opcode);
        return 0;
    }
    Scalar scalar(Id id) const { return {value(id), types_.width(module_.def(id).type)}; }

    const Module& module_;
    const TypeTable& types_;
    uint64_t lane_;
    std::map<Id, Id> arguments_;
};

std::vector<uint32_t> rewritten(const Parts& parts, bool isRequested) {
    const std::vector<uint32_t> words = assembleAndReadAll(moduleText(parts));
    EXPECT_EQ(validate(words).value_or(""), "");
    Request request;
    request.words = words;
    Target target;
    target.subgroupSize = kLanes;
    target.device.shaderInt64 = true;
    target.device.subgroupSize = target.device.minSubgroupSize = kLanes;
    target.indexes64Bits = isRequested;
    Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words).value_or(""), "");
    return std::move(out->words);
}

// The bytes that all lanes reach.
std::set<uint64_t> bytesOf(const Parts& parts, bool isRequested = false) {
    const std::vector<uint32_t> words = rewritten(parts, isRequested);
    if (words.empty()) return {};
    Module module = std::move(*Module::parse(words));
    const TypeTable types(module);
    std::set<uint64_t> bytes;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
        Evaluation(module, types, lane).addBytes(bytes);
    }
    return bytes;
}

std::set<uint64_t> lines(uint64_t start, uint64_t stride, uint32_t count, uint32_t length) {
    std::set<uint64_t> bytes;
    for (uint64_t line = 0; line < count; ++line) {
        for (uint64_t b = 0; b < length; ++b) bytes.insert(start + line * stride + b);
    }
    return bytes;
}

Parts matrixLoad(std::string_view element, std::string_view stride) {
    return {.capabilities = "OpCapability CooperativeMatrixKHR",
            .extensions = "OpExtension \"SPV_KHR_cooperative_matrix\"",
            .types = "%M = OpTypeCooperativeMatrixKHR %f16 %c3 %c16 %c16 %c2",
            .body = std::format("%p = OpAccessChain %pHalf %x %c0 {}\n"
                                "%m = OpCooperativeMatrixLoadKHR %M %p %c0 {}",
                                element, stride)};
}

TEST(WideIndices, OfMatrices) {
    EXPECT_EQ(bytesOf(matrixLoad("%1000", "%1001")), lines(2 * kAt, 2 * kStride, 16, 32));
}

// The mode widens arithmetic on 32-bit operands, too; so does the flag of a pipeline.
TEST(WideIndices, OfThirtyTwoBitOperands) {
    Parts parts = matrixLoad("%cHalf", "%cMany");
    const auto expected = lines(uint64_t{2} << 31, uint64_t{2} * 0xF000'0000, 16, 32);
    EXPECT_EQ(bytesOf(parts), expected);
    parts.hasMode = false;
    EXPECT_EQ(bytesOf(parts, true), expected);
}

// The mode stays, comes with the flag of a pipeline, and else is not there.
TEST(WideIndices, HaveTheirMode) {
    for (const auto& [hasMode, isRequested] :
         {std::pair(true, false), {true, true}, {false, true}, {false, false}}) {
        Parts parts = matrixLoad("%c16", "%c16");
        parts.hasMode = hasMode;
        const std::vector<uint32_t> words = rewritten(parts, isRequested);
        const Module module = std::move(*Module::parse(words));
        const auto modes =
            std::ranges::count_if(module.section(Section::kExecutionModes), [](const auto& i) {
                constexpr auto kMode = spv::ExecutionMode::Shader64BitIndexingEXT;
                return i->word(1) == static_cast<uint32_t>(kMode);
            });
        EXPECT_EQ(modes, hasMode || isRequested ? 1 : 0);
    }
}

TEST(WideIndices, OfUntypedPointers) {
    Parts parts = matrixLoad("%1000", "%1001");
    parts.capabilities += "\nOpCapability UntypedPointersKHR";
    parts.extensions += "\nOpExtension \"SPV_KHR_untyped_pointers\"";
    parts.types += "\n%untyped = OpTypeUntypedPointerKHR StorageBuffer";
    parts.body =
        "%p = OpUntypedAccessChainKHR %untyped %block %x %c0 %1000\n"
        "%m = OpCooperativeMatrixLoadKHR %M %p %c0 %1001";
    EXPECT_EQ(bytesOf(parts), lines(2 * kAt, kStride, 16, 32));
}

Parts vectorCode(std::string_view body) {
    return {.capabilities =
                "OpCapability CooperativeVectorNV\n"
                "OpCapability CooperativeVectorTrainingNV",
            .extensions = "OpExtension \"SPV_NV_cooperative_vector\"",
            .types = "%V = OpTypeCooperativeVectorNV %f16 %c16\n%zero = OpConstantNull %V",
            .body = std::string(body)};
}

TEST(WideIndices, OfVectors) {
    const auto expected = lines(kAt, 0, 1, 32);
    EXPECT_EQ(bytesOf(vectorCode("%v = OpCooperativeVectorLoadNV %V %all %1000")), expected);
    EXPECT_EQ(bytesOf(vectorCode("OpCooperativeVectorStoreNV %all %1000 %zero")), expected);
}

// In the first iteration, an invocation reads four lines.
TEST(WideIndices, OfVectorProducts) {
    EXPECT_EQ(bytesOf(vectorCode("%v = OpCooperativeVectorMatrixMulNV %V %zero %c0 %all %1000 %c0 "
                                 "%c16 %c16 %c0 %false %cMany")),
              lines(kAt, 0xF000'0000, 4, 32));
}

TEST(WideIndices, OfTraining) {
    const auto reached =
        bytesOf(vectorCode("OpCooperativeVectorReduceSumAccumulateNV %all %1000 %zero"));
    ASSERT_FALSE(reached.empty());
    EXPECT_EQ(*reached.begin(), kAt);
    EXPECT_LE(*reached.rbegin(), kAt + 31);
}

TEST(WideIndices, OfTensors) {
    Parts parts = matrixLoad("%1000", "%1001");
    parts.capabilities +=
        "\nOpCapability TensorAddressingNV\nOpCapability CooperativeMatrixTensorAddressingNV";
    parts.extensions +=
        "\nOpExtension \"SPV_NV_tensor_addressing\"\nOpExtension \"SPV_NV_cooperative_matrix2\"";
    parts.types += "\n%T = OpTypeTensorLayoutNV %c2 %c0\n%null = OpConstantNull %M";
    parts.body =
        "%p = OpAccessChain %pHalf %x %c0 %1000\n%t0 = OpCreateTensorLayoutNV %T\n"
        "%t1 = OpTensorLayoutSetDimensionNV %T %t0 %c16 %c16\n"
        "%m = OpCooperativeMatrixLoadTensorNV %M %p %null %t1 None None";
    const auto reached = bytesOf(parts);
    ASSERT_FALSE(reached.empty());
    EXPECT_GE(*reached.begin(), 2 * kAt);
    EXPECT_LE(*reached.rbegin(), 2 * kAt + 511);
}

TEST(WideIndices, OnlyWhereAskedFor) {
    Parts parts = matrixLoad("%c16", "%c16");
    parts.hasMode = false;
    EXPECT_EQ(bytesOf(parts), lines(32, 32, 16, 32));
}

}  // namespace
}  // namespace coopvk::rewrite::wide_index_test

// SPDX-License-Identifier: Apache-2.0
//
// Shared memory and atomics of cooperative vectors: they follow the module's memory model and the
// limits of the stage, and a lock orders the accesses that it guards.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>
#include <sstream>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::shared_memory_test {
namespace {

struct Source {
    std::string_view memoryModel = "Vulkan";
    std::string_view model = "GLCompute";
    std::string_view storage = "Workgroup";  // where the gradients are
    std::string_view payload = "";           // of a task shader: a type

    std::string text() const {
        const bool isTask = model == "TaskEXT";
        const bool vulkan = memoryModel == "Vulkan";
        return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
{0}
OpCapability CooperativeVectorNV
OpCapability CooperativeVectorTrainingNV
{1}
OpExtension "SPV_NV_cooperative_vector"
OpMemoryModel Logical {2}
OpEntryPoint {3} %main "main" %buffer %gradients {4}
OpExecutionMode %main LocalSize 64 1 1
OpName %main "main"
OpName %gradients "gradients"
OpDecorate %array ArrayStride 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
{5}
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%false = OpConstantFalse %bool
%uint = OpTypeInt 32 0
%half = OpTypeFloat 16
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%n = OpConstant %uint 64
%stride = OpConstant %uint 128
%training = OpConstant %uint 3
%vector = OpTypeCooperativeVectorNV %half %n
%size = OpConstant %uint 4096
%array = OpTypeRuntimeArray %half
%block = OpTypeStruct %array
%pointer = OpTypePointer StorageBuffer %block
%arrayPointer = OpTypePointer StorageBuffer %array
%buffer = OpVariable %pointer StorageBuffer
{6}
%main = OpFunction %void None %function
%entry = OpLabel
%at = OpAccessChain %arrayPointer %buffer %zero
%x = OpCooperativeVectorLoadNV %vector %at %zero
%y = OpCooperativeVectorMatrixMulNV %vector %x %zero %at %zero %zero %n %n %zero %false %stride
OpCooperativeVectorStoreNV %at %zero %y
{7}
{8}
OpFunctionEnd
)",
                           vulkan ? "OpCapability VulkanMemoryModel" : "",
                           isTask ? "OpCapability MeshShadingEXT\nOpExtension "
                                    "\"SPV_EXT_mesh_shader\""
                                  : "",
                           memoryModel, model, payload.empty() ? "" : "%payload", decorations(),
                           variables(), accumulate(),
                           isTask ? std::format("OpEmitMeshTasksEXT %one %one %one {}",
                                                payload.empty() ? "" : "%payload")
                                  : "OpReturn");
    }

 private:
    bool isShared() const { return storage == "Workgroup"; }
    std::string decorations() const {
        return isShared() ? ""
                          : "OpDecorate %gradients DescriptorSet 0\n"
                            "OpDecorate %gradients Binding 1\n";
    }
    std::string variables() const {
        std::string all = isShared() ? "%sharedArray = OpTypeArray %half %size\n"
                                       "%sharedPointer = OpTypePointer Workgroup %sharedArray\n"
                                       "%gradients = OpVariable %sharedPointer Workgroup\n"
                                     : "%gradients = OpVariable %pointer StorageBuffer\n";
        if (payload.empty()) return all;
        return all + std::format(
                         "%payloadPointer = OpTypePointer TaskPayloadWorkgroupEXT {}\n"
                         "%payload = OpVariable %payloadPointer TaskPayloadWorkgroupEXT\n",
                         payload);
    }
    std::string accumulate() const {
        return isShared() ? "OpCooperativeVectorReduceSumAccumulateNV %gradients %zero %y\n"
                          : "%where = OpAccessChain %arrayPointer %gradients %zero\n"
                            "OpCooperativeVectorReduceSumAccumulateNV %where %zero %y\n";
    }
};

Target sharingTarget() {
    Target target;
    target.subgroupSize = 32;
    target.device.subgroupVote = target.device.subgroupBallot = true;
    target.device.subgroupArithmetic = true;
    target.device.subgroupStages = ~0u;
    target.device.maxComputeSharedMemorySize = 49152;
    return target;
}

// The output, disassembled; it is valid SPIR-V.
std::string run(const Source& source, const Target& target = sharingTarget()) {
    const std::vector<uint32_t> words = test::assemble(source.text());
    Request request;
    request.words = words;
    request.stage = source.model == "TaskEXT" ? Stage::kTask : Stage::kCompute;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words), std::nullopt);
    return disassemble(out->words);
}

bool has(std::string_view text, std::string_view what) {
    return text.find(what) != std::string_view::npos;
}

// Lines that contain all of these.
std::vector<std::string> linesWith(const std::string& text,
                                   std::initializer_list<std::string_view> parts) {
    std::vector<std::string> found;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const auto inLine = [&](std::string_view part) { return has(line, part); };
        if (std::ranges::all_of(parts, inLine)) found.push_back(line);
    }
    return found;
}

TEST(SharedMemory, FollowsTheMemoryModel) {
    for (const std::string_view storage : {"Workgroup", "StorageBuffer"}) {
        const std::string vulkan = run({.storage = storage});
        EXPECT_TRUE(has(vulkan, "coopvk_exchange"));
        EXPECT_TRUE(has(vulkan, "NonPrivatePointer"));
        const std::string old = run({.memoryModel = "GLSL450", .storage = storage});
        EXPECT_TRUE(has(old, "coopvk_exchange"));
        EXPECT_FALSE(has(old, "NonPrivate"));
    }
}

// Each load and store of memory that a lock guards.
TEST(SharedMemory, LocksOrderWhatTheyGuard) {
    const std::string text = run({});
    ASSERT_TRUE(has(text, "coopvk_lock"));
    const auto chains = linesWith(text, {"OpAccessChain", "%gradients"});
    ASSERT_FALSE(chains.empty()) << text;
    size_t accesses = 0;
    for (const std::string& chain : chains) {
        const size_t start = chain.find('%');
        const std::string pointer = chain.substr(start, chain.find(' ', start) - start);
        for (const std::string_view access : {"OpLoad ", "OpStore "}) {
            for (const std::string& line : linesWith(text, {access, pointer + " "})) {
                ++accesses;
                EXPECT_TRUE(has(line, "NonPrivatePointer")) << line;
            }
        }
    }
    EXPECT_GE(accesses, 2u);
}

// Invocations of all workgroups add to a buffer: its atomics have the scope Device (1) or, with the
// Vulkan memory model, QueueFamily (5) at least.
TEST(SharedMemory, AtomicsOfBuffersReachAllWorkgroups) {
    for (const std::string_view memoryModel : {"Vulkan", "GLSL450"}) {
        const std::string text = run({.memoryModel = memoryModel, .storage = "StorageBuffer"});
        const auto atomics = linesWith(text, {"OpAtomic"});
        EXPECT_FALSE(atomics.empty());
        for (const std::string& line : atomics)
            EXPECT_TRUE(has(line, " %uint_1 ") || has(line, " %uint_5 ")) << line;
    }
}

// Without an initialiser, which would need shaderZeroInitializeWorkgroupMemory.
TEST(SharedMemory, LocksAreFreeAtTheStart) {
    for (const std::string_view memoryModel : {"Vulkan", "GLSL450"}) {
        const std::string text = run({.memoryModel = memoryModel});
        const auto lock = linesWith(text, {"%coopvk_lock = OpVariable"});
        ASSERT_EQ(lock.size(), 1u);
        EXPECT_TRUE(lock[0].ends_with("Workgroup")) << lock[0];
        const std::string_view body =
            std::string_view(text).substr(text.find("%main = OpFunction"));
        const size_t store = body.find("OpAtomicStore %coopvk_lock");
        const size_t barrier = body.find("OpControlBarrier %uint_2 %uint_2");
        const size_t use = body.find("OpFunctionCall");
        EXPECT_LT(store, barrier);
        EXPECT_LT(barrier, use);
    }
    EXPECT_FALSE(has(run({.storage = "StorageBuffer"}), "coopvk_lock"));
}

// Task and mesh shaders have limits of their own, also for payload and shared memory together.
TEST(SharedMemory, LimitsAreTheStages) {
    Source task = {.model = "TaskEXT"};
    EXPECT_TRUE(has(run(task), "coopvk_exchange"));
    Target target = sharingTarget();
    target.device.maxTaskSharedMemorySize = 8192;
    EXPECT_FALSE(has(run(task, target), "coopvk_exchange"));
    EXPECT_TRUE(has(run({}, target), "coopvk_exchange"));

    target = sharingTarget();
    target.device.maxComputeSharedMemorySize = 8192;
    EXPECT_TRUE(has(run(task, target), "coopvk_exchange"));
    EXPECT_FALSE(has(run({}, target), "coopvk_exchange"));

    // 8 KiB of gradients, 8 KiB or more to exchange, 8 KiB of payload.
    task.payload = "%sharedArray";
    target = sharingTarget();
    EXPECT_TRUE(has(run(task, target), "coopvk_exchange"));
    target.device.maxTaskPayloadAndSharedMemorySize = 20480;
    EXPECT_FALSE(has(run(task, target), "coopvk_exchange"));
    task.payload = "";
    EXPECT_TRUE(has(run(task, target), "coopvk_exchange"));
}

// An interface has one variable of a built-in: this entry point's.
TEST(BuiltIns, AreThisEntryPoints) {
    std::string source = test::multiplyModule(16, 16, 16);
    const auto insert = [&](std::string_view before, std::string_view what) {
        source.insert(source.find(before), what);
    };
    insert("OpExtension", "OpCapability GroupNonUniform\n");
    insert("OpEntryPoint", "OpEntryPoint GLCompute %other \"other\" %otherLane\n");
    insert("OpExecutionMode", "OpExecutionMode %other LocalSize 32 1 1\n");
    insert("OpDecorate", "OpName %otherLane \"otherLane\"\nOpName %mainLane \"mainLane\"\n");
    insert("OpDecorate",
           "OpDecorate %otherLane BuiltIn SubgroupLocalInvocationId\n"
           "OpDecorate %mainLane BuiltIn SubgroupLocalInvocationId\n");
    insert("%main = OpFunction",
           "%lanePointer = OpTypePointer Input %u32\n"
           "%otherLane = OpVariable %lanePointer Input\n"
           "%mainLane = OpVariable %lanePointer Input\n"
           "%other = OpFunction %void None %f\n"
           "%otherLabel = OpLabel\n"
           "%number = OpLoad %u32 %otherLane\n"
           "OpReturn\nOpFunctionEnd\n");
    source.replace(source.find("%in %out"), 8, "%in %out %mainLane");
    const std::vector<uint32_t> words = test::assemble(source);
    ASSERT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    request.entryPoint = "main";
    Target target;
    target.subgroupSize = 32;
    const Result<Rewritten> out = rewrite(request, target);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words), std::nullopt);
    const auto entry = linesWith(disassemble(out->words), {"OpEntryPoint"});
    ASSERT_EQ(entry.size(), 1u);
    EXPECT_TRUE(has(entry[0], "%mainLane")) << entry[0];
    EXPECT_FALSE(has(entry[0], "%otherLane")) << entry[0];
}

}  // namespace
}  // namespace coopvk::rewrite::shared_memory_test

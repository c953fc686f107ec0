// SPDX-License-Identifier: Apache-2.0
#include "rewrite_input.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "ir/entry_point.hpp"
#include "words.hpp"

namespace coopvk::fuzz {
namespace {

using rewrite::BackEnd;
using rewrite::ComponentType;
using rewrite::DeviceTraits;
using rewrite::MatrixShape;
using rewrite::Stage;

constexpr uint32_t kSubgroupSizes[] = {32, 4, 8, 16, 64, 128, 3, 0};
// The requested stage; mostly that of the first entry point.
constexpr std::optional<Stage> kStages[] = {
    std::nullopt, std::nullopt,       std::nullopt, Stage::kCompute, Stage::kVertex,
    std::nullopt, std::nullopt,       Stage::kMesh, Stage::kRaygen,  Stage::kFragment,
    Stage::kTask, Stage::kClosestHit, Stage::kMiss, Stage::kCallable};

constexpr BackEnd kBackEnds[] = {BackEnd::kAuto, BackEnd::kCore, BackEnd::kNative};
constexpr uint32_t kSharedMemory[] = {16384, 32768, 65536, 1024, 0};
constexpr uint32_t kVersions[] = {0x00010600, 0x00010500, 0x00010400, 0x00010300};
constexpr size_t kEntrySizes[] = {4, 1, 2, 8, 0, 3};

constexpr bool DeviceTraits::* kFlags[] = {
    &DeviceTraits::isCpu,
    &DeviceTraits::lanesInStep,
    &DeviceTraits::subgroupSizeControl,
    &DeviceTraits::computeFullSubgroups,
    &DeviceTraits::subgroupBasic,
    &DeviceTraits::subgroupShuffle,
    &DeviceTraits::vulkanMemoryModel,
    &DeviceTraits::shaderFloat16,
    &DeviceTraits::shaderFloat64,
    &DeviceTraits::shaderInt8,
    &DeviceTraits::shaderInt16,
    &DeviceTraits::shaderInt64,
    &DeviceTraits::storageBuffer8BitAccess,
    &DeviceTraits::storageBuffer16BitAccess,
    &DeviceTraits::uniformAndStorageBuffer8BitAccess,
    &DeviceTraits::uniformAndStorageBuffer16BitAccess,
    &DeviceTraits::storagePushConstant8,
    &DeviceTraits::storagePushConstant16,
    &DeviceTraits::shaderIntegerDotProduct,
    &DeviceTraits::dot4x8Signed,
    &DeviceTraits::dot4x8Unsigned,
    &DeviceTraits::dot4x8Mixed,
    &DeviceTraits::bufferDeviceAddress,
    &DeviceTraits::shaderBufferFloat32AtomicAdd,
    &DeviceTraits::shaderSharedFloat32AtomicAdd,
    &DeviceTraits::subgroupVote,
    &DeviceTraits::subgroupBallot,
    &DeviceTraits::subgroupArithmetic,
    &DeviceTraits::onlyNativeShapes,
    &DeviceTraits::scalarBlockLayout,
    &DeviceTraits::scalarRegisters,
    &DeviceTraits::blockedWeights,
    &DeviceTraits::robustBufferAccess,
};

template <typename T, size_t kCount>
const T& pick(const T (&table)[kCount], uint8_t index) {
    return table[index % kCount];
}

constexpr ComponentType kF16 = ComponentType::kFloat16, kF32 = ComponentType::kFloat32,
                        kS8 = ComponentType::kSint8, kU8 = ComponentType::kUint8,
                        kS32 = ComponentType::kSint32, kU32 = ComponentType::kUint32;

// Shapes of drivers: one with 8 lanes, a desktop GPU's, and one with a single odd shape.
std::vector<MatrixShape> nativeShapes(uint8_t which) {
    switch (which % 4) {
        case 1:
            return {{8, 8, 8, kF16, kF16, kF32, kF32, false},
                    {8, 8, 8, kF16, kF16, kF16, kF16, false},
                    {8, 8, 8, kS8, kS8, kS32, kS32, false}};
        case 2:
            return {{16, 16, 16, kF16, kF16, kF32, kF32, false},
                    {16, 8, 16, kF16, kF16, kF16, kF16, false},
                    {16, 8, 8, kF16, kF16, kF16, kF16, false},
                    {16, 16, 32, kU8, kU8, kU32, kU32, false},
                    {16, 16, 32, kS8, kS8, kS32, kS32, false},
                    {16, 16, 32, kS8, kS8, kS32, kS32, true}};
        case 3:
            return {{8, 16, 4, kF16, kF16, kF32, kF32, false}};
        default:
            return {};
    }
}

void fillDevice(const Options& options, DeviceTraits& device) {
    device.shaderFloat64 = device.shaderInt64 = device.bufferDeviceAddress = true;
    // There are more features than bits: the last ones go with the first.
    for (size_t i = 0; i < std::size(kFlags); ++i) {
        const uint8_t flags = options.flags[i / 8 % options.flags.size()];
        if ((flags >> i % 8 & 1) != 0) device.*kFlags[i] = !(device.*kFlags[i]);
    }
    device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize =
        pick(kSubgroupSizes, options.subgroupSize);
    device.nativeShapes = nativeShapes(options.nativeShapes);
    device.maxComputeSharedMemorySize = pick(kSharedMemory, options.sharedMemory);
    device.spirvVersion = pick(kVersions, options.spirvVersion);
}

void fillTuning(uint8_t bits, rewrite::MatrixTuning& tuning) {
    if (bits & 1) tuning.gridRows = 1u << (bits >> 5);
    if (bits & 2) tuning.rowBlock = bits >> 6;
    if (bits & 4) tuning.columnBlock = bits >> 6;
    if (bits & 8) tuning.halfPairsAlongK = (bits & 32) != 0;
    if (bits & 16) tuning.unrolledProducts = bits & 32 ? 0u : 16u;
    if ((bits & 48) == 48) tuning.sliceDepth = 1u << (bits >> 6);
    if (bits & 64) tuning.rollSlices = (bits & 128) != 0;
    if (bits & 8) tuning.sharedSingles = (bits & 16) != 0;
}

// The module's first OpEntryPoint, from its second word on; empty if it has none.
std::span<const uint32_t> firstEntryPoint(std::span<const uint32_t> words) {
    for (size_t at = 5; at < words.size(); at += std::max(words[at] >> 16, 1u)) {
        if ((words[at] & 0xFFFFu) != static_cast<uint32_t>(spv::Op::OpEntryPoint)) continue;
        return words.subspan(at + 1);
    }
    return {};
}

std::string nameOf(std::span<const uint32_t> entryPoint) {
    std::string name;
    for (size_t i = 2; i < entryPoint.size() && i < 15; ++i) {
        for (uint32_t shift = 0; shift < 32; shift += 8) {
            const char letter = static_cast<char>(entryPoint[i] >> shift);
            if (letter == 0) return name;
            name += letter;
        }
    }
    return name;
}

Stage stageOf(std::span<const uint32_t> entryPoint) {
    if (entryPoint.empty()) return Stage::kCompute;
    const auto model = static_cast<spv::ExecutionModel>(entryPoint[0]);
    return rewrite::stageOf(model).value_or(Stage::kCompute);
}

}  // namespace

RewriteInput::RewriteInput(std::span<const uint8_t> bytes) {
    if (bytes.size() >= sizeof(Options) && bytes[0] == Options::kMark) {
        std::memcpy(&options_, bytes.data(), sizeof(Options));
        bytes = bytes.subspan(sizeof(Options));
    }
    words_.resize(bytes.size() / 4);
    if (!words_.empty()) std::memcpy(words_.data(), bytes.data(), words_.size() * 4);
    target_.subgroupSize = pick(kSubgroupSizes, options_.subgroupSize);
    for (size_t i = 0; i < rewrite::kExtensionCount; ++i) {
        if (options_.notEmulated >> i & 1)
            target_.emulated.erase(static_cast<rewrite::Extension>(i));
    }
    target_.backEnd = pick(kBackEnds, options_.backEnd);
    fillDevice(options_, target_.device);
    // As the layer does it where vectors are emulated, too.
    target_.device.emulatesFloat16 =
        !target_.device.shaderFloat16 &&
        target_.emulated.contains(rewrite::Extension::kNvCooperativeVector);
    if (target_.device.emulatesFloat16) {
        target_.emulated.insert(rewrite::Extension::kKhrShaderFloat16Int8);
    }
    fillTuning(options_.tuning, target_.tuning);
    if (options_.entryPoint % 4 == 1) entryPoint_ = "main";
    if (options_.entryPoint % 4 == 2) entryPoint_ = nameOf(firstEntryPoint(words_));
    if (options_.entryPoint % 4 == 3) entryPoint_ = "absent";
    fillEntries();
}

void RewriteInput::fillEntries() {
    const size_t count = options_.specializations % (options_.entries.size() + 1);
    for (size_t i = 0; i < count; ++i) {
        const SpecializationBytes& from = options_.entries[i];
        bytes_[i].fill(static_cast<std::byte>(from.pattern));
        bytes_[i][0] = static_cast<std::byte>(from.value);
        entries_.push_back({from.id, std::span(bytes_[i]).first(pick(kEntrySizes, from.size))});
    }
}

rewrite::Request RewriteInput::request() const {
    const std::optional<Stage> stage = pick(kStages, options_.stage);
    return {words_, stage.value_or(stageOf(firstEntryPoint(words_))), entryPoint_, entries_};
}

namespace {

// Specialization constants become constants.
void freezeConstants(Module& module) {
    constexpr std::pair<spv::Op, spv::Op> kFrozen[] = {
        {spv::Op::OpSpecConstantTrue, spv::Op::OpConstantTrue},
        {spv::Op::OpSpecConstantFalse, spv::Op::OpConstantFalse},
        {spv::Op::OpSpecConstant, spv::Op::OpConstant},
        {spv::Op::OpSpecConstantComposite, spv::Op::OpConstantComposite}};
    std::erase_if(module.instructions, [](const Instruction& i) {
        return i.opcode() == spv::Op::OpDecorate &&
               i.operand(1) == static_cast<uint32_t>(spv::Decoration::SpecId);
    });
    for (Instruction& i : module.instructions) {
        for (const auto& [from, to] : kFrozen) {
            if (i.opcode() == from) i.setOpcode(to);
        }
    }
}

}  // namespace

std::vector<uint32_t> RewriteInput::specialisedWords() const {
    Module module = split(words_);
    std::unordered_map<uint32_t, uint32_t> constantOf;  // by result
    for (const Instruction& i : module.instructions) {
        if (i.opcode() == spv::Op::OpDecorate &&
            i.operand(1) == static_cast<uint32_t>(spv::Decoration::SpecId))
            constantOf.emplace(i.operand(0), i.operand(2));
    }
    for (Instruction& i : module.instructions) {
        const auto constant = constantOf.find(i.result());
        if (constant == constantOf.end()) continue;
        for (const rewrite::SpecializationEntry& entry : entries_) {
            if (entry.constantId != constant->second) continue;
            std::array<uint32_t, 2> value = {};
            if (!entry.data.empty())
                std::memcpy(value.data(), entry.data.data(), entry.data.size());
            if (i.opcode() == spv::Op::OpSpecConstant) {
                for (size_t w = 3; w < i.words.size() && w < 5; ++w)
                    i.words[w].value = value[w - 3];
            } else {
                i.setOpcode(value[0] != 0 ? spv::Op::OpSpecConstantTrue
                                          : spv::Op::OpSpecConstantFalse);
            }
        }
    }
    freezeConstants(module);
    return join(module);
}

std::vector<uint8_t> pack(const Options& options, std::span<const uint32_t> words) {
    std::vector<uint8_t> bytes(sizeof(Options) + words.size() * 4);
    std::memcpy(bytes.data(), &options, sizeof(Options));
    if (!words.empty()) std::memcpy(bytes.data() + sizeof(Options), words.data(), words.size() * 4);
    return bytes;
}

}  // namespace coopvk::fuzz

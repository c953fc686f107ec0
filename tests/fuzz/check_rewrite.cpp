// SPDX-License-Identifier: Apache-2.0
#include "check_rewrite.hpp"

#include <algorithm>
#include <array>
#include <spirv-tools/libspirv.hpp>
#include <spirv/unified1/spirv.hpp11>
#include <unordered_map>

#include "rewrite_input.hpp"
#include "words.hpp"

namespace coopvk::fuzz {
namespace {

using rewrite::Extension;
using rewrite::ExtensionSet;
using rewrite::Result;
using rewrite::Rewritten;

// One input of this number is rewritten twice.
constexpr uint32_t kRepeatOneOf = 64;
// Of outputs that are longer than this, spirv-val checks one of this number, since it takes most of
// the time.
constexpr size_t kLongOutput = 4000;
constexpr uint32_t kValidateLongOneOf = 8;
// spirv-val goes through all members of all members, however often a type comes.
constexpr uint64_t kMostMembers = 10000;
constexpr size_t kWordsOfHeader = 5;

uint32_t hashOf(std::span<const uint8_t> bytes) {
    uint32_t hash = 2166136261u;
    for (uint8_t byte : bytes) hash = (hash ^ byte) * 16777619u;
    return hash;
}

std::optional<std::string> compare(const Result<Rewritten>& a, const Result<Rewritten>& b) {
    if (static_cast<bool>(a) != static_cast<bool>(b)) return "rewritten once, refused once";
    if (!a) {
        if (a.error().message == b.error().message) return std::nullopt;
        return "refused for two reasons: " + a.error().message + "; " + b.error().message;
    }
    if (a->words == b->words && a->notes == b->notes) return std::nullopt;
    return "rewritten in two ways";
}

// Matrices may stay the driver's own where a native back-end is asked for. Atomic adds of floats
// have one capability: those of other memory than buffers keep it.
ExtensionSet mustBeGone(const rewrite::Target& target) {
    ExtensionSet gone = target.emulated;
    gone.erase(Extension::kExtShaderAtomicFloat);
    if (target.backEnd == rewrite::BackEnd::kNative) gone.erase(Extension::kKhrCooperativeMatrix);
    return gone;
}

bool isEmulated(uint32_t capability, const ExtensionSet& set) {
    return std::ranges::any_of(rewrite::extensionTable(), [&](const rewrite::ExtensionInfo& row) {
        return set.contains(row.extension) &&
               std::ranges::find(row.capabilities, capability,
                                 &rewrite::ExtensionCapability::capability) !=
                   row.capabilities.end();
    });
}

bool declaresOneOf(std::span<const uint32_t> words, const ExtensionSet& set) {
    constexpr uint32_t kCapability =
        2u << spv::WordCountShift | static_cast<uint32_t>(spv::Op::OpCapability);
    for (size_t at = kWordsOfHeader; at + 1 < words.size();
         at += words[at] >> spv::WordCountShift) {
        if (words[at] >> spv::WordCountShift == 0) return true;
        if (words[at] == kCapability && isEmulated(words[at + 1], set)) return true;
    }
    return false;
}

// 4-bit integers need vectors that SPIR-V allows but Vulkan's environment does not.
bool isVulkan(std::span<const uint32_t> words) {
    return !rewrite::scan(words, {Extension::kIntelInt4}).contains(Extension::kIntelInt4);
}

std::optional<std::string> validate(std::span<const uint32_t> words, bool vulkan) {
    if (vulkan) return rewrite::validate(words);
    std::string message;
    spvtools::SpirvTools tools(SPV_ENV_UNIVERSAL_1_6);
    tools.SetMessageConsumer([&](spv_message_level_t, const char*, const spv_position_t&,
                                 const char* text) { message += text; });
    spvtools::ValidatorOptions options;
    options.SetScalarBlockLayout(true);
    options.SetWorkgroupScalarBlockLayout(true);
    options.SetFriendlyNames(false);  // a tenth of the time
    if (tools.Validate(words.data(), words.size(), options)) return std::nullopt;
    return message + ".";
}

// Vector16 declares Kernel, too. What the input uses of Kernel, beside vectors, stays in the
// output.
std::vector<uint32_t> withVector16(std::span<const uint32_t> words) {
    std::vector<uint32_t> out(words.begin(), words.end());
    const std::array<uint32_t, 2> declaration = {
        2u << spv::WordCountShift | static_cast<uint32_t>(spv::Op::OpCapability),
        static_cast<uint32_t>(spv::Capability::Vector16)};
    out.insert(out.begin() + kWordsOfHeader, declaration.begin(), declaration.end());
    return out;
}

bool hasLongVector(std::span<const uint32_t> words) {
    return std::ranges::any_of(split(words).instructions, [](const Instruction& i) {
        return i.opcode() == spv::Op::OpTypeVector && i.words.back().value > 4;
    });
}

std::optional<std::string> validateOutput(std::span<const uint32_t> words, bool vulkan) {
    if (vulkan) return validate(words, vulkan);
    if (hasLongVector(words)) return "a vector of more than four components.";
    return validate(withVector16(words), vulkan);
}

// Whether the output has to be valid.
bool isValid(const RewriteInput& input, bool vulkan) {
    if (isTooDeepToValidate(input.words()) || validate(input.words(), vulkan)) return false;
    const std::vector<uint32_t> specialised = input.specialisedWords();
    return specialised == input.words() || !validate(specialised, vulkan);
}

std::optional<std::string> checkOutput(const RewriteInput& input, const Rewritten& out,
                                       uint32_t hash) {
    if (declaresOneOf(out.words, mustBeGone(input.target())))
        return "the output has a capability that is emulated";
    if (out.words.size() > kLongOutput && hash / kRepeatOneOf % kValidateLongOneOf != 0)
        return std::nullopt;
    const bool vulkan = isVulkan(input.words());
    if (!isValid(input, vulkan)) return std::nullopt;
    const std::optional<std::string> complaint = validateOutput(out.words, vulkan);
    if (!complaint) return std::nullopt;
    return "valid input, invalid output: " + *complaint + "\nfrom:\n" +
           rewrite::disassemble(input.specialisedWords()) + "\nto:\n" +
           rewrite::disassemble(out.words);
}

}  // namespace

bool isTooDeepToValidate(std::span<const uint32_t> words) {
    std::unordered_map<uint32_t, uint64_t> members;
    for (const Instruction& i : split(words).instructions) {
        if (i.opcode() != spv::Op::OpTypeStruct && i.opcode() != spv::Op::OpTypeFunction &&
            i.opcode() != spv::Op::OpTypeArray)
            continue;
        uint64_t count = 1;
        for (size_t at = i.firstOperand(); at < i.words.size(); ++at) {
            const auto member = members.find(i.words[at].value);
            count += member != members.end() ? member->second : 1;
        }
        if (count > kMostMembers) return true;
        members[i.result()] = count;
    }
    return false;
}

std::optional<std::string> checkRewrite(std::span<const uint8_t> bytes) {
    const RewriteInput input(bytes);
    const Result<Rewritten> out = rewrite::rewrite(input.request(), input.target());
    if (!out && out.error().message.empty()) return "refused without a reason";
    if (!out && out.error().message == "internal error") return "internal error";
    const uint32_t hash = hashOf(bytes);
    if (hash % kRepeatOneOf == 0) {
        if (auto complaint = compare(out, rewrite::rewrite(input.request(), input.target())))
            return complaint;
    }
    return out ? checkOutput(input, *out, hash) : std::nullopt;
}

}  // namespace coopvk::fuzz

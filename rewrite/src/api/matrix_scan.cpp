// SPDX-License-Identifier: Apache-2.0
#include "api/matrix_scan.hpp"

#include "ir/instruction_words.hpp"

namespace coopvk::rewrite {

namespace {

bool isSubgroup(std::span<const uint32_t> words, uint32_t id) {
    const auto defines = [&](spv::Op opcode, std::span<const uint32_t> i) {
        return opcode == spv::Op::OpConstant && i.size() == 4 && i[2] == id &&
               i[3] == static_cast<uint32_t>(spv::Scope::Subgroup);
    };
    return anyInstruction(words, defines, spv::Op::OpFunction);
}

}  // namespace

bool mayHaveWorkgroupMatrices(std::span<const uint32_t> words) {
    const auto isType = [&](spv::Op opcode, std::span<const uint32_t> i) {
        return opcode == spv::Op::OpTypeCooperativeMatrixKHR && i.size() > 3 &&
               !isSubgroup(words, i[3]);
    };
    return anyInstruction(words, isType, spv::Op::OpFunction);
}

std::optional<Extension> allowsFlexibleSizes(const ExtensionSet& emulated,
                                             const ExtensionFeatures& native) {
    constexpr uint32_t kFlexibleDimensions = 1u << 1, kProperties2 = 1u << 0;
    using enum Extension;
    const auto adds = [&](Extension extension, uint32_t feature) {
        return emulated.contains(extension) && (native[extension] & feature) == 0;
    };
    if (adds(kNvCooperativeMatrix2, kFlexibleDimensions)) return kNvCooperativeMatrix2;
    if (adds(kExtCooperativeMatrixMaintenance1, kProperties2)) {
        return kExtCooperativeMatrixMaintenance1;
    }
    return std::nullopt;
}

}  // namespace coopvk::rewrite

// SPDX-License-Identifier: Apache-2.0
#include "api/matrix_scan.hpp"

#include "ir/instruction.hpp"

namespace coopvk::rewrite {

namespace {

// Visits instructions up to the first function, until visit(opcode, words) is true.
template <typename Visit>
bool anyGlobal(std::span<const uint32_t> words, const Visit& visit) {
    while (!words.empty()) {
        const size_t length = words[0] >> spv::WordCountShift;
        const auto opcode = static_cast<spv::Op>(words[0] & spv::OpCodeMask);
        if (length == 0 || length > words.size() || opcode == spv::Op::OpFunction) return false;
        if (visit(opcode, words.first(length))) return true;
        words = words.subspan(length);
    }
    return false;
}

bool isSubgroup(std::span<const uint32_t> globals, uint32_t id) {
    return anyGlobal(globals, [&](spv::Op opcode, std::span<const uint32_t> words) {
        return opcode == spv::Op::OpConstant && words.size() == 4 && words[2] == id &&
               words[3] == static_cast<uint32_t>(spv::Scope::Subgroup);
    });
}

}  // namespace

bool mayHaveWorkgroupMatrices(std::span<const uint32_t> globals) {
    return anyGlobal(globals, [&](spv::Op opcode, std::span<const uint32_t> words) {
        return opcode == spv::Op::OpTypeCooperativeMatrixKHR && words.size() > 3 &&
               !isSubgroup(globals, words[3]);
    });
}

std::optional<Extension> freesSizes(const ExtensionSet& emulated, const ExtensionFeatures& native) {
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

// SPDX-License-Identifier: Apache-2.0
//
// Whether subgroups that the device does not have are emulated in a shader, or stay the driver's.
#include <algorithm>
#include <format>

#include "api/passes.hpp"
#include "ir/entry_point.hpp"
#include "subgroups/lower.hpp"

namespace coopvk::rewrite {

namespace {

// Whether the driver's subgroups may take the place of wider ones, of which the rest of the lanes
// have no active invocations then: full subgroups are promised neither by the pipeline nor, since
// SPIR-V 1.6, by the workgroup's size.
bool mayKeepSubgroups(const Rewriting& r) {
    constexpr uint32_t kPromises = 0x00010600;
    const uint32_t width = localSize(r.module)[0];
    return !r.target.needsFullSubgroups &&
           (r.module.version() < kPromises || width % r.target.subgroupSize != 0);
}

// Whether the module has matrices or blocks, of which each lane holds a part.
bool needsLanes(const Rewriting& r) {
    return r.out.used.contains(Extension::kIntel2dBlockIo) ||
           std::ranges::any_of(r.module.section(Section::kGlobals), [](const InstructionPtr& i) {
               return isOneOf(i->opcode, {OpTypeCooperativeMatrixKHR, OpTypeCooperativeMatrixNV});
           });
}

}  // namespace

std::optional<Error> chooseSubgroups(Rewriting& r) {
    if (r.target.device.driverSubgroupSize == 0) return std::nullopt;
    const bool isCompute = r.request.stage == Stage::kCompute;
    std::optional<Error> failure;
    if (isCompute) failure = checkSubgroupFlow(r.module, r.target.subgroupSize);
    r.lowersSubgroups = isCompute && !failure;
    r.keepsSubgroups = !r.lowersSubgroups;
    r.out.emulatesSubgroups = true;
    if (r.lowersSubgroups) return std::nullopt;
    const bool hasMatrices = needsLanes(r);
    if (isCompute && (hasMatrices || !mayKeepSubgroups(r))) return failure;
    if (hasMatrices) {
        return Error{ErrorCode::kUnsupported,
                     "matrices need subgroups that the device does not have in this stage"};
    }
    if (failure) {
        r.out.warnings.push_back(std::format("subgroups stay the driver's, of {} lanes: {}",
                                             r.target.device.driverSubgroupSize, failure->message));
    }
    return std::nullopt;
}

std::optional<Error> lowerAnySubgroups(Rewriting& r) {
    if (!r.lowersSubgroups && !r.keepsSubgroups) return std::nullopt;
    LoweringContext context(r.types, r.target);
    return r.lowersSubgroups ? lowerSubgroups(context) : keepNarrowSubgroups(context);
}

}  // namespace coopvk::rewrite

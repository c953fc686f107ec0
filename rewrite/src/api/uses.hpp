// SPDX-License-Identifier: Apache-2.0
//
// What a module uses of matrices, by the extensions that scan() found and the capabilities and
// types that it declares.
#pragma once

#include "ir/module.hpp"
#include "plan/device_plan.hpp"

namespace coopvk::rewrite {

// Extensions that have instructions on whole matrices, such as reductions.
inline constexpr ExtensionSet kOfWholeMatrices = {Extension::kNvCooperativeMatrix2,
                                                  Extension::kExtCooperativeMatrixMaintenance1,
                                                  Extension::kNvCooperativeMatrixDecodeVector};

// Whether tiles that each subgroup computes for itself do not suffice: instructions of these
// extensions work on whole matrices, and matrices of scope Workgroup span subgroups.
bool needsWholeMatrices(const Module& module);
// Removes these extensions and their capabilities.
void removeWholeMatrixDeclarations(Module& module);
// Whether one of these extensions has matrices that are lowered.
bool usesMatrices(ExtensionSet used);
// Whether a module declares matrices of a number format whose matrices are emulated.
bool usesFormatMatrices(std::span<const uint32_t> words, const PlannedTarget& target);
// Returns an emulated extension that allows matrices of sizes that the device does not list, if its
// feature is not native.
std::optional<Extension> allowsFlexibleSizes(ExtensionSet emulated,
                                             const ExtensionFeatures& native);
// Whether Target::addsShapes may affect a module: it has matrices, none of 4-bit components.
bool mayAddShapes(std::span<const uint32_t> words, const PlannedTarget& target);

}  // namespace coopvk::rewrite

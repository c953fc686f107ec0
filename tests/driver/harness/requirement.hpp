// SPDX-License-Identifier: Apache-2.0
//
// The only reason to skip a test: the device lacks something that is named here.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "context.hpp"

namespace coopvk::test {

enum class Requirement {
    kFloat64,
    kInt64,
    kVariablePointers,
    kWorkgroupLayout,
    kReplicatedComposites,
    kShaderObject,
    kModuleIdentifier,
    kGraphics,
    kPipelineLibrary,
    kRayTracing,
    kPipelineBinary,
    kGeneratedCommands,
    kRobustness,
    kAtomicFloat,  // of 32 bits in buffers, with addition
    kBfloat16,     // with its dot product
    kFloat8,
    kLongVector,
    kMicroscaling,  // all features of VK_EXT_shader_ocp_microscaling_types
    kMixedDots,     // all features of VK_VALVE_shader_mixed_float_dot_product
    kConditionalRendering,
    kWorkgroupMatrices,  // the features of VK_NV_cooperative_matrix2
    kFlexibleDimensions,
    kMatrixReductions,
    kMatrixConversions,
    kMatrixElements,
    kMatrixMaintenance1,  // all features of VK_EXT_cooperative_matrix_maintenance1
    kEmulation,           // what only coopvk has to refuse or to survive
    kPacks64,             // 64-bit values made of 32-bit ones, in plain shaders too
    kFourLanes,           // what a text has examples of
    kEmulatedHalves,      // half floats are emulated (COOPVK_TEST_EMULATED_HALVES)
    kNativeShapesOnly,    // development against a driver's own cooperative matrices
};

// Empty if the device has this requirement, else why the test cannot run.
std::string missing(Requirement requirement);
// The same for component types. The device must have all except 64-bit ones.
std::string missing(Component type);

}  // namespace coopvk::test

#define COOPVK_REQUIRE(what)                                                       \
    do {                                                                           \
        if (const std::string why_ = ::coopvk::test::missing(what); !why_.empty()) \
            GTEST_SKIP() << why_;                                                  \
    } while (false)

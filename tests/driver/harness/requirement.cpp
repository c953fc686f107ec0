// SPDX-License-Identifier: Apache-2.0
#include "requirement.hpp"

#include <cstdlib>
#include <string_view>

namespace coopvk::test {
namespace {

struct RequirementRow {
    Requirement requirement;
    bool (*met)(const Context&);
    const char* why;
};
constexpr RequirementRow kTable[] = {
    {Requirement::kFloat64, [](const Context& c) { return c.supports(Component::kF64); },
     "the device has no shaderFloat64"},
    {Requirement::kInt64, [](const Context& c) { return c.supports(Component::kS64); },
     "the device has no shaderInt64"},
    {Requirement::kVariablePointers,
     [](const Context& c) { return bool{c.features.v11.variablePointers == VK_TRUE}; },
     "the device has no variablePointers"},
    {Requirement::kWorkgroupLayout,
     [](const Context& c) {
         return bool{c.features.workgroupLayout.workgroupMemoryExplicitLayout == VK_TRUE};
     },
     "the device has no workgroupMemoryExplicitLayout"},
    {Requirement::kReplicatedComposites,
     [](const Context& c) {
         return bool{c.features.replicatedComposites.shaderReplicatedComposites == VK_TRUE};
     },
     "the device has no shaderReplicatedComposites"},
    {Requirement::kShaderObject,
     [](const Context& c) { return bool{c.features.shaderObject.shaderObject == VK_TRUE}; },
     "the device has no shaderObject"},
    {Requirement::kModuleIdentifier,
     [](const Context& c) {
         return bool{c.features.moduleIdentifier.shaderModuleIdentifier == VK_TRUE};
     },
     "the device has no shaderModuleIdentifier"},
    {Requirement::kGraphics,
     [](const Context& c) {
         return (c.queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0 && c.features.v13.dynamicRendering &&
                c.features.core.features.fragmentStoresAndAtomics;
     },
     "the queue has no graphics, or the device no fragmentStoresAndAtomics"},
    {Requirement::kPipelineLibrary,
     [](const Context& c) {
         return bool{c.features.pipelineLibrary.graphicsPipelineLibrary == VK_TRUE};
     },
     "the device has no graphicsPipelineLibrary"},
    {Requirement::kRayTracing,
     [](const Context& c) { return bool{c.features.rayTracing.rayTracingPipeline == VK_TRUE}; },
     "the device has no rayTracingPipeline"},
    {Requirement::kPipelineBinary,
     [](const Context& c) { return bool{c.features.pipelineBinary.pipelineBinaries == VK_TRUE}; },
     "the device has no pipelineBinaries"},
    {Requirement::kGeneratedCommands,
     [](const Context& c) {
         return bool{c.features.generatedCommands.deviceGeneratedCommands == VK_TRUE};
     },
     "the device has no deviceGeneratedCommands"},
    {Requirement::kRobustness,
     [](const Context& c) {
         return c.features.v14.pipelineRobustness == VK_TRUE &&
                c.features.cooperativeMatrix.cooperativeMatrixRobustBufferAccess == VK_TRUE;
     },
     "the device has no pipelineRobustness or no cooperativeMatrixRobustBufferAccess"},
    {Requirement::kAtomicFloat,
     [](const Context& c) {
         return bool{c.features.atomicFloat.shaderBufferFloat32AtomicAdd == VK_TRUE};
     },
     "the device has no shaderBufferFloat32AtomicAdd"},
    {Requirement::kBfloat16,
     [](const Context& c) {
         const auto& f = c.features.bfloat16;
         return f.shaderBFloat16Type && f.shaderBFloat16DotProduct;
     },
     "the device has no shaderBFloat16Type or no shaderBFloat16DotProduct"},
    {Requirement::kFloat8,
     [](const Context& c) { return bool{c.features.float8.shaderFloat8 == VK_TRUE}; },
     "the device has no shaderFloat8"},
    {Requirement::kLongVector,
     [](const Context& c) { return bool{c.features.longVector.longVector == VK_TRUE}; },
     "the device has no longVector"},
    {Requirement::kMicroscaling,
     [](const Context& c) {
         const auto& f = c.features.microscaling;
         return f.shaderFloat4 && f.shaderFloat6 && f.shaderFloat8UnsignedE8M0 && f.shaderMXInt8;
     },
     "the device lacks a feature of VK_EXT_shader_ocp_microscaling_types"},
    {Requirement::kMixedDots,
     [](const Context& c) {
         const auto& f = c.features.mixedDots;
         return f.shaderMixedFloatDotProductFloat16AccFloat32 &&
                f.shaderMixedFloatDotProductFloat16AccFloat16 &&
                f.shaderMixedFloatDotProductBFloat16Acc &&
                f.shaderMixedFloatDotProductFloat8AccFloat32;
     },
     "the device lacks a feature of VK_VALVE_shader_mixed_float_dot_product"},
    {Requirement::kConditionalRendering,
     [](const Context& c) {
         return bool{c.features.conditionalRendering.conditionalRendering == VK_TRUE};
     },
     "the device has no conditionalRendering"},
    {Requirement::kWorkgroupMatrices,
     [](const Context& c) {
         return bool{c.features.matrix2.cooperativeMatrixWorkgroupScope == VK_TRUE};
     },
     "the device has no cooperativeMatrixWorkgroupScope"},
    {Requirement::kFlexibleDimensions,
     [](const Context& c) {
         return bool{c.features.matrix2.cooperativeMatrixFlexibleDimensions == VK_TRUE};
     },
     "the device has no cooperativeMatrixFlexibleDimensions"},
    {Requirement::kMatrixReductions,
     [](const Context& c) {
         return bool{c.features.matrix2.cooperativeMatrixReductions == VK_TRUE};
     },
     "the device has no cooperativeMatrixReductions"},
    {Requirement::kMatrixConversions,
     [](const Context& c) {
         return bool{c.features.matrix2.cooperativeMatrixConversions == VK_TRUE};
     },
     "the device has no cooperativeMatrixConversions"},
    {Requirement::kMatrixElements,
     [](const Context& c) {
         return bool{c.features.matrix2.cooperativeMatrixPerElementOperations == VK_TRUE};
     },
     "the device has no cooperativeMatrixPerElementOperations"},
    {Requirement::kMatrixMaintenance1,
     [](const Context& c) {
         const auto& f = c.features.matrixMaintenance1;
         return f.cooperativeMatrixProperties2 && f.cooperativeMatrixReductions &&
                f.cooperativeMatrixConversions && f.cooperativeMatrixPerElementOperations &&
                f.cooperativeMatrixGetCoordinate;
     },
     "the device has not all of VK_EXT_cooperative_matrix_maintenance1"},
    {Requirement::kEmulatedHalves,
     [](const Context&) { return std::getenv("COOPVK_TEST_EMULATED_HALVES") != nullptr; },
     "the device has half floats of its own"},
    {Requirement::kEmulation, [](const Context& c) { return c.emulated; },
     "a driver's own cooperative matrices need not refuse this"},
    {Requirement::kFourLanes, [](const Context& c) { return c.subgroupSize == 4; },
     "the examples are for subgroups of four"},
    // Mesa 26.1: storing packUint2x32(...) at LP_NATIVE_VECTOR_WIDTH=512 smashes the stack.
    {Requirement::kPacks64,
     [](const Context& c) {
         return c.properties12.driverID != VK_DRIVER_ID_MESA_LLVMPIPE || c.subgroupSize < 16;
     },
     "lavapipe with 16 lanes crashes where plain shaders pack 64-bit values"},
    {Requirement::kNativeShapesOnly,
     [](const Context& c) {
         const char* native = std::getenv("COOPVK_TEST_NATIVE");
         return c.emulated || (native && std::string_view(native) == "all");
     },
     "shapes that only the emulation has to take"},
};

}  // namespace

std::string missing(Requirement requirement) {
    for (const RequirementRow& row : kTable)
        if (row.requirement == requirement)
            return row.met(Context::get()) ? std::string{} : row.why;
    return {};
}

std::string missing(Component type) {
    switch (type) {
        case Component::kF64:
            return missing(Requirement::kFloat64);
        case Component::kS64:
        case Component::kU64:
            return missing(Requirement::kInt64);
        default:
            if (info(type).hasArithmetic() || Context::get().supports(type)) return {};
            return "the device has no matrices of this format";
    }
}

}  // namespace coopvk::test

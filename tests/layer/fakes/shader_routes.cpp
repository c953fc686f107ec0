// SPDX-License-Identifier: Apache-2.0
#include "fakes/shader_routes.hpp"

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::test {

Words matrixShader() { return assemble(multiplyModule(16, 16, 16)); }

Words plainShader() {
    return assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%f = OpTypeFunction %void
%main = OpFunction %void None %f
%label = OpLabel
OpReturn
OpFunctionEnd
)");
}

bool isRewritten(const Words& words) {
    return rewrite::scan(words, rewrite::ExtensionSet::all()).empty() &&
           rewrite::disassemble(words).find("StorageBuffer") != std::string::npos &&
           !rewrite::validate(words).has_value();
}

}  // namespace coopvk::test

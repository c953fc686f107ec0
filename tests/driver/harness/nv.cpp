// SPDX-License-Identifier: Apache-2.0
#include "nv.hpp"

#include "context.hpp"

namespace coopvk::test::nv {

std::string missing() {
    const Context& context = Context::get();
    if (context.features.nvCooperativeMatrix.cooperativeMatrix) return {};
    if (context.emulated)
        throw std::runtime_error("coopvk does not emulate VK_NV_cooperative_matrix");
    return "the device has no VK_NV_cooperative_matrix";
}

std::string header(uint32_t subgroups) {
    std::string text = glsl::header(subgroups);
    const std::string_view khr = "#extension GL_KHR_cooperative_matrix : require\n";
    text.replace(text.find(khr), khr.size(),
                 "#extension GL_NV_cooperative_matrix : require\n"
                 "#extension GL_NV_integer_cooperative_matrix : require\n");
    return text;
}

std::string matrix(Component type, uint32_t rows, uint32_t columns) {
    const ComponentInfo& component = info(type);
    const char* kind = component.isFloat() ? "f" : component.isSigned() ? "i" : "u";
    return std::string(kind) + "coopmatNV<" + std::to_string(component.bits()) +
           ", gl_ScopeSubgroup, " + std::to_string(rows) + ", " + std::to_string(columns) + ">";
}

std::string textWithoutKhr(const Assembly& assembly) {
    std::string text = assemblyText(assembly);
    for (const std::string_view khr :
         {"OpCapability CooperativeMatrixKHR\n", "OpExtension \"SPV_KHR_cooperative_matrix\"\n"}) {
        text.erase(text.find(khr), khr.size());
    }
    return text;
}

}  // namespace coopvk::test::nv

// SPDX-License-Identifier: Apache-2.0
#include "compare/selftest/shader_device.hpp"

#include <stdexcept>

#include "compare/run/gpu.hpp"
#include "extension_structures.hpp"
#include "system/system.hpp"

namespace coopvk::compare {
namespace {

void setEnvironment(std::span<const rewrite::Extension> extensions, const std::string& backEnd) {
    using layer::system::setVariable;
    layer::system::unsetVariable("COOPVK_DISABLE");
    setVariable("COOPVK_ENABLE", "1");
    std::string names;
    for (const rewrite::Extension extension : extensions)
        names += (names.empty() ? "" : ",") + std::string(rewrite::info(extension).vulkanName);
    setVariable("COOPVK_EMULATE", names);
    setVariable("COOPVK_REMEMBER", "off");
    setVariable("COOPVK_BACK_END", backEnd);
}

}  // namespace

ShaderDevice::ShaderDevice(uint32_t index, std::span<const rewrite::Extension> extensions,
                           const std::string& backEnd) {
    setEnvironment(extensions, backEnd);
    find("coopvk selftest", index, layeredInstance());
    if (!hasTool("coopvk")) throw std::runtime_error("the loader does not find coopvk's layer");
    std::vector<vulkan::FeatureStructure> structures;
    for (const rewrite::Extension extension : extensions) {
        structures.push_back(tool::structureOf(extension));
        if (!lists(structures.back().extension))
            throw std::runtime_error("coopvk does not offer it here (coopvk info says why)");
    }
    create(structures);
}

}  // namespace coopvk::compare

// SPDX-License-Identifier: Apache-2.0
//
// A function besides main, as SPIR-V text that is built line by line.
#pragma once

#include "compare/shaders/module_text.hpp"

namespace coopvk::compare {

// "%result = OpFunction ..." of a function with parameters of the given types: %name_0, %name_1...
class FunctionText {
 public:
    FunctionText(ModuleText& text, std::string name, std::string result,
                 const std::vector<std::string>& parameters)
        : module_(text), name_(std::move(name)), result_(std::move(result)) {
        std::string types;
        for (const std::string& type : parameters) types += " " + type;
        const std::string type = text.declare(name_ + "_type", "OpTypeFunction " + result_ + types);
        text_ = "%" + name_ + " = OpFunction " + result_ + " None " + type + "\n";
        for (size_t i = 0; i < parameters.size(); ++i)
            text_ += parameter(i) + " = OpFunctionParameter " + parameters[i] + "\n";
        text_ += "%" + name_ + "_entry = OpLabel\n";
    }
    std::string parameter(size_t i) const { return "%" + name_ + "_" + std::to_string(i); }
    // "%x = OPERATION type operands"; gives %x.
    std::string line(const std::string& operation, const std::string& type,
                     const std::string& operands) {
        const std::string id = module_.fresh(name_ + "_v");
        text_ += id + " = " + operation + " " + type + " " + operands + "\n";
        return id;
    }
    // Adds the function to the module; gives its id.
    std::string end(const std::string& value) {
        module_.function(text_ + "OpReturnValue " + value + "\nOpFunctionEnd\n");
        return "%" + name_;
    }

 private:
    ModuleText& module_;
    std::string name_, result_, text_;
};

// Converts a component to the type with which shaders compute, and back.
inline std::string widened(ModuleText& text, FunctionText& function, Component component,
                           const std::string& value) {
    if (hasArithmetic(component)) return value;
    return function.line("OpFConvert", text.scalar(arithmeticOf(component)), value);
}
inline std::string narrowed(ModuleText& text, FunctionText& function, Component component,
                            const std::string& value) {
    if (hasArithmetic(component)) return value;
    return function.line("OpFConvert", text.component(component), value);
}

// A 32-bit unsigned integer as a component.
inline std::string fromInteger(ModuleText& text, FunctionText& function, Component component,
                               const std::string& value) {
    const ComponentInfo& c = info(component);
    const std::string type = text.component(component);
    if (c.isFloat()) return function.line("OpConvertUToF", type, value);
    if (component == VK_COMPONENT_TYPE_UINT32_KHR) return value;
    if (component == VK_COMPONENT_TYPE_SINT32_KHR) return function.line("OpBitcast", type, value);
    return function.line(c.isSigned() ? "OpSConvert" : "OpUConvert", type, value);
}

}  // namespace coopvk::compare

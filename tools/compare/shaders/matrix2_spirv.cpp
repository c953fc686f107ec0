// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/matrix2_spirv.hpp"

namespace coopvk::compare {
namespace {

void addExtension(ModuleText& text, std::string_view capability) {
    text.capability(capability);
    text.extension("SPV_NV_cooperative_matrix2");
}

// "%result = OpFunction ..." of a function with parameters of the given types: %name_0, %name_1...
class Function {
 public:
    Function(ModuleText& text, std::string name, std::string result,
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

// A 32-bit unsigned integer as a component.
std::string fromInteger(ModuleText& text, Function& function, Component component,
                        const std::string& value) {
    const ComponentInfo& c = info(component);
    const std::string type = text.scalar(component);
    if (c.isFloat()) return function.line("OpConvertUToF", type, value);
    if (component == VK_COMPONENT_TYPE_UINT32_KHR) return value;
    if (component == VK_COMPONENT_TYPE_SINT32_KHR) return function.line("OpBitcast", type, value);
    return function.line(c.isSigned() ? "OpSConvert" : "OpUConvert", type, value);
}

std::string greatest(ModuleText& text, Function& function, Component component) {
    const ComponentInfo& c = info(component);
    const std::string boolean = text.declare("bool", "OpTypeBool");
    const std::string pair = function.parameter(0) + " " + function.parameter(1);
    const std::string isGreater = function.line(c.isFloat()    ? "OpFOrdGreaterThan"
                                                : c.isSigned() ? "OpSGreaterThan"
                                                               : "OpUGreaterThan",
                                                boolean, pair);
    return function.line("OpSelect", text.scalar(component), isGreater + " " + pair);
}

}  // namespace

void addNv2Capability(ModuleText& text, std::string_view opcode) {
    if (opcode == "OpCooperativeMatrixConvertNV" || opcode == "OpCooperativeMatrixTransposeNV")
        addExtension(text, "CooperativeMatrixConversionsNV");
}

std::string reduceOperands(ModuleText& text, const Reduce& reduce, Component component) {
    constexpr std::string_view kMasks[] = {"Row", "Column", "Row|Column", "2x2"};
    addExtension(text, "CooperativeMatrixReductionsNV");
    const std::string type = text.scalar(component);
    Function combine(text, "combine", type, {type, type});
    const std::string value =
        reduce.by == Reduce::By::kGreatest
            ? greatest(text, combine, component)
            : combine.line(info(component).isFloat() ? "OpFAdd" : "OpIAdd", type,
                           combine.parameter(0) + " " + combine.parameter(1));
    return " " + std::string(kMasks[static_cast<size_t>(reduce.of)]) + " " + combine.end(value);
}

std::string perElementOperands(ModuleText& text, Component component) {
    addExtension(text, "CooperativeMatrixPerElementOperationsNV");
    const std::string type = text.scalar(component), u32 = text.u32();
    Function each(text, "each", type, {u32, u32, type, type});
    const std::string add = info(component).isFloat() ? "OpFAdd" : "OpIAdd";
    const std::string row =
        each.line("OpIMul", u32, each.parameter(0) + " " + text.constant(kPerElementPitch));
    const std::string place = each.line("OpIAdd", u32, row + " " + each.parameter(1));
    const std::string number = fromInteger(text, each, component, place);
    const std::string sum = each.line(add, type, each.parameter(2) + " " + number);
    const std::string function = each.end(each.line(add, type, sum + " " + each.parameter(3)));
    const uint64_t more =
        info(component).isFloat() ? encode(component, kPerElementMore) : uint64_t{kPerElementMore};
    return " " + function + " " + text.constant(component, more);
}

}  // namespace coopvk::compare

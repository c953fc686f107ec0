// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/tensor_spirv.hpp"

#include "compare/shaders/function_text.hpp"

namespace coopvk::compare {
namespace {

std::string listOf(ModuleText& text, const TensorNumbers& numbers) {
    std::string list;
    for (const uint32_t number : numbers) list += " " + text.constant(number);
    return list;
}

// A chain of states, each made of the one before.
class State {
 public:
    State(ModuleText& text, std::string type, const std::string& create)
        : text_(text), type_(std::move(type)), id_(text.fresh("state")) {
        text_.line(id_ + " = " + create + " " + type_);
    }
    void set(std::string_view opcode, const std::string& operands) {
        const std::string next = text_.fresh("state");
        text_.line(next + " = " + std::string(opcode) + " " + type_ + " " + id_ + operands);
        id_ = next;
    }
    const std::string& id() const { return id_; }

 private:
    ModuleText& text_;
    std::string type_, id_;
};

std::string layoutState(ModuleText& text, const TensorLayout& layout) {
    const auto dimensions = static_cast<uint32_t>(layout.dimensions());
    const std::string count = text.constant(dimensions);
    const std::string mode = text.constant(static_cast<uint32_t>(layout.clamp));
    State state(text, text.declare("tensor_layout", "OpTypeTensorLayoutNV " + count + " " + mode),
                "OpCreateTensorLayoutNV");
    if (layout.blockSize != TensorNumbers(dimensions, 1))
        state.set("OpTensorLayoutSetBlockSizeNV", listOf(text, layout.blockSize));
    state.set("OpTensorLayoutSetDimensionNV", listOf(text, layout.dimension));
    if (!layout.stride.empty()) state.set("OpTensorLayoutSetStrideNV", listOf(text, layout.stride));
    TensorNumbers slices;
    for (size_t d = 0; d < dimensions; ++d)
        slices.insert(slices.end(), {layout.offset[d], layout.span[d]});
    state.set("OpTensorLayoutSliceNV", listOf(text, slices));
    if (layout.clamp == TensorClamp::kConstant)
        state.set("OpTensorLayoutSetClampValueNV", " " + text.constant(layout.clampValue));
    return state.id();
}

std::string viewState(ModuleText& text, const TensorView& view) {
    const auto dimensions = static_cast<uint32_t>(view.permutation.size());
    const std::string boolean = text.declare("bool", "OpTypeBool");
    const std::string has = view.dimension.empty()
                                ? text.declare("false", "OpConstantFalse " + boolean)
                                : text.declare("true", "OpConstantTrue " + boolean);
    const std::string operands =
        text.constant(dimensions) + " " + has + listOf(text, view.permutation);
    State state(text, text.declare("tensor_view", "OpTypeTensorViewNV " + operands),
                "OpCreateTensorViewNV");
    if (!view.dimension.empty())
        state.set("OpTensorViewSetDimensionNV", listOf(text, view.dimension));
    if (view.clip)
        state.set("OpTensorViewSetClipNV", listOf(text, {view.clip->row, view.clip->rows,
                                                         view.clip->column, view.clip->columns}));
    return state.id();
}

// Sum of factors[d] * coordinates[d].
std::string weighted(ModuleText& text, FunctionText& function, const std::string& coordinates,
                     const TensorNumbers& factors) {
    std::string sum = text.constant(0);
    for (size_t d = 0; d < factors.size(); ++d) {
        const std::string c =
            function.line("OpCompositeExtract", text.u32(), coordinates + " " + std::to_string(d));
        const std::string term =
            function.line("OpIMul", text.u32(), c + " " + text.constant(factors[d]));
        sum = function.line("OpIAdd", text.u32(), sum + " " + term);
    }
    return sum;
}

// A pointer to a block.
std::string blockPointer(ModuleText& text) {
    const std::string u32 = text.u32();
    const std::string words = text.declare(
        "words", "OpTypeArray " + u32 + " " + text.constant(kBlockBytes / sizeof(uint32_t)));
    text.decorate("OpDecorate " + words + " ArrayStride 4");
    text.decorate("OpDecorate %quants Block");
    text.decorate("OpMemberDecorate %quants 0 Offset 0");
    return text.pointer("PhysicalStorageBuffer", text.declare("quants", "OpTypeStruct " + words));
}

std::string decodeFunction(ModuleText& text, const TensorLayout& layout, Component component) {
    text.capability("CooperativeMatrixBlockLoadsNV");
    text.capability("PhysicalStorageBufferAddresses");
    const std::string u32 = text.u32();
    const std::string numbers =
        text.declare("coordinates", "OpTypeArray " + u32 + " " +
                                        text.constant(static_cast<uint32_t>(layout.dimensions())));
    const std::string pointer = blockPointer(text);
    FunctionText decode(text, "decode", text.component(component), {pointer, numbers, numbers});
    text.decorate("OpDecorate " + decode.parameter(0) + " Aliased");
    const auto line = [&](std::string_view opcode, const std::string& a, uint32_t b) {
        return decode.line(std::string(opcode), u32, a + " " + text.constant(b));
    };
    TensorNumbers places;
    for (uint32_t d = 0; d < layout.dimensions(); ++d) places.push_back(d + 1);
    const std::string block = weighted(text, decode, decode.parameter(1), places);
    const std::string i =
        weighted(text, decode, decode.parameter(2), packedStrides(layout.blockSize));
    const std::string word = line("OpShiftRightLogical", i, 2);
    const std::string at = decode.line("OpAccessChain", text.pointer("PhysicalStorageBuffer", u32),
                                       decode.parameter(0) + " " + text.constant(0) + " " + word);
    const std::string quants = decode.line("OpLoad", u32, at + " Aligned 4");
    const std::string shift = line("OpIMul", line("OpBitwiseAnd", i, 3), 8);
    const std::string shifted = decode.line("OpShiftRightLogical", u32, quants + " " + shift);
    const std::string quant = line("OpBitwiseAnd", shifted, 15);
    const std::string ofPlace = line("OpIMul", i, 16);
    const std::string ofBlock = line("OpIMul", line("OpBitwiseAnd", block, 3), 256);
    const std::string sum = decode.line("OpIAdd", u32, quant + " " + ofPlace);
    std::string all = decode.line("OpIAdd", u32, sum + " " + ofBlock);
    if (const uint32_t mask = decodedMask(component)) {
        const std::string fours = line("OpShiftRightLogical", all, 4);
        const std::string eights = line("OpShiftRightLogical", all, 8);
        const std::string both = decode.line("OpBitwiseXor", u32, all + " " + fours);
        all = line("OpBitwiseAnd", decode.line("OpBitwiseXor", u32, both + " " + eights), mask);
    }
    return decode.end(fromInteger(text, decode, component, all));
}

// Of loads and stores alike; `decode` may be empty.
std::string operandsOf(ModuleText& text, const TensorAccess& access, const std::string& decode,
                       const ModuleText::Array& array) {
    text.capability("TensorAddressingNV");
    text.capability("CooperativeMatrixTensorAddressingNV");
    text.extension("SPV_NV_tensor_addressing");
    text.extension("SPV_NV_cooperative_matrix2");
    const std::string layout = layoutState(text, access.layout);
    std::string memory = ModuleText::memoryOperands(array), mask, ids;
    if (access.view) {
        mask = "TensorView";
        ids = " " + viewState(text, *access.view);
    }
    if (!decode.empty()) {
        mask += mask.empty() ? "DecodeFunc" : "|DecodeFunc";
        ids += " " + decode;
    }
    return " " + layout + (memory.empty() ? " None" : memory) + " " +
           (mask.empty() ? "None" : mask) + ids;
}

}  // namespace

std::string tensorOperands(ModuleText& text, const TensorLoad& load, Component component,
                           const ModuleText::Array& from) {
    return operandsOf(text, load.access,
                      load.decodes ? decodeFunction(text, load.access.layout, component) : "",
                      from);
}

std::string tensorOperands(ModuleText& text, const TensorStore& store,
                           const ModuleText::Array& to) {
    return operandsOf(text, store.access, "", to);
}

}  // namespace coopvk::compare

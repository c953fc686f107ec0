// SPDX-License-Identifier: Apache-2.0
//
// Loads of tensors with decode functions (SPV_NV_cooperative_matrix2, and
// SPV_NV_cooperative_matrix_decode_vector).
#include <cmath>

#include "tensors.hpp"

namespace coopvk::programs {

std::string Tensor::operands(const std::string& names, const std::string& ids) const {
    std::string mask = view.empty() ? "" : "TensorView";
    if (!names.empty()) mask += (mask.empty() ? "" : "|") + names;
    return (mask.empty() ? "None" : mask) + " " + view + " " + ids;
}

Tensor makeTensor(MatrixWriter& w, const MatrixType& type, const TensorChoice& choice) {
    w.text.need("TensorAddressingNV", "SPV_NV_tensor_addressing");
    w.text.need("CooperativeMatrixTensorAddressingNV", "SPV_NV_cooperative_matrix2");
    Text& text = w.text;
    const std::string layout = text.global(
        std::format("OpTypeTensorLayoutNV {} {}", text.u32(2), text.u32(choice.clampMode)));
    const bool hasView = w.chance(3);
    const uint32_t rows = hasView ? type.columns : type.rows;
    const uint32_t columns = hasView ? type.rows : type.columns;
    const uint32_t firstRow = w.pick(kNumbers), firstColumn = w.chance(2) ? 0 : w.pick(kNumbers);
    const bool mayLeave = choice.clampMode != 0 || choice.isStore;
    const uint32_t height = rows + (mayLeave ? w.pick(6) : firstRow);
    const uint32_t width = columns + (mayLeave ? w.pick(6) : firstColumn);
    Tensor made;
    made.layout = text.value("OpCreateTensorLayoutNV " + layout);
    if (choice.blockRows * choice.blockColumns != 1)
        made.layout =
            text.value(std::format("OpTensorLayoutSetBlockSizeNV {} {} {} {}", layout, made.layout,
                                   w.number(choice.blockRows), w.number(choice.blockColumns)));
    made.layout = text.value(std::format("OpTensorLayoutSetDimensionNV {} {} {} {}", layout,
                                         made.layout, w.number(height), w.number(width)));
    made.layout = text.value(std::format("OpTensorLayoutSliceNV {} {} {} {} {} {}", layout,
                                         made.layout, w.number(firstRow), text.u32(rows),
                                         w.number(firstColumn), text.u32(columns)));
    if (hasView) {
        const std::string view = text.global(std::format(
            "OpTypeTensorViewNV {} {} {} {}", text.u32(2),
            text.global("OpConstantFalse " + text.global("OpTypeBool")), text.u32(1), text.u32(0)));
        made.view = text.value("OpCreateTensorViewNV " + view);
    }
    return made;
}

namespace {

using enum Component;

// struct Block { uint16_t d; uint8_t q[bytes - 2]; }, and a structure of it for addresses.
struct Block {
    uint32_t rows, columns, bytes;
    std::string block, reference, pointer;
};

Block makeBlock(MatrixWriter& w) {
    static constexpr uint32_t kColumns[] = {4, 8, 16, 2};
    Block made{.rows = 1 + w.pick(2), .columns = w.any(kColumns)};
    Text& text = w.text;
    made.bytes = 2 + made.rows * made.columns;
    const std::string bytes =
        text.global(std::format("OpTypeArray {} {}", text.type(kU8), text.u32(made.bytes - 2)));
    made.block = text.global(std::format("OpTypeStruct {} {}", text.type(kU16), bytes));
    made.reference = text.global("OpTypeStruct " + made.block);
    made.pointer = text.global("OpTypePointer PhysicalStorageBuffer " + made.reference);
    text.decorate("OpDecorate " + bytes + " ArrayStride 1");
    text.decorate("OpMemberDecorate " + made.block + " 0 Offset 0");
    text.decorate("OpMemberDecorate " + made.block + " 1 Offset 2");
    text.decorate("OpDecorate " + made.reference + " Block");
    text.decorate("OpMemberDecorate " + made.reference + " 0 Offset 0");
    return made;
}

std::string converted(MatrixWriter& w, Component to, const std::string& value) {
    Text& text = w.text;
    if (info(to).isFloat) {
        const std::string f32 = text.type(Component::kF32);
        const std::string number = text.value(std::format("OpConvertUToF {} {}", f32, value));
        if (to == Component::kF32) return number;
        return text.value(std::format("OpFConvert {} {}", text.type(to), number));
    }
    if (info(to).bytes == 4)
        return to == kU32 ? value
                          : text.value(std::format("OpBitcast {} {}", text.type(to), value));
    return text.value(std::format(
        "{} {} {}", info(to).isSigned ? "OpSConvert" : "OpUConvert", text.type(to),
        info(to).isSigned
            ? text.value(std::format("OpBitcast {} {}", text.type(Component::kS32), value))
            : value));
}

// Returns q, or q + d in blocks whose coordinates have an odd sum; or a vector of these.
std::string decodeFunction(MatrixWriter& w, const Block& block, Component component,
                           uint32_t length) {
    Text& text = w.text;
    const std::string u32 = text.type(kU32), scalar = text.type(component);
    const std::string pair = text.global(std::format("OpTypeArray {} {}", u32, text.u32(2)));
    const std::string returned =
        length == 1 ? scalar : text.global(std::format("OpTypeVector {} {}", scalar, length));
    const std::string type =
        text.global(std::format("OpTypeFunction {0} {1} {2} {2}", returned, block.pointer, pair));
    const std::string toByte = text.global("OpTypePointer PhysicalStorageBuffer " + text.type(kU8));
    const std::string toShort =
        text.global("OpTypePointer PhysicalStorageBuffer " + text.type(kU16));
    const std::string zero = text.u32(0), one = text.u32(1), columns = text.u32(block.columns);
    const std::string boolean = w.boolean();
    text.beginFunction();
    const std::string id = text.value(std::format("OpFunction {} None {}", returned, type));
    const std::string pointer = text.value("OpFunctionParameter " + block.pointer);
    const std::string at = text.value("OpFunctionParameter " + pair);
    const std::string in = text.value("OpFunctionParameter " + pair);
    text.label(text.fresh());
    const auto part = [&](const std::string& of, uint32_t index) {
        return text.value(std::format("OpCompositeExtract {} {} {}", u32, of, index));
    };
    const auto binary = [&](const char* opcode, const std::string& x, const std::string& y) {
        return text.value(std::format("{} {} {} {}", opcode, u32, x, y));
    };
    const auto load = [&](const std::string& toType, Component of, const std::string& indices,
                          uint32_t alignment) {
        const std::string place =
            text.value(std::format("OpAccessChain {} {} {}", toType, pointer, indices));
        const std::string loaded =
            text.value(std::format("OpLoad {} {} Aligned {}", text.type(of), place, alignment));
        return text.value(std::format("OpUConvert {} {}", u32, loaded));
    };
    const std::string d = load(toShort, kU16, zero + " " + zero, 2);
    const std::string first = binary("OpIAdd", binary("OpIMul", part(in, 0), columns), part(in, 1));
    const std::string sum = binary("OpIAdd", part(at, 0), part(at, 1));
    const std::string isOdd = text.value(
        std::format("OpINotEqual {} {} {}", boolean, binary("OpBitwiseAnd", sum, one), zero));
    const std::string added = text.value(std::format("OpSelect {} {} {} {}", u32, isOdd, d, zero));
    std::string elements;
    for (uint32_t i = 0; i < length; ++i) {
        const std::string place = i == 0 ? first : binary("OpIAdd", first, text.u32(i));
        const std::string q = load(toByte, kU8, zero + " " + one + " " + place, 1);
        elements += " " + converted(w, component, binary("OpIAdd", q, added));
    }
    const std::string result =
        length == 1 ? elements.substr(1)
                    : text.value(std::format("OpCompositeConstruct {}{}", returned, elements));
    text.line("OpReturnValue " + result);
    text.endFunction();
    return id;
}

bool decode(MatrixWriter& w) {
    const MatrixType type = w.anyType(w.pick(3));
    if (w.isNv || !w.hasAllFeatures || isNibble(type.component)) return false;
    Text& text = w.text;
    text.need("CooperativeMatrixBlockLoadsNV", "SPV_NV_cooperative_matrix2");
    text.needAddresses();
    const Matrix object = w.take(type, HUGE_VAL);
    const Block block = makeBlock(w);
    std::string names = "DecodeFunc", ids = decodeFunction(w, block, type.component, 1);
    const uint32_t length = block.columns >= 4 && w.chance(2) ? 4 : 2;
    if (w.chance(2)) {
        text.need("CooperativeMatrixDecodeVectorNV", "SPV_NV_cooperative_matrix_decode_vector");
        names += "|DecodeVectorFunc";
        ids += " " + decodeFunction(w, block, type.component, length);
    }
    const Tensor from = makeTensor(
        w, type, {.clampMode = w.pick(5), .blockRows = block.rows, .blockColumns = block.columns});
    const uint32_t stride = block.bytes;
    const std::string variable = w.buffer(block.block, stride, Writer::kOtherKeys + block.bytes);
    const std::string place = text.value(std::format(
        "OpAccessChain {} {} {} {}", text.global("OpTypePointer StorageBuffer " + block.block),
        variable, text.u32(0), w.indexOf(8 * w.pick(8), 8)));
    return w.add(
        text.value(std::format("OpCooperativeMatrixLoadTensorNV {} {} {} {} None {}", w.type(type),
                               place, object.id, from.layout, from.operands(names, ids))),
        type, std::max(8.0, object.bound));
}

constexpr MatrixStatement kDecodeStatements[] = {decode};

}  // namespace

std::span<const MatrixStatement> decodeStatements() { return kDecodeStatements; }

}  // namespace coopvk::programs

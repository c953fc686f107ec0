// SPDX-License-Identifier: Apache-2.0
//
// Statements on vectors: training, unary instructions, functions, structures and arrays.
#include "vectors.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

}  // namespace

// All invocations add to one matrix, or each third one to one of three.
bool VectorWriter::outerProduct() {
    const Component component = chance(2) ? kF16 : kF32;
    const uint32_t m = sizes_[pick(3)], n = sizes_[pick(3)];
    const Vector a = take({component, m}), b = take({component, n});
    const Component inMemory = chance(3) ? kF32 : component;
    const double sum = kVectorInput + a.bound * b.bound * lanes * subgroups_;
    const uint32_t layout = pick(4), bytes = info(inMemory).bytes;
    const bool isOptimal = layout > 1;
    // Rows of optimal layouts have gaps in one of the two executions if they are no multiple.
    if (!holds(inMemory, sum) || layout == 2 || (isOptimal && n * bytes % 16 != 0)) return false;
    const uint32_t stride = ((layout == 1 ? m : n) * bytes + 15) / 16 * 16 + 16 * pick(2);
    const uint32_t size = isOptimal ? m * n * bytes : stride * (layout == 1 ? n : m);
    const uint32_t each = (size + 63) / 64 * 64;
    const bool isOne = chance(2);
    uint32_t first = 0;
    if (!reserve(inMemory, (isOne ? 1 : 3) * each / bytes + 32, first)) return false;
    const uint32_t begin = (first * bytes + 63) / 64 * 64;
    std::string offset = text.u32(begin);
    if (!isOne) {
        const std::string which =
            text.value(std::format("OpUMod {} {} {}", text.type(kU32), invocation(), text.u32(3)));
        offset = add(offset, times(which, each));
    }
    text.need("CooperativeVectorTrainingNV");
    text.line(std::format("OpCooperativeVectorOuterProductAccumulateNV {} {} {} {} {} {} {}",
                          outputArray(inMemory), offset, a.id, b.id, text.u32(layout),
                          text.u32(info(inMemory).vulkan), isOptimal ? "" : text.size(stride)));
    return true;
}

// Sums over invocations, added to memory.
bool VectorWriter::reduceSum() {
    const VectorType of{chance(3) ? kF16 : kF32, sizes_[pick(3)]};
    const Vector x = take(of);
    uint32_t first = 0;
    if (!holds(of.component, kVectorInput + x.bound * lanes * subgroups_) ||
        !reserve(of.component, of.size + 32, first))
        return false;
    const uint32_t bytes = info(of.component).bytes;
    text.need("CooperativeVectorTrainingNV");
    text.line(std::format("OpCooperativeVectorReduceSumAccumulateNV {} {} {}",
                          outputArray(of.component), text.u32((first * bytes + 63) / 64 * 64),
                          x.id));
    return true;
}

bool VectorWriter::extreme() {
    struct Row {
        const char *ofFloats, *ofSigned, *ofUnsigned;
    };
    static constexpr Row kRows[] = {{"FMin", "SMin", "UMin"}, {"FMax", "SMax", "UMax"}};
    const VectorType of = anyType();
    const Row& row = any(kRows);
    const ComponentInfo& component = info(of.component);
    const char* name = component.isFloat    ? row.ofFloats
                       : component.isSigned ? row.ofSigned
                                            : row.ofUnsigned;
    const Vector x = take(of), y = take(of);
    return make(std::format("OpExtInst {} {} {} {} {}", type(of), text.glsl(), name, x.id, y.id),
                of, std::max(x.bound, y.bound));
}

bool VectorWriter::negate() {
    const VectorType of = anyType();
    const Vector x = take(of);
    const bool isFloat = info(of.component).isFloat;
    return make(std::format("{} {} {}", isFloat ? "OpFNegate" : "OpSNegate", type(of), x.id), of,
                isFloat ? x.bound : HUGE_VAL);
}

// A function of two vectors that gives their difference, or the second one.
bool VectorWriter::call() {
    if (depth_ != 0) return false;
    const VectorType of = anyType();
    const Vector x = take(of), y = take(of);
    const bool isFloat = info(of.component).isFloat;
    const double sum = isFloat ? x.bound + y.bound : HUGE_VAL;
    const bool subtracts = holds(of.component, sum) && chance(2);
    const std::string vector = type(of);
    const std::string functionType = text.global(std::format("OpTypeFunction {0} {0} {0}", vector));
    text.beginFunction();
    const std::string function =
        text.value(std::format("OpFunction {} None {}", vector, functionType));
    const std::string a = text.value("OpFunctionParameter " + vector);
    const std::string b = text.value("OpFunctionParameter " + vector);
    text.label(text.fresh());
    const std::string result =
        !subtracts
            ? b
            : text.value(std::format("{} {} {} {}", isFloat ? "OpFSub" : "OpISub", vector, a, b));
    text.line("OpReturnValue " + result);
    text.endFunction();
    return make(std::format("OpFunctionCall {} {} {} {}", vector, function, x.id, y.id), of,
                subtracts ? sum : y.bound);
}

// struct { first; second[2]; } in a variable: an element at an index that differs between
// invocations is replaced, as is a component of the other vector.
bool VectorWriter::composite() {
    const Vector a = take(anyType());
    const VectorType of = anyType();
    const Vector b = take(of), c = take(of), y = take(of);
    const std::string array = text.global(std::format("OpTypeArray {} {}", type(of), text.size(2)));
    const std::string structure =
        text.global(std::format("OpTypeStruct {} {}", type(a.type), array));
    const std::string both =
        text.value(std::format("OpCompositeConstruct {} {} {}", array, b.id, c.id));
    const std::string whole =
        text.value(std::format("OpCompositeConstruct {} {} {}", structure, a.id, both));
    const std::string variable = text.local(text.global("OpTypePointer Function " + structure));
    text.line(std::format("OpStore {} {}", variable, whole));
    const auto part = [&](const std::string& partType, const std::string& indices) {
        return text.value(std::format("OpAccessChain {} {} {}",
                                      text.global("OpTypePointer Function " + partType), variable,
                                      indices));
    };
    const auto index = [&](uint32_t end) {
        if (chance(2)) return number(pick(std::min(end, kNumbers)));
        return text.value(
            std::format("OpUMod {} {} {}", text.type(kU32), invocation(), text.u32(end)));
    };
    text.line(std::format("OpStore {} {}", part(type(of), text.u32(1) + " " + index(2)), y.id));
    if (chance(2)) {
        const std::string scalar = text.type(a.type.component);
        const std::string component = part(scalar, text.u32(0) + " " + index(a.type.size));
        const std::string other = text.value(
            std::format("OpVectorExtractDynamic {} {} {}", scalar, a.id, index(a.type.size)));
        text.line(std::format("OpStore {} {}", component, other));
        make(std::format("OpLoad {} {}", type(a.type), part(type(a.type), text.u32(0))), a.type,
             a.bound);
    }
    const std::string read = part(type(of), text.u32(1) + " " + index(2));
    return make(std::format("OpLoad {} {}", type(of), read), of,
                std::max({b.bound, c.bound, y.bound}));
}

// A vector of words, each of which has four bytes of the input.
bool VectorWriter::multiplyPacked() {
    static constexpr uint32_t kSigned8 = 1000491000, kUnsigned8 = 1000491001;
    const bool isSigned = chance(2);
    const Component matrix = isSigned ? kS8 : kU8;
    const uint32_t m = sizes_[pick(3)], k = sizes_[pick(3)];
    const VectorType of{isSigned ? kS32 : kU32, m};
    const Vector words = take({kU32, k / 4});
    const uint32_t stride = (k + 15) / 16 * 16;
    return make(std::format("OpCooperativeVectorMatrixMulNV {} {} {} {} {} {} {} {} {} {} {}{}",
                            type(of), words.id, text.u32(isSigned ? kSigned8 : kUnsigned8),
                            inputArray(matrix), weightsAt(), text.u32(info(matrix).vulkan),
                            text.size(m), text.size(k), text.u32(0), boolean(false),
                            text.size(stride), isSigned ? " MatrixResultSignedComponentsKHR" : ""),
                of, HUGE_VAL);
}

}  // namespace coopvk::programs

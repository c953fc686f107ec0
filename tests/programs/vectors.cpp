// SPDX-License-Identifier: Apache-2.0
//
// Random programs on cooperative vectors. Invocations have different values, and may part.
#include <algorithm>
#include <cmath>

#include "writer.hpp"

namespace coopvk::programs {
namespace {

using enum Component;

struct VectorType {
    Component component = kF32;
    uint32_t size = 16;
    bool operator==(const VectorType&) const = default;
};

// No component is larger than `bound`.
struct Vector {
    std::string id;
    VectorType type;
    double bound = 0;
};

// A product: components of the input as it is and as it is read, of matrix, bias and result.
struct ProductRow {
    Component input, interpretation, matrix, bias, result;
};
constexpr ProductRow kProducts[] = {
    {kF16, kF16, kF16, kF16, kF16},   {kF16, kF16, kF16, kF16, kF16},
    {kF32, kF32, kF32, kF32, kF32},   {kF16, kF16, kF16, kF32, kF32},
    {kF16, kE4M3, kE4M3, kF16, kF16}, {kF16, kE5M2, kE5M2, kF16, kF16},
    {kF32, kS8, kS8, kS32, kS32},     {kS8, kS8, kS8, kS32, kS32},
    {kU8, kU8, kU8, kU32, kU32},
};
constexpr uint32_t kSizes[] = {16, 8, 4, 24, 32};
constexpr uint32_t kMostDepth = 2;
constexpr double kInput = 4;

class VectorWriter final : public Writer {
 public:
    VectorWriter(uint64_t seed, uint32_t lanes_) : Writer(seed, lanes_) {
        text.need("CooperativeVectorNV", "SPV_NV_cooperative_vector");
        subgroups_ = std::min(1u + pick(2), 128 / lanes_);
        product_ = any(kProducts);
        for (uint32_t& size : sizes_) size = any(kSizes);
    }

    Program program() {
        const uint32_t count = 3 + pick(8);
        for (uint32_t made = 0, tries = 0; made < count && tries < 60; ++tries)
            made += statement() ? 1 : 0;
        for (size_t i = live_.size(), stored = 0; i-- > 0 && stored < 6;)
            stored += store(live_[i]) ? 1 : 0;
        Program made{.text = text.module(lanes * subgroups_), .lanes = lanes};
        for (uint32_t n = 0; n < kNumbers; ++n) made.push.push_back(n);
        return made;
    }

 private:
    using Statement = bool (VectorWriter::*)();

    std::string type(const VectorType& of) {
        return text.global(std::format("OpTypeCooperativeVectorNV {} {}", text.type(of.component),
                                       text.u32(of.size)));
    }
    VectorType anyType() {
        const Component components[] = {product_.input, product_.result, product_.bias};
        return {any(components), sizes_[pick(3)]};
    }
    std::string invocation() { return builtIn("LocalInvocationIndex"); }
    std::string times(const std::string& left, uint32_t factor) {
        return text.value(std::format("OpIMul {} {} {}", text.type(kU32), left, text.u32(factor)));
    }
    // Bytes at which this invocation's vector begins; 16-byte aligned.
    std::string offsetOf(uint32_t first, const VectorType& of) {
        return add(number(first), times(invocation(), bytesOf(of)));
    }
    static uint32_t bytesOf(const VectorType& of) {
        return (of.size * info(of.component).bytes + 15) / 16 * 16;
    }
    bool make(const std::string& instruction, const VectorType& of, double bound) {
        live_.push_back({text.value(instruction), of, bound});
        return true;
    }
    static bool holds(Component component, double bound) {
        return !info(component).isFloat || bound <= info(component).limit;
    }

    Vector take(const VectorType& of) {
        std::vector<Vector> suitable;
        for (const Vector& vector : live_)
            if (vector.type == of) suitable.push_back(vector);
        if (!suitable.empty() && !chance(4)) return suitable[pick(suitable.size())];
        const std::string offset = offsetOf(16 * pick(64), of);
        make(std::format("OpCooperativeVectorLoadNV {} {} {}", type(of), inputArray(of.component),
                         offset),
             of, kInput);
        return live_.back();
    }

    bool store(const Vector& vector) {
        const uint32_t bytes = bytesOf(vector.type);
        uint32_t first = 0;
        if (!reserve(vector.type.component,
                     bytes / info(vector.type.component).bytes * lanes * subgroups_, first))
            return false;
        const std::string offset = offsetOf(first * info(vector.type.component).bytes, vector.type);
        text.line(std::format("OpCooperativeVectorStoreNV {} {} {}",
                              outputArray(vector.type.component), offset, vector.id));
        return true;
    }

    // Bytes of a matrix of which every invocation has the same, or one of three.
    std::string weightsAt() {
        const std::string same = number(64 * pick(16));
        if (!chance(4)) return same;
        const std::string which =
            text.value(std::format("OpUMod {} {} {}", text.type(kU32), invocation(), text.u32(3)));
        return add(same, times(which, 64));
    }

    bool multiply() {
        const ProductRow& row = product_;
        const uint32_t m = sizes_[pick(3)], k = sizes_[pick(3)];
        const Vector x = take({row.input, k});
        const bool hasBias = chance(2);
        const double bound = k * kInput * x.bound + (hasBias ? kInput : 0);
        if (!holds(row.result, bound) || !holds(row.interpretation, x.bound)) return false;
        if (info(row.input).isFloat && !info(row.interpretation).isFloat && x.bound > 127)
            return false;
        const VectorType of{row.result, m};
        const bool isColumnMajor = chance(3);
        const uint32_t line = (isColumnMajor ? m : k) * info(row.matrix).bytes;
        std::string mask;
        const auto flag = [&](Component component, const char* name) {
            if (!info(component).isFloat && info(component).isSigned)
                mask += (mask.empty() ? " " : "|") + std::string(name);
        };
        flag(row.input, "MatrixBSignedComponentsKHR");
        flag(row.result, "MatrixResultSignedComponentsKHR");
        std::string bias;
        if (hasBias)
            bias = std::format(" {} {} {}", inputArray(row.bias), number(64 * pick(16)),
                               text.u32(info(row.bias).vulkan));
        return make(
            std::format(
                "{} {} {} {} {} {} {}{} {} {} {} {} {}{}",
                hasBias ? "OpCooperativeVectorMatrixMulAddNV" : "OpCooperativeVectorMatrixMulNV",
                type(of), x.id, text.u32(info(row.interpretation).vulkan), inputArray(row.matrix),
                weightsAt(), text.u32(info(row.matrix).vulkan), bias, text.u32(m), text.u32(k),
                text.u32(isColumnMajor ? 1 : 0),
                text.global("OpConstantFalse " + text.global("OpTypeBool")),
                text.u32((line + 15) / 16 * 16), mask),
            of, bound);
    }

    bool arithmetic() {
        struct Row {
            const char *ofFloats, *ofIntegers;
            bool multiplies;
        };
        static constexpr Row kRows[] = {
            {"OpFAdd", "OpIAdd", false}, {"OpFSub", "OpISub", false}, {"OpFMul", "OpIMul", true}};
        const VectorType of = anyType();
        const Vector x = take(of), y = take(of);
        const Row& row = any(kRows);
        const double bound = row.multiplies ? x.bound * y.bound : x.bound + y.bound;
        if (!holds(of.component, bound)) return false;
        return make(
            std::format("{} {} {} {}", info(of.component).isFloat ? row.ofFloats : row.ofIntegers,
                        type(of), x.id, y.id),
            of, info(of.component).isFloat ? bound : HUGE_VAL);
    }

    bool timesScalar() {
        const VectorType of = anyType();
        const Vector x = take(of);
        const bool isFloat = info(of.component).isFloat;
        if (!isFloat || !holds(of.component, x.bound * 3)) return false;
        return make(std::format("OpVectorTimesScalar {} {} {}", type(of), x.id,
                                text.constant(of.component, static_cast<int>(pick(7)) - 3)),
                    of, x.bound * 3);
    }

    bool convert() {
        VectorType of = anyType();
        const Vector x = take(of);
        static constexpr Component kOthers[] = {kF16, kF32, kS32, kS8};
        of.component = any(kOthers);
        const ComponentInfo &from = info(x.type.component), &to = info(of.component);
        if (of.component == x.type.component || !from.isSigned) return false;
        const char* opcode = from.isFloat && to.isFloat ? "OpFConvert"
                             : from.isFloat             ? "OpConvertFToS"
                             : to.isFloat               ? "OpConvertSToF"
                                                        : "OpSConvert";
        if (to.isFloat && x.bound > to.limit) return false;
        if (from.isFloat && !to.isFloat && x.bound > 127) return false;
        const bool mayWrap = !from.isFloat && !to.isFloat;
        return make(std::format("{} {} {}", opcode, type(of), x.id), of,
                    mayWrap && x.bound > 127 ? HUGE_VAL : x.bound);
    }

    // A component moved to another place, at indices that differ between invocations.
    bool moveComponent() {
        const VectorType of = anyType();
        const Vector x = take(of), y = take(of);
        const std::string scalar = text.type(of.component), u32 = text.type(kU32);
        const auto index = [&] {
            if (chance(2)) return text.u32(pick(of.size));
            return text.value(std::format("OpUMod {} {} {}", u32, invocation(), text.u32(of.size)));
        };
        const std::string element =
            text.value(std::format("OpVectorExtractDynamic {} {} {}", scalar, x.id, index()));
        return make(
            std::format("OpVectorInsertDynamic {} {} {} {}", type(of), y.id, element, index()), of,
            std::max(x.bound, y.bound));
    }

    bool insertConstant() {
        const VectorType of = anyType();
        const Vector x = take(of);
        const std::string element = text.value(std::format(
            "OpCompositeExtract {} {} {}", text.type(of.component), x.id, pick(of.size)));
        return make(
            std::format("OpCompositeInsert {} {} {} {}", type(of), element, x.id, pick(of.size)),
            of, x.bound);
    }

    // A condition that differs between invocations, or not.
    std::string condition() {
        const std::string left = chance(2) ? invocation() : number(pick(kNumbers));
        return text.value(std::format("OpULessThan {} {} {}", text.global("OpTypeBool"), left,
                                      number(1 + pick(kNumbers - 1))));
    }

    void statements(uint32_t most) {
        for (uint32_t count = pick(most + 1), tries = 0; count > 0 && tries < 8; ++tries)
            count -= statement() ? 1 : 0;
    }

    bool branch() {
        if (depth_ >= kMostDepth) return false;
        const VectorType of = anyType();
        const Vector otherwise = take(of);
        const std::string yes = text.fresh(), merge = text.fresh(), isTrue = condition();
        const std::string before = text.block();
        const size_t count = live_.size();
        text.line(std::format("OpSelectionMerge {} None", merge));
        text.line(std::format("OpBranchConditional {} {} {}", isTrue, yes, merge));
        text.label(yes);
        ++depth_;
        statements(3);
        const Vector value = take(of);
        --depth_;
        const std::string last = text.block();
        live_.resize(count);
        text.line("OpBranch " + merge);
        text.label(merge);
        return make(
            std::format("OpPhi {} {} {} {} {}", type(of), value.id, last, otherwise.id, before), of,
            std::max(value.bound, otherwise.bound));
    }

    // x += y, in as many rounds as the invocation's number says.
    bool loop() {
        if (depth_ >= kMostDepth) return false;
        const VectorType of = anyType();
        const Vector start = take(of), y = take(of);
        const bool isFloat = info(of.component).isFloat;
        const double bound = isFloat ? start.bound + 4 * y.bound : HUGE_VAL;
        if (!holds(of.component, bound)) return false;
        const std::string u32 = text.type(kU32), boolean = text.global("OpTypeBool");
        const std::string rounds =
            chance(2) ? number(1 + pick(4))
                      : text.value(std::format("OpUMod {} {} {}", u32, invocation(), text.u32(4)));
        const std::string before = text.block(), header = text.fresh(), merge = text.fresh(),
                          index = text.fresh(), next = text.fresh(), x = text.fresh(),
                          sum = text.fresh();
        text.line("OpBranch " + header);
        text.label(header);
        text.line(std::format("{} = OpPhi {} {} {} {} {}", index, u32, text.u32(0), before, next,
                              header));
        text.line(
            std::format("{} = OpPhi {} {} {} {} {}", x, type(of), start.id, before, sum, header));
        text.line(
            std::format("{} = {} {} {} {}", sum, isFloat ? "OpFAdd" : "OpIAdd", type(of), x, y.id));
        text.line(std::format("{} = OpIAdd {} {} {}", next, u32, index, text.u32(1)));
        const std::string goes =
            text.value(std::format("OpULessThan {} {} {}", boolean, next, rounds));
        text.line(std::format("OpLoopMerge {} {} None", merge, header));
        text.line(std::format("OpBranchConditional {} {} {}", goes, header, merge));
        text.label(merge);
        live_.push_back({sum, of, bound});
        return true;
    }

    // Sums over invocations, added to memory.
    bool reduceSum() {
        const VectorType of{kF32, sizes_[pick(3)]};
        const Vector x = take(of);
        uint32_t first = 0;
        if (x.bound > 4096 || !reserve(kF32, of.size + 16, first)) return false;
        text.need("CooperativeVectorTrainingNV");
        text.line(std::format("OpCooperativeVectorReduceSumAccumulateNV {} {} {}",
                              outputArray(kF32), text.u32(first * 4), x.id));
        return true;
    }

    bool statement() {
        static constexpr Statement kStatements[] = {
            &VectorWriter::multiply,       &VectorWriter::multiply,      &VectorWriter::multiply,
            &VectorWriter::arithmetic,     &VectorWriter::arithmetic,    &VectorWriter::timesScalar,
            &VectorWriter::convert,        &VectorWriter::moveComponent, &VectorWriter::branch,
            &VectorWriter::insertConstant, &VectorWriter::loop,          &VectorWriter::reduceSum,
        };
        return (this->*any(kStatements))();
    }

    uint32_t subgroups_ = 1, depth_ = 0;
    ProductRow product_ = {};
    uint32_t sizes_[3] = {};
    std::vector<Vector> live_;
};

}  // namespace

Program vectorProgram(uint64_t seed, uint32_t lanes) { return VectorWriter(seed, lanes).program(); }

}  // namespace coopvk::programs

// SPDX-License-Identifier: Apache-2.0
//
// SPV_NV_cooperative_vector: loads, stores, products, and training. Each invocation has vectors of
// its own.
#include <algorithm>
#include <cstring>
#include <format>
#include <string_view>

#include "coopvk_reference/symbols.hpp"
#include "execution/shadow.hpp"
#include "matrices/cooperation.hpp"
#include "matrices/layouts.hpp"

namespace coopvk::reference::matrices {

std::optional<VectorMatrix> vectorMatrix(uint32_t componentType, uint32_t layout, uint32_t rows,
                                         uint32_t columns, uint64_t stride) {
    const std::optional<Number> number = numbers::byVulkanType(componentType);
    if (!number || numbers::format(*number).bits % 8 != 0 ||
        layout > uint32_t(VectorLayout::trainingOptimal)) {
        return std::nullopt;
    }
    return VectorMatrix{*number, VectorLayout(layout), rows, columns, stride};
}

bool convertMatrix(const VectorMatrix& from, std::span<const std::byte> source,
                   const VectorMatrix& to, std::span<std::byte> destination) {
    const bool floats =
        numbers::format(from.number).floating() && numbers::format(to.number).floating();
    if (from.rows != to.rows || from.columns != to.columns) return false;
    if (from.number != to.number && !floats) return false;
    const numbers::Conversion conversion(from.number, to.number, numbers::conversionRule(false));
    for (uint32_t row = 0; row < from.rows; ++row) {
        for (uint32_t column = 0; column < from.columns; ++column) {
            uint64_t bits = {};
            std::memcpy(&bits, source.data() + from.offset(row, column), from.elementSize());
            bits = conversion(bits).bits;
            std::memcpy(destination.data() + to.offset(row, column), &bits, to.elementSize());
        }
    }
    return true;
}

std::vector<Element> regroup(std::span<const Element> elements, uint32_t from, uint32_t to,
                             Shadow* shadow) {
    std::vector<Element> result;
    const size_t joined = from < to ? to / from : 1;
    for (size_t first = 0; first + joined <= elements.size(); first += joined) {
        Element whole = kUndefined;
        for (size_t i = 0; i < joined; ++i) {
            whole.bits |= elements[first + i].bits << (i * from);
            whole.defined |= elements[first + i].defined;
        }
        for (uint32_t bit = 0; bit < joined * from; bit += to) {
            const Deviation deviation =
                shadow != nullptr
                    ? shadow->regrouped(elements.subspan(first, joined), from, bit, to)
                    : 0;
            result.push_back({whole.bits >> bit & numbers::lowBits(to), whole.defined, deviation});
        }
    }
    return result;
}

std::vector<Element> interpretInput(std::span<const Element> input, Number from,
                                    Number interpretation, bool packed, uint32_t k,
                                    Shadow* shadow) {
    std::vector<Element> result;
    if (packed) {
        result = regroup(input, numbers::format(from).bits, numbers::format(interpretation).bits,
                         shadow);
    } else {
        const numbers::Conversion conversion(from, interpretation, numbers::inputRule());
        for (const Element& element : input) {
            const uint64_t bits = conversion(element.bits).bits;
            const Deviation deviation =
                shadow != nullptr
                    ? shadow->converted(element, from, interpretation, conversion, bits)
                    : 0;
            result.push_back({bits, element.defined, deviation});
        }
    }
    result.resize(k, Element{0, false});
    return result;
}

namespace {

// Memory from operand `pointer` on, plus the operand behind it: an offset in bytes.
Memory memoryAt(Subgroup& s, uint32_t pointer, uint32_t lane, const Access& access = {}) {
    Pointer at = pointerAt(s, s.operand(pointer), lane);
    at.offset += s.operand(pointer + 1).at(0, lane);
    return {s, at, access};
}

// Vulkan, VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10096 to 10101: pointers, offsets and
// strides "must be aligned". As lines of matrices, that is asked where the native side keeps it.
bool checksAlignment(const Subgroup& s) {
    const Symbols* symbols = s.group->settings->symbols;
    return symbols != nullptr && symbols->checksLines && s.observes(kEventAligned);
}
void checkMultiple(Subgroup& s, uint32_t operand, uint32_t alignment, std::string_view name) {
    const Value value = s.operand(operand);
    s.mask.forEach([&](uint32_t lane) {
        if (value.at(0, lane) % alignment != 0)
            s.report(kCheckBounds, lane,
                     std::format("{} {} bytes, which is not a multiple of {}", name,
                                 value.at(0, lane), alignment));
    });
}
void checkPlace(Subgroup& s, uint32_t pointer, uint32_t alignment) {
    usesDescriptor(s, pointer, 0);
    if (!checksAlignment(s)) return;
    s.uses({kEventAligned, pointer, alignment, alignment});
    checkMultiple(s, pointer + 1, alignment, "an offset of");
}

// Operands: pointer, offset, the object of a store, memory operands.
template <bool kStores>
void access(Subgroup& s) {
    checkPlace(s, 0, 16);
    const Value vector = kStores ? s.operand(2) : s.result();
    const uint32_t bits = vector.type->element->width;
    const Access access = accessOf(*s.program, *s.at, kStores ? 3 : 2);
    forLanes(s, [&](uint32_t lane) {
        const Memory memory = memoryAt(s, 0, lane, access);
        for (uint32_t c = 0; c < vector.components(); ++c)
            memory.move<kStores>(lane, uint64_t(c) * bits, bits, vector, c);
    });
}

// The constant operands of OpCooperativeVectorMatrixMulNV and MulAddNV, once for each program.
struct ProductPlan {
    Number input = Number::f16, interpretation = Number::f16, result = Number::f32;
    std::optional<Number> bias;
    VectorMatrix matrix;  // as it lies in memory
    uint32_t m, k;
    bool packed, transpose;
    std::optional<uint32_t> strideOperand;
};

Status prepareProduct(Program& program, Instruction& i) {
    using Mask = spv::CooperativeMatrixOperandsMask;
    const bool hasBias = i.opcode == OpCooperativeVectorMatrixMulAddNV;
    const uint32_t next = hasBias ? 8 : 5;  // M, K, MemoryLayout, Transpose, MatrixStride
    const auto constant = [&](uint32_t n) { return uint32_t(program.constantAt(i, n)); };
    const uint32_t mask = i.operands.size() > next + 5 ? i[next + 5].word : 0;
    const auto number = [&](const Type& vector, Mask bit) {
        return numberOf(*vector.element, (mask & uint32_t(bit)) != 0);
    };
    ProductPlan plan;
    plan.m = constant(next);
    plan.k = constant(next + 1);
    plan.transpose = constant(next + 3) != 0;
    if (i.operands.size() > next + 4) plan.strideOperand = next + 4;
    plan.input = number(*program.slotAt(i, 0).type, Mask::MatrixBSignedComponentsKHR);
    plan.result = number(*i.type, Mask::MatrixResultSignedComponentsKHR);

    const auto interpretation = numbers::byVulkanType(constant(1));
    const uint32_t rows = plan.transpose ? plan.k : plan.m;
    const uint32_t columns = plan.transpose ? plan.m : plan.k;
    const auto matrix = vectorMatrix(constant(4), constant(next + 2), rows, columns, 0);
    if (hasBias) plan.bias = numbers::byVulkanType(constant(7));
    if (!interpretation || !matrix || (hasBias && !plan.bias))
        return Error{ErrorCode::kUnsupported,
                     "OpCooperativeVectorMatrixMulNV: unknown interpretation or layout"};
    plan.interpretation = *interpretation;
    plan.packed =
        constant(1) == numbers::kSigned8Packed || constant(1) == numbers::kUnsigned8Packed;
    plan.matrix = *matrix;
    plan.matrix.optimal = program.optimalLayout;
    program.usesOptimalLayouts |= matrix->lines() == 0;
    return prepared(i, plan);
}

// Operands: Input, InputInterpretation, Matrix, MatrixOffset, MatrixInterpretation, Bias,
// BiasOffset, BiasInterpretation. Invocations often have the same matrix, which is then read once.
// Notes what fills up the rows of the optimal layouts.
void notePadding(const VectorMatrix& place, const Memory& memory, uint32_t lane) {
    if (place.lines() != 0) return;
    const uint64_t size = place.elementSize();
    const auto end = uint32_t(place.rowSize() / size);
    for (uint32_t row = 0; row < place.rows; ++row)
        for (uint32_t column = place.columns; column < end; ++column) {
            const Span gap = memory.locate(lane, place.offset(row, column), size, false);
            for (uint64_t i = 0; gap.readers != nullptr && i < size; ++i)
                if (gap.readers[i] == 0) gap.readers[i] = kReadsPadding;
        }
}

// SPV_NV_cooperative_vector: "the matrix and bias values must not be modified while a shader might
// be using them", also not by the invocation itself. Proofs ask for that.
void checkUnchanged(Subgroup& s, const Memory& memory, uint32_t lane, uint64_t offset,
                    uint64_t size) {
    if (s.group->settings->symbols == nullptr) return;
    const Span number = memory.locate(lane, offset, size, false);
    if (number.writers != nullptr && std::any_of(number.writers, number.writers + size,
                                                 [](uint32_t position) { return position != 0; }))
        s.report(kCheckProgram, lane, "a matrix or a bias that the dispatch has changed");
}

void product(Subgroup& s, Out result, In input) {
    const auto& plan = s.plan<ProductPlan>();
    const Number biasNumber = plan.bias.value_or(plan.result);
    const uint32_t biasBits = numbers::format(biasNumber).bits;
    VectorMatrix place = plan.matrix;
    const uint32_t bits = uint32_t(place.elementSize()) * 8;
    checkPlace(s, 2, 64);
    if (plan.bias) checkPlace(s, 5, 16);
    if (plan.matrix.lines() != 0 && plan.strideOperand && checksAlignment(s))
        checkMultiple(s, *plan.strideOperand, 16, "a stride of");
    std::optional<Matrix> weights;  // M rows of K elements
    Pointer pointer;
    forLanes(s, [&](uint32_t lane) {
        const Memory memory = memoryAt(s, 2, lane);
        VectorMatrix own = plan.matrix;
        if (plan.strideOperand) own.stride = s.operand(*plan.strideOperand).at(0, lane);
        if (!weights || memory.pointer != pointer || place.stride != own.stride) {
            pointer = memory.pointer;
            place = own;
            weights.emplace(place.number, plan.m, plan.k, [&](uint32_t m, uint32_t k) {
                const uint64_t byte = plan.transpose ? place.offset(k, m) : place.offset(m, k);
                checkUnchanged(s, memory, lane, byte, bits / 8);
                return memory.read(lane, byte * 8, bits);
            });
            notePadding(place, memory, lane);
        }
        const auto factors = interpretInput(elementsAt(input, lane), plan.input,
                                            plan.interpretation, plan.packed, plan.k, s.shadow);
        const Matrix column(plan.interpretation, plan.k, 1,
                            [&](uint32_t k, uint32_t) { return factors[k]; });
        const Matrix bias(biasNumber, plan.m, 1, [&](uint32_t m, uint32_t) {
            if (!plan.bias) return Element{};
            const Memory at = memoryAt(s, 5, lane);
            checkUnchanged(s, at, lane, uint64_t(m) * biasBits / 8, biasBits / 8);
            return at.read(lane, uint64_t(m) * biasBits, biasBits);
        });
        const SumRule rule = sumRule(s, plan.result);
        setElements(result, lane, multiplyAdd(*weights, column, bias, rule).elements);
    });
}

// Training: "behaves as if it were a Relaxed atomic add with Device scope".
void addTo(Subgroup& s, uint32_t lane, uint64_t offset, Number number, double addend, bool defined,
           const Interval& interval) {
    using numbers::decodeDouble, numbers::encodeDouble;
    AtomicAccess access;
    access.isDefined = defined;
    if (s.intervals != nullptr) access.addend = {number, interval};
    memoryAt(s, 0, lane)
        .exchange(lane, offset, numbers::format(number).bits / 8, access, [&](uint64_t old) {
            return encodeDouble(number, decodeDouble(number, old) + addend);
        });
}

// A product that is rounded to the format of the sum.
Interval productOf(const Subgroup& s, Number components, Number sum, const Element& a,
                   const Element& b) {
    if (s.intervals == nullptr) return {};
    SumBounds bounds(sum);
    bounds.addProduct(intervalOf(a.deviation, components, a.bits),
                      intervalOf(b.deviation, components, b.bits));
    return bounds.result();
}

// Operands: Pointer, Offset, A, B, MemoryLayout, MatrixInterpretation, MatrixStride.
void accumulateOuterProduct(Subgroup& s, Unused, Unused, In a, In b) {
    using numbers::decodeDouble, numbers::encodeDouble;
    auto matrix = s.plan<VectorMatrix>();
    const Number components = numberOf(*a.type->element), sum = matrix.number;
    checkPlace(s, 0, 64);
    s.mask.forEach([&](uint32_t lane) {
        if (s.operands() > 6) matrix.stride = s.operand(6).at(0, lane);
        for (uint32_t row = 0; row < matrix.rows; ++row) {
            for (uint32_t column = 0; column < matrix.columns; ++column) {
                const double product = decodeDouble(components, a.at(row, lane)) *
                                       decodeDouble(components, b.at(column, lane));
                addTo(s, lane, matrix.offset(row, column), sum,
                      decodeDouble(sum, encodeDouble(sum, product)),
                      a.isDefined(row, lane) && b.isDefined(column, lane),
                      productOf(s, components, sum, a.get(row, lane), b.get(column, lane)));
            }
        }
    });
}

Status prepareOuterProduct(Program& program, Instruction& i) {
    const auto constant = [&](uint32_t n) { return uint32_t(program.constantAt(i, n)); };
    const auto components = [&](uint32_t n) { return program.slotAt(i, n).type->components; };
    auto matrix = vectorMatrix(constant(5), constant(4), components(2), components(3), 0);
    if (!matrix) return Error{ErrorCode::kUnsupported, ""};
    matrix->optimal = program.optimalLayout;
    program.usesOptimalLayouts |= matrix->lines() == 0;
    return prepared(i, *matrix);
}

// Operands: Pointer, Offset, V.
void accumulateSum(Subgroup& s, Unused, Unused, In v) {
    const Number number = numberOf(*v.type->element);
    const uint32_t size = v.type->element->width / 8;
    checkPlace(s, 0, 16);
    s.mask.forEach([&](uint32_t lane) {
        for (uint32_t c = 0; c < v.components(); ++c)
            addTo(s, lane, uint64_t{c} * size, number, numbers::decodeDouble(number, v.at(c, lane)),
                  v.isDefined(c, lane), intervalOf(v.deviationAt(c, lane), number, v.at(c, lane)));
    });
}

constexpr OpcodeRow kVectorRows[] = {
    row<access<false>>(OpCooperativeVectorLoadNV),
    row<access<true>>(OpCooperativeVectorStoreNV),
    row<product>(OpCooperativeVectorMatrixMulNV, Defined::kHandler, prepareProduct),
    row<product>(OpCooperativeVectorMatrixMulAddNV, Defined::kHandler, prepareProduct),
    row<accumulateOuterProduct>(OpCooperativeVectorOuterProductAccumulateNV, Defined::kHandler,
                                prepareOuterProduct),
    row<accumulateSum>(OpCooperativeVectorReduceSumAccumulateNV),
};

}  // namespace
}  // namespace coopvk::reference::matrices

coopvk::reference::Rows coopvk::reference::vectorRows() { return matrices::kVectorRows; }

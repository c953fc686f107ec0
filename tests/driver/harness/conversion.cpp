// SPDX-License-Identifier: Apache-2.0
#include "conversion.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <spirv/unified1/spirv.hpp11>

#include "coopvk/vector_matrix.hpp"

namespace coopvk::test {
namespace {

// Sign aside: magnitude bits, mantissa bits, bias, and the first code that is no finite number.
struct Fp8 {
    int mantissaBits;
    int bias;
    uint32_t firstSpecial;
    bool hasInfinity;
};
constexpr Fp8 kE4M3 = {3, 7, 0x7f, false};
constexpr Fp8 kE5M2 = {2, 15, 0x7c, true};

const Fp8& fp8(MatrixType type) { return type == VK_COMPONENT_TYPE_FLOAT_E4M3_NV ? kE4M3 : kE5M2; }

// The value of a code as if no code were special.
double plainValue(const Fp8& format, uint32_t code) {
    const int exponent = static_cast<int>(code >> format.mantissaBits);
    const int mantissa = static_cast<int>(code & ((1u << format.mantissaBits) - 1));
    const int scale = 1 - format.bias - format.mantissaBits;
    if (exponent == 0) return std::ldexp(mantissa, scale);
    return std::ldexp(mantissa + (1 << format.mantissaBits), scale + exponent - 1);
}

uint32_t encodeFp8(const Fp8& format, double value) {
    const uint32_t sign = std::signbit(value) ? 0x80u : 0u;
    if (std::isnan(value)) return sign | 0x7f;
    // The code after the last finite one means all values that are too large.
    const double magnitude = std::fmin(std::fabs(value), plainValue(format, format.firstSpecial));
    uint32_t best = 0;
    for (uint32_t code = 1; code <= format.firstSpecial; ++code) {
        const double better = std::fabs(plainValue(format, best) - magnitude);
        const double distance = std::fabs(plainValue(format, code) - magnitude);
        if (distance < better || (distance == better && code % 2 == 0)) best = code;
    }
    return sign | best;
}

VkDependencyInfo dependency(const VkMemoryBarrier2& barrier) {
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &barrier;
    return info;
}

// The device gets what conversions need: the commands, addresses, and all types of elements.
void prepareToConvert() {
    using enum spv::Capability;
    Words words(5);  // a header
    for (const spv::Capability one :
         {CooperativeVectorNV, PhysicalStorageBufferAddresses, Float8EXT}) {
        words.insert(words.end(), {2u << 16 | uint32_t(spv::Op::OpCapability), uint32_t(one)});
    }
    Context::get().prepareFor(words, false);
}

void convert(const VkConvertCooperativeVectorMatrixInfoNV& info) {
    prepareToConvert();
    COOPVK_CHECK(vkConvertCooperativeVectorMatrixNV(Context::get().device, &info));
}

}  // namespace

size_t matrixElementBytes(MatrixType type) {
    switch (type) {
        case VK_COMPONENT_TYPE_FLOAT32_KHR:
            return 4;
        case VK_COMPONENT_TYPE_FLOAT16_KHR:
            return 2;
        default:
            return 1;
    }
}

double decodeElement(MatrixType type, uint32_t bits) {
    if (type == VK_COMPONENT_TYPE_FLOAT32_KHR)
        return static_cast<double>(std::bit_cast<float>(bits));
    if (type == VK_COMPONENT_TYPE_FLOAT16_KHR) return doubleFromHalf(static_cast<uint16_t>(bits));
    const Fp8& format = fp8(type);
    const double sign = bits & 0x80 ? -1 : 1;
    const uint32_t code = bits & 0x7f;
    if (code < format.firstSpecial) return sign * plainValue(format, code);
    return format.hasInfinity && code == format.firstSpecial ? sign * HUGE_VAL : std::nan("");
}

uint32_t encodeElement(MatrixType type, double value) {
    if (type == VK_COMPONENT_TYPE_FLOAT32_KHR)
        return std::bit_cast<uint32_t>(static_cast<float>(value));
    if (type == VK_COMPONENT_TYPE_FLOAT16_KHR) return halfFromDouble(value);
    return encodeFp8(fp8(type), value);
}

bool sameElement(MatrixType type, uint32_t a, uint32_t b) {
    if (a == b) return true;
    if (type == VK_COMPONENT_TYPE_SINT8_KHR || type == VK_COMPONENT_TYPE_UINT8_KHR) return false;
    return std::isnan(decodeElement(type, a)) && std::isnan(decodeElement(type, b));
}

uint32_t readElement(const Bytes& bytes, size_t offset, MatrixType type) {
    uint32_t bits = 0;
    std::memcpy(&bits, bytes.data() + offset, matrixElementBytes(type));
    return bits;
}

void writeElement(Bytes& bytes, size_t offset, MatrixType type, uint32_t bits) {
    std::memcpy(bytes.data() + offset, &bits, matrixElementBytes(type));
}

size_t MatrixSide::offset(uint32_t row, uint32_t column) const {
    const size_t bytes = matrixElementBytes(type);
    return layout == kRowMajor ? row * stride + column * bytes : column * stride + row * bytes;
}

VkConvertCooperativeVectorMatrixInfoNV ConversionRequest::info(size_t sourceSize,
                                                               size_t* targetSize) const {
    VkConvertCooperativeVectorMatrixInfoNV info{
        VK_STRUCTURE_TYPE_CONVERT_COOPERATIVE_VECTOR_MATRIX_INFO_NV};
    info.srcSize = sourceSize;
    info.pDstSize = targetSize;
    info.srcComponentType = from.type;
    info.dstComponentType = to.type;
    info.numRows = rows;
    info.numColumns = columns;
    info.srcLayout = from.layout;
    info.srcStride = from.stride;
    info.dstLayout = to.layout;
    info.dstStride = to.stride;
    return info;
}

size_t querySize(const ConversionRequest& request) {
    size_t size = 0;
    const auto info = request.info(0, &size);
    convert(info);
    return size;
}

Bytes convertOnHost(const ConversionRequest& request, const Bytes& source, Bytes target) {
    size_t size = target.size();
    auto info = request.info(source.size(), &size);
    info.srcData.hostAddress = source.data();
    info.dstData.hostAddress = target.data();
    convert(info);
    if (size > target.size()) throw std::runtime_error("more bytes written than there are");
    return target;
}

bool hasBlockedWeights() {
    constexpr VkComponentTypeKHR kType = VK_COMPONENT_TYPE_FLOAT16_KHR;
    constexpr uint32_t kRows = 2, kColumns = 16;
    const size_t rowBytes = size_t{kColumns} * matrixElementBytes(kType);
    const ConversionRequest request = {
        {kType, kRowMajor, rowBytes}, {kType, kInferencing}, kRows, kColumns};
    Bytes source(kRows * rowBytes);
    source[rowBytes] = std::byte{1};  // of element (1, 0)
    const Bytes target = convertOnHost(request, source, Bytes(querySize(request)));
    return target[rewrite::kOptimalLineAlignment] == std::byte{1};
}

void recordConversion(VkCommandBuffer commands, const ConversionRequest& request,
                      const Memory& memory, size_t source, size_t sourceSize, size_t target,
                      size_t targetSize) {
    size_t size = targetSize;
    auto info = request.info(sourceSize, &size);
    info.srcData.deviceAddress = memory.address(source);
    info.dstData.deviceAddress = memory.address(target);
    vkCmdConvertCooperativeVectorMatrixNV(commands, 1, &info);
}

Bytes convertOnDevice(const ConversionRequest& request, const Bytes& source, const Bytes& target) {
    prepareToConvert();
    return runCommands({source, target}, [&](Commands& commands, const Memory& memory) {
        recordConversion(commands.primary, request, memory, 0, source.size(), 1, target.size());
    })[1];
}

void barrier2(VkCommandBuffer commands, VkPipelineStageFlags2 fromStages, VkAccessFlags2 from,
              VkPipelineStageFlags2 toStages, VkAccessFlags2 to) {
    const VkMemoryBarrier2 barrier{
        VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, fromStages, from, toStages, to};
    const VkDependencyInfo info = dependency(barrier);
    vkCmdPipelineBarrier2(commands, &info);
}

void conversionBarrier(VkCommandBuffer commands) {
    constexpr auto kStage = VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;
    barrier2(commands, kStage, VK_ACCESS_2_TRANSFER_WRITE_BIT, kStage,
             VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT);
}

}  // namespace coopvk::test

// SPDX-License-Identifier: Apache-2.0
#include "conversion.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <spirv/unified1/spirv.hpp11>

#include "coopvk/vector_matrix.hpp"
#include "numbers/exact.hpp"

namespace coopvk::test {
namespace {

namespace numbers = reference::numbers;

numbers::Number numberOf(MatrixType type) {
    return numbers::byVulkanType(type).value_or(numbers::Number::f32);
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

size_t matrixElementBytes(MatrixType type) { return numbers::format(numberOf(type)).bits / 8; }

double decodeElement(MatrixType type, uint32_t bits) {
    return numbers::decodeDouble(numberOf(type), bits);
}

uint32_t encodeElement(MatrixType type, double value) {
    return static_cast<uint32_t>(numbers::encodeDouble(numberOf(type), value));
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

// SPDX-License-Identifier: Apache-2.0
#include "compare/numbers/conversion.hpp"

#include "compare/run/memory.hpp"

namespace coopvk::compare {
namespace {

VkConvertCooperativeVectorMatrixInfoNV describe(const Conversion& c, size_t sourceSize,
                                                size_t* targetSize) {
    VkConvertCooperativeVectorMatrixInfoNV info{
        VK_STRUCTURE_TYPE_CONVERT_COOPERATIVE_VECTOR_MATRIX_INFO_NV};
    info.srcSize = sourceSize;
    info.pDstSize = targetSize;
    info.srcComponentType = c.from;
    info.dstComponentType = c.to;
    info.numRows = c.rows;
    info.numColumns = c.columns;
    info.srcLayout = c.fromLayout;
    info.srcStride = c.fromStride;
    info.dstLayout = c.toLayout;
    info.dstStride = c.toStride;
    return info;
}

size_t targetSize(Gpu& gpu, const Conversion& c) {
    size_t size = 0;
    const auto info = describe(c, 0, &size);
    COOPVK_CHECK(gpu.vk.vkConvertCooperativeVectorMatrixNV(gpu.device, &info));
    return size;
}

Bytes convertOnHost(Gpu& gpu, const Conversion& c, const Bytes& source, Bytes target) {
    size_t size = target.size();
    auto info = describe(c, source.size(), &size);
    info.srcData.hostAddress = source.data();
    info.dstData.hostAddress = target.data();
    COOPVK_CHECK(gpu.vk.vkConvertCooperativeVectorMatrixNV(gpu.device, &info));
    return target;
}

Bytes convertOnDevice(Gpu& gpu, const Conversion& c, const Bytes& source, const Bytes& target) {
    const Memory memory(gpu, {source, target});
    size_t size = target.size();
    auto info = describe(c, source.size(), &size);
    info.srcData.deviceAddress = memory.address(0);
    info.dstData.deviceAddress = memory.address(1);
    gpu.submit([&](VkCommandBuffer commands) {
        gpu.vk.vkCmdConvertCooperativeVectorMatrixNV(commands, 1, &info);
    });
    const std::string stray = memory.strayWrite(1);
    if (!stray.empty()) throw std::runtime_error("wrote outside of the matrix: " + stray);
    return memory.read(1);
}

}  // namespace

bool isOptimal(Layout layout) { return layout != kRowMajor && layout != kColumnMajor; }

Conversion conversionOf(const Relayout& r, bool back) {
    Conversion c;
    c.from = c.to = r.component;
    c.fromLayout = back ? r.layout : kRowMajor;
    c.toLayout = back ? kRowMajor : r.layout;
    const size_t stride = size_t{r.columns} * info(r.component).bytes();
    (back ? c.toStride : c.fromStride) = stride;
    c.rows = r.rows;
    c.columns = r.columns;
    return c;
}

Bytes intoLayout(Gpu& gpu, const Relayout& relayout, const Bytes& rows) {
    const Conversion c = conversionOf(relayout, false);
    return convertOnHost(gpu, c, rows, Bytes(targetSize(gpu, c)));
}

Bytes outOfLayout(Gpu& gpu, const Relayout& relayout, const Bytes& blob) {
    const Conversion c = conversionOf(relayout, true);
    return convertOnHost(gpu, c, blob,
                         Bytes(size_t{c.rows} * c.columns * info(relayout.component).bytes()));
}

Bytes convertInTurn(Gpu& gpu, const std::vector<Conversion>& conversions,
                    const std::vector<Bytes>& buffers) {
    Bytes current = buffers.front();
    for (size_t i = 0; i < conversions.size(); ++i) {
        const Conversion& c = conversions[i];
        Bytes target = buffers[i + 1];
        if (isOptimal(c.toLayout)) target.assign(targetSize(gpu, c), std::byte{0});
        current = c.onDevice ? convertOnDevice(gpu, c, current, target)
                             : convertOnHost(gpu, c, current, std::move(target));
    }
    return current;
}

}  // namespace coopvk::compare

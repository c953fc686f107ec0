// SPDX-License-Identifier: Apache-2.0
#include "conversion/matrix_conversion.hpp"

#include <cstring>
#include <optional>

#include "conversion/float_formats.hpp"

namespace coopvk::layer {
namespace {

// What conversions support: float32, floats of less precision, and bytes.
std::optional<ComponentFormat> formatOf(VkComponentTypeKHR type) {
    const auto format = rewrite::componentFormat(static_cast<rewrite::ComponentType>(type));
    const auto isNarrow = [](const ComponentFormat& f) {
        return f.exponentBits != 0 ? f.exponentBits < kFloat32.exponentBits : f.bits == 8;
    };
    return format && (format == kFloat32 || (isNarrow(*format) && format->bits <= 16))
               ? format
               : std::nullopt;
}

uint32_t bytesOf(const ComponentFormat& format) { return format.bits / 8; }

// float32 and float16 convert to and from every floating-point type of less precision.
bool areConvertible(VkComponentTypeKHR from, VkComponentTypeKHR to) {
    if (from == to) return true;
    const ComponentFormat a = *formatOf(from), b = *formatOf(to);
    return a.exponentBits != 0 && b.exponentBits != 0 && a.bits != b.bits;
}

uint32_t toFloat32(const ComponentFormat& format, uint32_t bits) {
    return format == kFloat32 ? bits : widen(format, bits);
}

uint32_t fromFloat32(const ComponentFormat& format, uint32_t bits) {
    return format == kFloat32 ? bits : narrow(format, bits);
}

// One side of a request; empty if it makes sense.
std::string makeView(VkComponentTypeKHR type, VkCooperativeVectorMatrixLayoutNV vulkanLayout,
                     size_t stride, const VkConvertCooperativeVectorMatrixInfoNV& info,
                     bool blocked, MatrixView& view) {
    const auto layout = static_cast<rewrite::VectorMatrixLayout>(vulkanLayout);
    const auto format = formatOf(type);
    if (!format) return "component type " + std::to_string(type) + " has no conversions";
    if (layout > rewrite::VectorMatrixLayout::kTrainingOptimal) {
        return "unknown layout " + std::to_string(vulkanLayout);
    }
    const uint32_t bytes = bytesOf(*format);
    view.format = *format;
    view.columnMajor = layout == rewrite::VectorMatrixLayout::kColumnMajor;
    view.optimal = rewrite::isOptimal(layout);
    view.lines = view.columnMajor ? info.numColumns : info.numRows;
    view.lineLength = view.columnMajor ? info.numRows : info.numColumns;
    // Much more than any memory, and much less than 2^64.
    constexpr uint64_t kMostBytes = uint64_t{1} << 48;
    const uint64_t lineBytes = view.optimal ? uint64_t{view.lineLength} * bytes : stride;
    if (view.lines != 0 && lineBytes > kMostBytes / view.lines) return "the matrix is too large";
    view.placement =
        rewrite::placeMatrix(layout, info.numRows, info.numColumns, bytes, stride, blocked);
    return {};
}

// The lines of a destination must not overlap. (Those of a source may, since it is only read. A
// query only asks for a size.)
std::string checkTarget(const MatrixView& view) {
    if (view.optimal || view.lines == 0 || view.lineLength == 0) return {};
    if (view.lineBytes() >= uint64_t{view.lineLength} * bytesOf(view.format)) return {};
    return "a stride of " + std::to_string(view.lineBytes()) + " bytes is less than a line";
}

// The device reads and writes elements at multiples of their size.
std::string checkAlignment(const MatrixView& view) {
    if (view.optimal || view.lineBytes() % bytesOf(view.format) == 0) return {};
    return "a stride of " + std::to_string(view.lineBytes()) +
           " bytes is no multiple of an element";
}

}  // namespace

std::string planConversion(const VkConvertCooperativeVectorMatrixInfoNV& info, bool blocked,
                           MatrixConversion& conversion) {
    std::string wrong = makeView(info.srcComponentType, info.srcLayout, info.srcStride, info,
                                 blocked, conversion.source);
    if (!wrong.empty()) return "source: " + wrong;
    wrong = makeView(info.dstComponentType, info.dstLayout, info.dstStride, info, blocked,
                     conversion.target);
    if (!wrong.empty()) return "destination: " + wrong;
    if (areConvertible(info.srcComponentType, info.dstComponentType)) return {};
    return "component type " + std::to_string(info.srcComponentType) + " does not convert to " +
           std::to_string(info.dstComponentType);
}

std::string checkStrides(const MatrixConversion& conversion) {
    std::string wrong = checkAlignment(conversion.source);
    if (!wrong.empty()) return "source: " + wrong;
    wrong = checkTarget(conversion.target);
    if (wrong.empty()) wrong = checkAlignment(conversion.target);
    return wrong.empty() ? wrong : "destination: " + wrong;
}

void convertOnHost(const MatrixConversion& conversion, const std::byte* source, std::byte* target) {
    const MatrixView& from = conversion.source;
    const MatrixView& to = conversion.target;
    if (to.optimal) std::memset(target, 0, static_cast<size_t>(to.placement.size));
    if (to.lineLength == 0) return;  // also if there are many empty lines
    const uint32_t fromBytes = bytesOf(from.format), toBytes = bytesOf(to.format);
    for (uint32_t line = 0; line < to.lines; ++line) {
        for (uint32_t place = 0; place < to.lineLength; ++place) {
            const uint32_t matrixRow = to.columnMajor ? place : line;
            const uint32_t column = to.columnMajor ? line : place;
            uint32_t bits = 0;
            std::memcpy(&bits, source + from.placement.at(matrixRow, column), fromBytes);
            if (from.format != to.format) {
                bits = fromFloat32(to.format, toFloat32(from.format, bits));
            }
            std::memcpy(target + to.placement.at(matrixRow, column), &bits, toBytes);
        }
    }
}

}  // namespace coopvk::layer

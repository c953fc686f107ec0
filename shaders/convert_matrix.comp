// SPDX-License-Identifier: Apache-2.0
//
// vkCmdConvertCooperativeVectorMatrixNV: one matrix from one layout and type to another. Each
// invocation makes whole 32-bit words of the target, so that no more than 32-bit memory access is
// asked of a device. Agrees bit for bit with layer/conversion/matrix_conversion.cpp and float_formats.cpp,
// which explain the arithmetic.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require

layout(local_size_x = 64) in;

// layer::AddressParts: bits 36 and above of the address of Arguments. Its bits 6 to 35 are the
// numbers of the workgroup in y and z, 15 bits of each.
layout(constant_id = 0) const uint kWindow = 0;

layout(buffer_reference, buffer_reference_align = 4) buffer Words { uint word[]; };

// rewrite::ComponentFormat in a word: bits, and of floats the bits of exponent and mantissa, the
// bias, and whether there is an infinity.
const uint kFloat32 = 32 | 8 << 8 | 23 << 12 | 127 << 17 | 1u << 31;
// layer::MatrixView
const uint kColumnMajor = 1, kOptimal = 2, kInBlocks = 4;
// rewrite::placeMatrix(): rows of a block, and bytes of a row that lie together there.
const uint kBlockRows = 8, kUnit = 16;

struct Matrix {
    uint format;
    uint flags;
    uint lines;
    uint lineLength;
    uint lineBytes;
};

layout(buffer_reference, std430, buffer_reference_align = 64) restrict readonly buffer Arguments {
    Words source;
    Words target;
    Matrix from;
    Matrix to;
    uint targetWords;
};

Words source, target;
Matrix from, to;

uint elementBytes(uint format) { return (format & 0xffu) / 8; }

struct Float {
    uint exponentBits, mantissaBits, bias;
    bool hasInfinity;
};
Float floatOf(uint format) {
    return Float(format >> 8 & 0xfu, format >> 12 & 0x1fu, format >> 17 & 0x3fffu,
                 format >> 31 != 0);
}

uint shiftRounded(uint value, uint shift) {
    return (value + (1u << (shift - 1)) - 1 + ((value >> shift) & 1)) >> shift;
}

uint widen(uint format, uint bits) {
    if (format == kFloat32) return bits;
    const Float f = floatOf(format);
    const uint all = (1u << (f.exponentBits + f.mantissaBits)) - 1;
    const uint magnitude = bits & all;
    const uint sign = (bits >> (f.exponentBits + f.mantissaBits)) << 31;
    const uint shift = 23 - f.mantissaBits;
    const uint top = ((1u << f.exponentBits) - 1) << f.mantissaBits;
    if (f.hasInfinity && magnitude >= top) {
        return sign | 0x7f800000u | ((magnitude - top) << shift);
    }
    if (!f.hasInfinity && magnitude == all) return sign | 0x7fffffffu;
    const uint rebias = (127 - f.bias) << 23;
    if ((magnitude >> f.mantissaBits) != 0) return sign | ((magnitude << shift) + rebias);
    if (magnitude == 0) return sign;
    const uint lead = findMSB(magnitude);
    const uint exponent = 127 - f.bias + 1 + lead - f.mantissaBits;
    return sign | ((magnitude << (23 - lead)) + ((exponent - 1) << 23));
}

uint narrow(uint format, uint bits) {
    if (format == kFloat32) return bits;
    const Float f = floatOf(format);
    const uint all = (1u << (f.exponentBits + f.mantissaBits)) - 1;
    const uint sign = (bits >> 31) << (f.exponentBits + f.mantissaBits);
    const uint magnitude = bits & 0x7fffffffu;
    const uint shift = 23 - f.mantissaBits;
    const uint top = ((1u << f.exponentBits) - 1) << f.mantissaBits;
    if (magnitude > 0x7f800000u) {
        if (!f.hasInfinity) return sign | all;
        return sign | top | (1u << (f.mantissaBits - 1)) | ((magnitude - 0x7f800000u) >> shift);
    }
    const uint smallestNormal = 127 - f.bias + 1;
    const uint exponent = magnitude >> 23;
    if (exponent < smallestNormal) {
        const uint further = shift + smallestNormal - exponent;
        if (further > 24) return sign;
        return sign | shiftRounded((magnitude & 0x7fffffu) | 0x800000u, further);
    }
    const uint rounded = shiftRounded(magnitude, shift) - ((smallestNormal - 1) << f.mantissaBits);
    return sign | min(rounded, f.hasInfinity ? top : all);
}

bool has(Matrix matrix, uint flag) { return (matrix.flags & flag) != 0; }

// The first byte of an element.
uint placeOf(Matrix matrix, uint line, uint place) {
    const uint byte = place * elementBytes(matrix.format);
    if (!has(matrix, kInBlocks)) return line * matrix.lineBytes + byte;
    return line / kBlockRows * kBlockRows * matrix.lineBytes + byte / kUnit * kUnit * kBlockRows +
           line % kBlockRows * kUnit + byte % kUnit;
}

// The line (x) and the place in it (y) of the element at a byte.
uvec2 elementAt(Matrix matrix, uint byte) {
    const uint bytes = elementBytes(matrix.format);
    if (!has(matrix, kInBlocks)) {
        const uint line = byte / matrix.lineBytes;
        return uvec2(line, (byte - line * matrix.lineBytes) / bytes);
    }
    const uint block = byte / (kBlockRows * matrix.lineBytes);
    const uint inBlock = byte - block * kBlockRows * matrix.lineBytes;
    const uint units = inBlock / (kUnit * kBlockRows);
    return uvec2(block * kBlockRows + inBlock / kUnit % kBlockRows,
                 (units * kUnit + inBlock % kUnit) / bytes);
}

uint load(uint row, uint column) {
    const bool columnMajor = has(from, kColumnMajor);
    const uint bytes = elementBytes(from.format);
    const uint at = columnMajor ? placeOf(from, column, row) : placeOf(from, row, column);
    const uint word = source.word[at / 4];
    return bytes == 4 ? word : bitfieldExtract(word, int(at % 4) * 8, int(bytes) * 8);
}

uint converted(uint bits) {
    if (from.format == to.format) return bits;
    return narrow(to.format, widen(from.format, bits));
}

void makeWord(uint index) {
    const bool columnMajor = has(to, kColumnMajor);
    const uint bytes = elementBytes(to.format);
    const uint ones = 0xffffffffu >> (32 - 8 * bytes);
    uint value = 0, mask = 0;
    for (uint i = 0; i < 4; i += bytes) {
        const uint at = index * 4 + i;
        const uvec2 element = elementAt(to, at);
        if (element.x >= to.lines || element.y >= to.lineLength) continue;
        const uint bits = columnMajor ? load(element.y, element.x) : load(element.x, element.y);
        value |= converted(bits) << (8 * i);
        mask |= ones << (8 * i);
    }
    if (mask == 0xffffffffu || has(to, kOptimal)) {
        target.word[index] = value;
    } else if (mask != 0) {
        // Bytes that are not the matrix's may be written by others at the same time.
        atomicAnd(target.word[index], ~mask);
        atomicOr(target.word[index], value);
    }
}

void main() {
    const uvec2 group = gl_WorkGroupID.yz;
    Arguments arguments =
        Arguments(uvec2(group.x << 6 | group.y << 21, group.y >> 11 | kWindow << 4));
    source = arguments.source;
    target = arguments.target;
    from = arguments.from;
    to = arguments.to;
    const uint words = arguments.targetWords;
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < words; i += step) makeWord(i);
}

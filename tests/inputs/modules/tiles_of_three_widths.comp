// A product in tiles of three widths, as programs for quantised models have it: A is decoded from blocks of 4-bit
// numbers, the widest tiles clamp their loads at the edge only, the others multiply two slices at once, then the rest,
// and a function stores each element.
// test: needs VK_NV_cooperative_matrix2
// test: buffers random:1152 f16:8192 zero:4096
// test: push 40 88 72
// test: groups 4
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64, local_size_x_id = 0) in;
layout(constant_id = 1) const uint BM = 32;
layout(constant_id = 2) const uint BN = 64;
layout(constant_id = 3) const uint BK = 32;
const uint HALF = BN / 2, QUARTER = BN / 4, SLICES = HALF / QUARTER;
layout(binding = 0, scalar) readonly buffer First { uint first[]; };
layout(binding = 1) readonly buffer Second { float16_t second[]; };
layout(binding = 2) buffer Result { float result[]; };
layout(push_constant) uniform Push { uint rows, columns, depth; };
layout(buffer_reference, scalar, buffer_reference_align = 4) readonly buffer Block { uint scale, bits; };

float16_t decode(const in Block block, const in uint place[2], const in uint at[2]) {
    const uint bits = block.bits >> (at[1] * 4) & 15u;
    return float16_t(int(block.scale & 3u)) * float16_t(int(bits) - 8);
}

float store(const in uint row, const in uint column, const in float value, const in uint firstRow, const in uint firstColumn) {
    if (firstRow + row < rows && firstColumn + column < columns)
        result[(firstColumn + column) * rows + firstRow + row] = value;
    return value;
}

#define PRODUCT_AT_EDGES(WIDTH) {                                                                                   \
    coopmat<float, gl_ScopeWorkgroup, BM, WIDTH, gl_MatrixUseAccumulator> sum =                                     \
        coopmat<float, gl_ScopeWorkgroup, BM, WIDTH, gl_MatrixUseAccumulator>(0.0);                                 \
    for (uint k = 0; k < depth; k += BK) {                                                                          \
        coopmat<float16_t, gl_ScopeWorkgroup, BM, BK, gl_MatrixUseA> a;                                             \
        coopmat<float16_t, gl_ScopeWorkgroup, BK, WIDTH, gl_MatrixUseB> b;                                          \
        if (k + BK <= depth && firstRow + BM <= rows && firstColumn + WIDTH <= columns) {                           \
            coopMatLoadTensorNV(a, first, 0, sliceTensorLayoutNV(fast, firstRow, BM, k, BK), decode);               \
            coopMatLoadTensorNV(b, second, 0, sliceTensorLayoutNV(fastB, firstColumn, WIDTH, k, BK), turned);       \
            sum = coopMatMulAdd(a, b, sum);                                                                         \
        } else {                                                                                                    \
            coopMatLoadTensorNV(a, first, 0, sliceTensorLayoutNV(clamped, firstRow, BM, k, BK), decode);            \
            coopMatLoadTensorNV(b, second, 0, sliceTensorLayoutNV(clampedB, firstColumn, WIDTH, k, BK), turned);    \
            sum = coopMatMulAdd(a, b, sum);                                                                         \
        }                                                                                                           \
    }                                                                                                               \
    coopMatPerElementNV(sum, sum, store, firstRow, firstColumn);                                                    \
}

#define SLICE(WIDTH) {                                                                                              \
    coopmat<float16_t, gl_ScopeWorkgroup, BM, BK, gl_MatrixUseA> a;                                                 \
    coopmat<float16_t, gl_ScopeWorkgroup, BK, WIDTH, gl_MatrixUseB> b;                                              \
    coopMatLoadTensorNV(a, first, 0, sliceTensorLayoutNV(clamped, firstRow, BM, k, BK), decode);                    \
    coopMatLoadTensorNV(b, second, 0, sliceTensorLayoutNV(clampedB, firstColumn, WIDTH, k, BK), turned);            \
    sum = coopMatMulAdd(a, b, sum);                                                                                 \
    k += BK;                                                                                                        \
}

#define PRODUCT(WIDTH) {                                                                                            \
    coopmat<float, gl_ScopeWorkgroup, BM, WIDTH, gl_MatrixUseAccumulator> sum =                                     \
        coopmat<float, gl_ScopeWorkgroup, BM, WIDTH, gl_MatrixUseAccumulator>(0.0);                                 \
    const uint end = depth, rounds = end / (SLICES * BK);                                                           \
    uint k = 0;                                                                                                     \
    for (uint i = 0; i < rounds; ++i) {                                                                             \
        if (i + 1 < rounds) { }  /* ggml has code for some devices here */                                          \
        [[unroll]] for (uint j = 0; j < SLICES; ++j) SLICE(WIDTH)                                                   \
    }                                                                                                               \
    while (k < end) SLICE(WIDTH)                                                                                    \
    coopMatPerElementNV(sum, sum, store, firstRow, firstColumn);                                                    \
}

void main() {
    const uint tilesOfRows = (rows + BM - 1) / BM;
    const uint firstRow = gl_WorkGroupID.x % tilesOfRows * BM, firstColumn = gl_WorkGroupID.x / tilesOfRows * BN;
    tensorLayoutNV<2> fast = createTensorLayoutNV(2), fastB = createTensorLayoutNV(2);
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> clamped =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV), clampedB = clamped;
    tensorViewNV<2, false, 1, 0> turned = createTensorViewNV(2, false, 1, 0);
    fast = setTensorLayoutBlockSizeNV(fast, 1, 8);
    clamped = setTensorLayoutBlockSizeNV(clamped, 1, 8);
    fast = setTensorLayoutDimensionNV(fast, rows, depth);
    clamped = setTensorLayoutDimensionNV(clamped, rows, depth);
    fastB = setTensorLayoutDimensionNV(fastB, columns, depth);
    clampedB = setTensorLayoutDimensionNV(clampedB, columns, depth);
    if (columns - firstColumn <= QUARTER) PRODUCT(QUARTER)
    else if (columns - firstColumn <= HALF) PRODUCT(HALF)
    else PRODUCT_AT_EDGES(BN)
}

// Loads of matrices from buffers whose elements are narrower than 16 bytes: at multiples of 16 bytes,
// of 4 bytes and of neither, up to the last element, and of what was stored before.
// test: subgroup
// test: buffers f16:2059 u8:2059 random:8192 random:512
// test: push 0 3 48 17 1024 2
// test: groups 2
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Halves { float16_t halves[]; };
layout(binding = 1) readonly buffer Bytes { int8_t bytes[]; };
layout(binding = 2) buffer Result { float results[]; };
layout(binding = 3) subgroupcoherent buffer Copy { float16_t copied[]; };
layout(push_constant) uniform Push { uint whole, odd, wide, narrow, far, pair; };
#define A coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define B coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define C coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
#define BYTES_A coopmat<int8_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define BYTES_B coopmat<int8_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define INTS coopmat<int, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor, COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

uint place = gl_WorkGroupID.x * 4096;

void write(C sum) {
    coopMatStore(sum, results, place, 16, ROW);
    place += 256;
}

C product(A a, B b) { return coopMatMulAdd(a, b, C(0)); }
C product(BYTES_A a, BYTES_B b) { return C(coopMatMulAdd(a, b, INTS(0))); }

#define WRITE(TypeA, TypeB, from, first, stride, layoutA, layoutB) \
    {                                                              \
        TypeA a;                                                   \
        TypeB b;                                                   \
        coopMatLoad(a, from, first, stride, layoutA);              \
        coopMatLoad(b, from, first, stride, layoutB);              \
        write(product(a, b));                                      \
    }
#define WRITE_HALVES(first, stride, a, b) WRITE(A, B, halves, first, stride, a, b)
#define WRITE_BYTES(first, stride, a, b) WRITE(BYTES_A, BYTES_B, bytes, first, stride, a, b)

void main() {
    uint own = gl_WorkGroupID.x * 16;
    // Known to be aligned, aligned, and not, by rows and by columns.
    for (uint k = 0; k < 32; k += 16) WRITE_HALVES(own * 32 + k, 48, ROW, COLUMN)
    WRITE_HALVES(whole + own, wide, ROW, COLUMN)
    WRITE_HALVES(whole + own, wide, COLUMN, ROW)
    WRITE_HALVES(odd + own, wide, ROW, COLUMN)
    WRITE_HALVES(whole + own, narrow, COLUMN, ROW)
    WRITE_HALVES(pair + own, wide, ROW, ROW)
    WRITE_BYTES(whole + own, wide, ROW, COLUMN)
    WRITE_BYTES(odd + own, wide, COLUMN, ROW)
    WRITE_BYTES(whole + own, narrow, ROW, COLUMN)
    // The last elements of the buffers.
    WRITE_HALVES(2059 - (15 * 48 + 16), wide, ROW, COLUMN)
    WRITE_HALVES(2056 - (15 * 48 + 16), wide, ROW, COLUMN)
    WRITE_BYTES(2059 - (15 * 48 + 16), wide, COLUMN, COLUMN)
    // What this invocation, or another one of its subgroup, stored by element.
    A a;
    coopMatLoad(a, halves, own, 24, ROW);
    coopMatStore(a, copied, gl_WorkGroupID.x * 512, 24, ROW);
    controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, gl_StorageSemanticsBuffer,
                   gl_SemanticsAcquireRelease);
    B b;
    coopMatLoad(b, copied, gl_WorkGroupID.x * 512, 24, ROW);
    write(product(a, b));
}

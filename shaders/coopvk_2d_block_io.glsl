// SPDX-License-Identifier: Apache-2.0
//
// 2D block loads and stores (SPV_INTEL_2d_block_io) for GLSL, declared with
// GL_EXT_spirv_intrinsics. For devices with VK_COOPVK_shader_2d_block_io (vulkan_coopvk.h).
//
//   coopvkBlockLoad           (ES, W, H, N, base, width, height, pitch, coordinate, result)
//   coopvkBlockLoadTransposed (ES, W, H, N, base, width, height, pitch, coordinate, result)
//   coopvkBlockLoadTransformed(ES, W, H, N, base, width, height, pitch, coordinate, result)
//   coopvkBlockPrefetch       (ES, W, H, N, base, width, height, pitch, coordinate)
//   coopvkBlockStore          (ES, W, H, N, source, base, width, height, pitch, coordinate)
//
// Each function accesses N blocks side by side, each with H rows of W elements of ES bytes. The
// first block starts at `coordinate` (ivec2: element, row) of the memory region at `base`. The
// region has `height` rows of `width` bytes, which start `pitch` bytes apart. Elements outside the
// region are zero when loaded and ignored when stored.
//
// ES, W, H and N must be constants: literals, `const` variables or specialization constants. `base`
// is the region's first element in a buffer (`data[0]`, `reference.data[0]`), aligned to 64 bytes;
// `result` and `source` are the first element of an array that is a local variable. All invocations
// of the subgroup must execute the call together, with the same arguments.
//
// The elements of an invocation: rows of W elements (padded to a power of two) are distributed over
// the subgroup one after the other. If W equals the subgroup size, invocation i gets column i, one
// element for each row. If W is smaller, the subgroup holds several rows at once. If W is larger,
// each invocation gets several adjacent elements. Transposed loads distribute columns instead of
// rows. Transformed loads first pack the elements of 2 rows (ES = 2) or 4 rows (ES = 1) into a uint,
// with the lowest row in the lowest bits.
//
// Types: base and array have the same type of those listed at the end, or base is of bytes and the
// array of uint. COOPVK_BLOCK_TYPES(Base, Array) declares the functions for another pair.
#ifndef COOPVK_2D_BLOCK_IO_GLSL_
#define COOPVK_2D_BLOCK_IO_GLSL_

#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

#define COOPVK_BLOCK_OPCODE_(Capability, Opcode)                                           \
    spirv_instruction(extensions = ["SPV_INTEL_2d_block_io"], capabilities = [Capability], \
                      id = Opcode)

#define COOPVK_BLOCK_LOAD_(name, Capability, Opcode, Base, Array)                     \
    COOPVK_BLOCK_OPCODE_(Capability, Opcode)                                          \
    void name(uint elementSize, uint blockWidth, uint blockHeight, uint blockCount,   \
              spirv_by_reference Base base, uint memoryWidth, uint memoryHeight,      \
              uint memoryPitch, ivec2 coordinate, spirv_by_reference Array result);

#define COOPVK_BLOCK_STORE_(Base, Array)                                                       \
    COOPVK_BLOCK_OPCODE_(6228, 6235)                                                           \
    void coopvkBlockStore(uint elementSize, uint blockWidth, uint blockHeight, uint blockCount, \
                          spirv_by_reference Array source, spirv_by_reference Base base,       \
                          uint memoryWidth, uint memoryHeight, uint memoryPitch,               \
                          ivec2 coordinate);

#define COOPVK_BLOCK_PREFETCH_(Base)                                                       \
    COOPVK_BLOCK_OPCODE_(6228, 6234)                                                       \
    void coopvkBlockPrefetch(uint elementSize, uint blockWidth, uint blockHeight,          \
                             uint blockCount, spirv_by_reference Base base,                \
                             uint memoryWidth, uint memoryHeight, uint memoryPitch,        \
                             ivec2 coordinate);

#define COOPVK_BLOCK_TRANSFORM_(Base) \
    COOPVK_BLOCK_LOAD_(coopvkBlockLoadTransformed, 6229, 6232, Base, uint)

#define COOPVK_BLOCK_TYPES(Base, Array)                                    \
    COOPVK_BLOCK_LOAD_(coopvkBlockLoad, 6228, 6231, Base, Array)           \
    COOPVK_BLOCK_LOAD_(coopvkBlockLoadTransposed, 6230, 6233, Base, Array) \
    COOPVK_BLOCK_STORE_(Base, Array)

#define COOPVK_BLOCK_ALL_(Type)    \
    COOPVK_BLOCK_TYPES(Type, Type) \
    COOPVK_BLOCK_PREFETCH_(Type)   \
    COOPVK_BLOCK_TRANSFORM_(Type)

COOPVK_BLOCK_ALL_(uint8_t)
COOPVK_BLOCK_ALL_(int8_t)
COOPVK_BLOCK_ALL_(uint16_t)
COOPVK_BLOCK_ALL_(int16_t)
COOPVK_BLOCK_ALL_(float16_t)
COOPVK_BLOCK_ALL_(uint)
COOPVK_BLOCK_ALL_(int)
COOPVK_BLOCK_ALL_(float)
COOPVK_BLOCK_ALL_(uvec2)
COOPVK_BLOCK_ALL_(uint64_t)
COOPVK_BLOCK_TYPES(uint8_t, uint)
COOPVK_BLOCK_TYPES(uint16_t, uint)

#endif  // COOPVK_2D_BLOCK_IO_GLSL_

// SPDX-License-Identifier: Apache-2.0
//
// A network of three layers, of 8-bit floats with sums of f16.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_float_e4m3 : require
#define SUM float16_t
#define FACTOR floate4m3_t
#define PER_VECTOR 16
#include "fused_mlp.glsl"

// SPDX-License-Identifier: Apache-2.0
//
// A network of three layers, with sums of f16.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SUM float16_t
#include "fused_mlp.glsl"

// SPDX-License-Identifier: Apache-2.0
//
// A network of three layers, with sums of f32.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SUM float
#include "fused_mlp.glsl"

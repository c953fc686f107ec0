// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#define FACTOR float16_t
#define SUM float
#define ROWS 0
#include "direct.glsl"

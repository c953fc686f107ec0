// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#define FACTOR int8_t
#define SUM int32_t
#define ROWS 1
#include "direct.glsl"

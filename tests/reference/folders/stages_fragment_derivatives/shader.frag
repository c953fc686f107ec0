// SPDX-License-Identifier: Apache-2.0
#version 460
layout(location = 0) in vec2 a;
layout(location = 0) out vec4 fine;
layout(location = 1) out vec4 coarse;
layout(location = 2) out vec2 pixel;
void main() {
    fine = vec4(dFdxFine(a), dFdyFine(a));
    coarse = vec4(dFdxCoarse(a.x), dFdyCoarse(a.x), fwidthFine(a.x), fwidthCoarse(a.y));
    pixel = gl_FragCoord.xy;
}

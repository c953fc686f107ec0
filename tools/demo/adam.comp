// SPDX-License-Identifier: Apache-2.0
//
// Adam, with one parameter for each invocation. The training-optimal layout of floats is an array of
// elements, so this shader needs no matrices. Padding has no gradient and stays zero.
#version 460

layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Parameters { float parameters[]; };
layout(set = 0, binding = 1) buffer Gradients { float gradients[]; };
layout(set = 0, binding = 2) buffer Moments { vec2 moments[]; };

layout(push_constant) uniform Push {
    float rate;
    float gradientScale;
    float correction1;  // 1 / (1 - 0.9^step)
    float correction2;  // 1 / (1 - 0.99^step)
} push;

void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i >= parameters.length()) return;
    const float gradient = gradients[i] * push.gradientScale;
    gradients[i] = 0;
    const vec2 m = mix(vec2(gradient, gradient * gradient), moments[i], vec2(0.9, 0.99));
    moments[i] = m;
    parameters[i] -= push.rate * m.x * push.correction1 / (sqrt(m.y * push.correction2) + 1e-8);
}

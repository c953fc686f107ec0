// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_EXT_terminate_invocation : require
#extension GL_EXT_demote_to_helper_invocation : require
#extension GL_KHR_shader_subgroup_basic : require
layout(location = 0) flat in int how;
layout(location = 0) out int x;
layout(set = 0, binding = 0) buffer Counts { int counts[8]; };
void main() {
    uint lane = gl_SubgroupInvocationID;
    x = 1;
    counts[lane] = 1;
    if (how == 1) terminateInvocation;
    if (how == 2) demote;
    counts[4 + lane] = helperInvocationEXT() ? 2 : 1;
    x = int(dFdx(float(lane))) + 5;
}

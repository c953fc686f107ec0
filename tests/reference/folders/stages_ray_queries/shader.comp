// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_EXT_ray_query : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 1) uniform accelerationStructureEXT scene;
layout(set = 0, binding = 0) buffer Results { float results[4]; };
void main() {
    rayQueryEXT query;
    rayQueryInitializeEXT(query, scene, 0, 255, vec3(0), 0, vec3(0, 0, 1), 10.0);
    float t = 0;
    while (rayQueryProceedEXT(query))
        t += rayQueryGetIntersectionTEXT(query, false) + rayQueryGetIntersectionTEXT(query, false);
    results[gl_LocalInvocationIndex] = t;
}

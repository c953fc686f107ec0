// SPDX-License-Identifier: Apache-2.0
//
// Vectors of 1,024 components, two inputs and one output for each invocation.
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_long_vector : require
#extension GL_EXT_scalar_block_layout : require

#define V vector<float, 1024>

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0, scalar) readonly buffer First { V x[]; };
layout(set = 0, binding = 1, scalar) readonly buffer Second { V y[]; };
layout(set = 0, binding = 2, scalar) writeonly buffer Results { V results[]; };
layout(set = 0, binding = 3, scalar) writeonly buffer Scalars { uint scalars[]; };

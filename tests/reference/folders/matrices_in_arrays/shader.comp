// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 2) in;
layout(set = 0, binding = 0, std430, row_major) buffer Rows { mat3x2 rows[2]; };
layout(set = 0, binding = 1, std430) buffer Columns { mat3x2 columns[2]; };
layout(set = 0, binding = 2, std430, row_major) buffer OutRows { mat3x2 outRows[2]; };
layout(set = 0, binding = 3, std430) buffer OutColumns { mat3x2 outColumns[2]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    outRows[i] = columns[1 - i];
    outColumns[i] = rows[1 - i];
    outRows[i][2 - i][i] = 100.0 + float(i);
    outColumns[i][i + 1][1 - i] = 200.0 + float(i);
}

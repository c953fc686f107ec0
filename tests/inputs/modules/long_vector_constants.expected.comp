// The reference of long_vector_constants.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer Result { float dst[]; };
void main() {
    const float tenth = 0.1, tiny = 1.52587890625e-05;   // 2^-16 is denormal in f16
    const float h = 0.0999755859375;                     // the nearest f16 of 0.1
    const float expected[] = {
        1.0, h, 3.0, 1.0, -2.5,
        0.0, h, 3.0, -2.5, 1.0,
        1.0, tenth, 3.0, 1.0, -2.5,
        1.0, tenth, 3.0, 1.0, -2.5,
        1.0, -2.5, 3.0, 1.0, -2.5,
        h, 3.0, 14.0
    };
    for (int i = 0; i < 28; ++i) dst[i] = expected[i];
}

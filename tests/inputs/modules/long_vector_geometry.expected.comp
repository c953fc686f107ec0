// The reference of long_vector_geometry: GLSL's text of each function, with loops.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Given { float a[16], b[16], c[16]; };
layout(binding = 1) buffer Result { float unit[16], facing[16], away[16], reflected[16], unknown[16], far, apart; };
void main() {
    float towards = 0, along = 0;
    for (int i = 0; i < 16; ++i) {
        towards += c[i] * a[i];
        along += b[i] * a[i];
    }
    for (int i = 0; i < 16; ++i) {
        unit[i] = (a[i] < 0 ? -1.0 : 1.0) / 4;
        facing[i] = towards < 0 ? b[i] : -b[i];
        away[i] = -towards < 0 ? b[i] : -b[i];
        reflected[i] = a[i] - 2 * along * b[i];
        unknown[i] = -b[i];
    }
    far = 4;
    apart = 8;
}

// The reference of long_vector_layouts: word by word. Padding of arrays and structures is not written.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer In { float src[]; };
layout(binding = 1) buffer Out { float dst[]; };
float vectorOf(uint s, uint i) { return src[s * 36 + i]; }
float arrayOf(uint s, uint i) { return src[s * 36 + 20 + i * 4]; }
float lastOf(uint s) { return src[s * 36 + 32]; }
void write(uint s, float v[20], float array[3], float last) {
    for (uint i = 0; i < 20; ++i) dst[s * 36 + i] = v[i];
    for (uint i = 0; i < 3; ++i) dst[s * 36 + 20 + i * 4] = array[i];
    dst[s * 36 + 32] = last;
}
void main() {
    float v0[20], v1[20], ones[20], none[20], a0[3], a1[3];
    for (uint i = 0; i < 20; ++i) {
        v0[i] = vectorOf(0, i);
        v1[i] = vectorOf(1, i);
        ones[i] = i < 10 ? 1 : 2;
        none[i] = 0;
    }
    for (uint i = 0; i < 3; ++i) {
        a0[i] = arrayOf(0, i);
        a1[i] = arrayOf(1, i);
    }
    float zeros[3] = float[3](0, 0, 0), three[3] = float[3](2, 1, 2);
    float changed[20] = v1;
    changed[3] = a0[2];
    write(0, changed, a0, lastOf(1));
    write(1, v0, a0, a0[2]);
    if (a0[2] < 1)
        write(2, changed, a0, lastOf(1));
    else
        write(2, v0, a0, a0[2]);
    write(3, ones, three, 2);
    write(4, v0, three, lastOf(0));
    write(5, v0, a0, 2);
    write(6, v0, a0, lastOf(0));
    write(7, none, a0, 0);
    write(8, none, zeros, 0);
    write(9, v1, a1, lastOf(1));
    write(10, v1, a1, lastOf(1));
}

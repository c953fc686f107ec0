// The reference of captures_by_value.
#version 460
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float src[]; };
layout(binding = 1) buffer Results { float dst[]; };
layout(push_constant) uniform Push { uint scale, shift; };
void main() {
    for (uint n = 0; n < 2; ++n) for (uint r = 0; r < 16; ++r) for (uint c = 0; c < 16; ++c)
        dst[n * 256 + r * 16 + c] = src[r * 16 + c] * float(scale + n) + float(r * shift + c + n);
}

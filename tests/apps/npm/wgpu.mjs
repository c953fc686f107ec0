// SPDX-License-Identifier: Apache-2.0
// wgpu in Deno, which uses no cooperative matrices: products of small integers through workgroup memory, in f32 and f16,
// and a picture that is loaded, sampled between its texels and stored, compared with the same in JavaScript.
// usage: deno run --allow-all --unstable-webgpu wgpu.mjs
import { ofHalf, report, toHalf } from './report.mjs';

const adapter = await navigator.gpu.requestAdapter();
if (!adapter) throw new Error('wgpu finds no device');
const device = await adapter.requestDevice({ requiredFeatures: ['shader-f16'] });
const SIZE = 64, TILE = 8;

// Runs a shader of compute; its last buffer is the result.
async function run(code, groups, entries, result) {
    device.pushErrorScope('validation');
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module: device.createShaderModule({ code }) } });
    const read = device.createBuffer({ size: result.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [...entries, { buffer: result }].map((resource, binding) => ({ binding, resource })),
    }));
    pass.dispatchWorkgroups(...groups);
    pass.end();
    encoder.copyBufferToBuffer(result, 0, read, 0, read.size);
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    await read.mapAsync(GPUMapMode.READ);
    return read.getMappedRange().slice(0);
}

function bufferOf(data) {
    const buffer = device.createBuffer({
        size: data.byteLength, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    });
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
}

// Integers up to 3: each sum of 64 products is exact in f16, too.
const number = (row, column, seed) => ((row * 7 + column * 5 + seed * 3 + ((row * column) >> 1)) % 7) - 3;
const matrix = (seed) => Array.from({ length: SIZE * SIZE }, (_, i) => number(Math.floor(i / SIZE), i % SIZE, seed));

async function product(type) {
    const [Numbers, encode, decode] = type === 'f16' ? [Uint16Array, toHalf, ofHalf] : [Float32Array, (x) => x, (x) => x];
    const a = matrix(1), b = matrix(2);
    const code = `enable f16;
        @group(0) @binding(0) var<storage, read> a: array<${type}>;
        @group(0) @binding(1) var<storage, read> b: array<${type}>;
        @group(0) @binding(2) var<storage, read_write> d: array<${type}>;
        var<workgroup> left: array<array<${type}, ${TILE}>, ${TILE}>;
        var<workgroup> right: array<array<${type}, ${TILE}>, ${TILE}>;
        @compute @workgroup_size(${TILE}, ${TILE})
        fn main(@builtin(local_invocation_id) local: vec3u, @builtin(global_invocation_id) place: vec3u) {
            var sum: ${type} = 0;
            for (var k = 0u; k < ${SIZE}; k += ${TILE}) {
                left[local.y][local.x] = a[place.y * ${SIZE} + k + local.x];
                right[local.y][local.x] = b[(k + local.y) * ${SIZE} + place.x];
                workgroupBarrier();
                for (var i = 0u; i < ${TILE}; i++) { sum += left[local.y][i] * right[i][local.x]; }
                workgroupBarrier();
            }
            d[place.y * ${SIZE} + place.x] = sum;
        }`;
    const got = new Numbers(await run(code, [SIZE / TILE, SIZE / TILE],
        [a, b].map((values) => ({ buffer: bufferOf(Numbers.from(values, encode)) })), bufferOf(new Numbers(SIZE * SIZE))));
    return got.every((value, i) => {
        let want = 0;
        for (let k = 0; k < SIZE; ++k) want += a[i - i % SIZE + k] * b[k * SIZE + i % SIZE];
        return decode(value) === want;
    });
}

// Texels are multiples of 1/255; between four of them a linear filter gives their mean, within its 8 bits.
async function picture() {
    const texels = Uint8Array.from({ length: TILE * TILE * 4 }, (_, i) => (i * 37) % 256);
    const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST;
    const texture = device.createTexture({ size: [TILE, TILE], format: 'rgba8unorm', usage });
    device.queue.writeTexture({ texture }, texels, { bytesPerRow: TILE * 4 }, [TILE, TILE]);
    const stored = device.createTexture({ size: [TILE, TILE], format: 'rgba32float', usage: GPUTextureUsage.STORAGE_BINDING });
    const code = `@group(0) @binding(0) var picture: texture_2d<f32>;
        @group(0) @binding(1) var linear: sampler;
        @group(0) @binding(2) var copied: texture_storage_2d<rgba32float, write>;
        @group(0) @binding(3) var<storage, read_write> d: array<vec4f>;
        @compute @workgroup_size(${TILE}, ${TILE})
        fn main(@builtin(local_invocation_id) local: vec3u) {
            let texel = textureLoad(picture, local.xy, 0);
            textureStore(copied, local.xy, texel);
            let between = textureSampleLevel(picture, linear, vec2f(local.xy + 1) / ${TILE}, 0);
            d[2 * (local.y * ${TILE} + local.x)] = texel;
            d[2 * (local.y * ${TILE} + local.x) + 1] = between;
        }`;
    const linear = device.createSampler({ magFilter: 'linear', minFilter: 'linear' });
    const got = new Float32Array(await run(code, [1], [texture.createView(), linear, stored.createView()],
        bufferOf(new Float32Array(TILE * TILE * 8))));
    const at = (x, y, c) => texels[(Math.min(y, TILE - 1) * TILE + Math.min(x, TILE - 1)) * 4 + c] / 255;
    return got.every((value, i) => {
        const c = i % 4, x = (i >> 3) % TILE, y = Math.floor((i >> 3) / TILE);
        const want = i & 4 ? (at(x, y, c) + at(x + 1, y, c) + at(x, y + 1, c) + at(x + 1, y + 1, c)) / 4 : at(x, y, c);
        return Math.abs(value - want) <= (i & 4 ? 2 / 255 : 2 ** -20);
    });
}

const started = performance.now();
const results = { f32: await product('f32'), f16: await product('f16'), picture: await picture() };
for (const [name, right] of Object.entries(results)) if (!right) console.log(`wrong: ${name}`);
const wrong = Object.values(results).filter((right) => !right).length;
report(3, wrong, started, `${adapter.info.description}: ${Object.keys(results).join(', ')}`);

// SPDX-License-Identifier: Apache-2.0
// WebGPU's subgroup matrices in Dawn for Node (npm's package webgpu): products of small integers, which every
// component type holds exactly, in each configuration that the device has, compared with the same sums in
// JavaScript.
import { create, globals } from 'webgpu';
import { ofHalf, report, toHalf } from './report.mjs';

Object.assign(globalThis, globals);
const gpu = create(['backend=vulkan', 'enable-dawn-features=allow_unsafe_apis']);
const adapter = await gpu.requestAdapter();
if (!adapter) throw new Error('Dawn finds no device');
const feature = 'chromium-experimental-subgroup-matrix';
const lanes = adapter.info.subgroupMaxSize;
if (!adapter.features.has(feature)) {
    report(0, 0, performance.now(), 'no matrices');
}
const device = await adapter.requestDevice({ requiredFeatures: [feature, 'shader-f16', 'subgroups'] });

// Component type: its typed array, the components of a shader's array, and how to convert numbers.
const TYPES = {
    f16: [Uint16Array, 'f16', toHalf, ofHalf],
    f32: [Float32Array, 'f32'],
    i32: [Int32Array, 'i32'],
    u32: [Uint32Array, 'u32'],
    i8: [Int8Array, 'i32'],
    u8: [Uint8Array, 'u32'],
};

// A matrix of small integers, its bytes row by row or column by column, with gaps at the ends.
function matrixOf(type, rows, columns, columnMajor, pad, seed) {
    const [Bytes, , encode = (x) => x] = TYPES[type];
    const stride = (columnMajor ? rows : columns) + pad;
    const values = Array.from({ length: rows }, (_, r) => Array.from({ length: columns }, (_, c) =>
        ((r * 7 + c * 5 + seed * 3 + ((r * c) >> 1)) % 7) - (type[0] === 'u' ? 0 : 3)));
    const data = new Bytes(stride * (columnMajor ? columns : rows));
    values.forEach((row, r) => row.forEach((value, c) => {
        data[columnMajor ? c * stride + r : r * stride + c] = encode(value);
    }));
    return { values, data, stride, columnMajor };
}

const STORAGE = GPUBufferUsage.STORAGE, COPY_SRC = GPUBufferUsage.COPY_SRC, COPY_DST = GPUBufferUsage.COPY_DST;
function bufferOf(data, usage) {
    const bytes = new Uint8Array((data.byteLength + 3) & ~3);
    bytes.set(new Uint8Array(data.buffer));
    const buffer = device.createBuffer({ size: bytes.length, usage: usage | COPY_DST });
    device.queue.writeBuffer(buffer, 0, bytes);
    return buffer;
}

// D = A * B + C, through the layouts of one variant.
function shaderOf(config, form, [a, b, c]) {
    const { M, N, K, componentType: type, resultComponentType: sum } = config;
    const name = (role, of, columns, rows) => `subgroup_matrix_${role}<${of}, ${columns}, ${rows}>`;
    const load = (what, of, from) =>
        `subgroupMatrixLoad<${of}>(&${what}, 0, ${from.columnMajor}, ${from.stride})`;
    const left = name('left', type, K, M), right = name('right', type, N, K), result = name('result', sum, N, M);
    return `enable chromium_experimental_subgroup_matrix;
        enable f16;
        @group(0) @binding(0) var<storage, read_write> a: array<${TYPES[type][1]}>;
        @group(0) @binding(1) var<storage, read_write> b: array<${TYPES[type][1]}>;
        @group(0) @binding(2) var<storage, read_write> c: array<${TYPES[sum][1]}>;
        @group(0) @binding(3) var<storage, read_write> d: array<${TYPES[sum][1]}>;
        @compute @workgroup_size(${lanes})
        fn main() {
            let left = ${load('a', left, a)};
            let right = ${load('b', right, b)};
            var sum = ${form === 'multiply' ? `subgroupMatrixMultiply<${sum}>(left, right)`
        : `subgroupMatrixMultiplyAccumulate(left, right, ${load('c', result, c)})`};
            ${form === 'scalars' ? `sum = subgroupMatrixScalarAdd(subgroupMatrixScalarMultiply(sum, ${sum}(2)), ${sum}(1));` : ''}
            _ = &c;
            subgroupMatrixStore(&d, 0, sum, ${c.columnMajor}, ${c.stride});
        }`;
}

async function runOne(config, form, layout) {
    const { M, N, K, componentType: type, resultComponentType: sum } = config;
    const pad = layout & 8 ? 8 : 0;
    const a = matrixOf(type, M, K, !!(layout & 1), pad, 1);
    const b = matrixOf(type, K, N, !!(layout & 2), pad, 2);
    const c = matrixOf(sum, M, N, !!(layout & 4), pad, 3);
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ code: shaderOf(config, form, [a, b, c]) });
    const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
    const buffers = [bufferOf(a.data, STORAGE), bufferOf(b.data, STORAGE), bufferOf(c.data, STORAGE),
        bufferOf(new TYPES[sum][0](c.data.length), STORAGE | COPY_SRC)];
    const read = device.createBuffer({ size: buffers[3].size, usage: GPUBufferUsage.MAP_READ | COPY_DST });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    }));
    pass.dispatchWorkgroups(1);
    pass.end();
    encoder.copyBufferToBuffer(buffers[3], 0, read, 0, read.size);
    device.queue.submit([encoder.finish()]);
    const error = await device.popErrorScope();
    if (error) throw new Error(`${JSON.stringify(config)}: ${error.message}`);
    await read.mapAsync(GPUMapMode.READ);
    const [Bytes, , , decode = (x) => x] = TYPES[sum];
    const got = new Bytes(read.getMappedRange().slice(0));
    let wrong = 0;
    for (let r = 0; r < M; ++r) {
        for (let n = 0; n < N; ++n) {
            let want = form === 'multiply' ? 0 : c.values[r][n];
            for (let k = 0; k < K; ++k) want += a.values[r][k] * b.values[k][n];
            if (form === 'scalars') want = want * 2 + 1;
            if (sum === 'u32') want >>>= 0;
            if (decode(got[c.columnMajor ? n * c.stride + r : r * c.stride + n]) !== want) ++wrong;
        }
    }
    read.unmap();
    return wrong === 0;
}

const started = performance.now();
let checks = 0, wrong = 0;
const configs = [...adapter.info.subgroupMatrixConfigs].map(({ M, N, K, componentType, resultComponentType }) =>
    ({ M, N, K, componentType, resultComponentType }));
const forms = ['accumulate', 'multiply', 'scalars'];
for (const [index, config] of configs.entries()) {
    for (const [number, form] of forms.entries()) {
        // Layouts rotate, so that each is in some configuration of each type.
        for (const layout of [(index * 3 + number * 5) % 16]) {
            ++checks;
            if (await runOne(config, form, layout)) continue;
            ++wrong;
            console.log(`wrong: ${JSON.stringify(config)}, ${form}, layout ${layout}`);
        }
    }
}
report(checks, wrong, started, `${configs.length} configurations, ${lanes} lanes`);

// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime's WebGPU provider (npm's package onnxruntime-node): the operators for which it has shaders
// with subgroup matrices. All values are small integers, whose sums half floats hold exactly, so the results
// must be those of the same sums in JavaScript.
import { ofHalf, report, toHalf } from './report.mjs';

process.env.ORT_DISABLE_TELEMETRY = '1';
// Where Node has an array of half floats, version 1.30.0 takes its tensors for empty.
delete globalThis.Float16Array;
const { default: ort } = await import('onnxruntime-node');

// --- Protocol buffers, as far as a model of one operator needs them (onnx.proto) -----------------

const varint = (value) => {
    const bytes = [];
    for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
    return [...bytes, value];
};
const number = (field, value) => [...varint(field * 8), ...varint(value)];
const bytes = (field, value) => {
    const data = typeof value === 'string' ? [...Buffer.from(value)] : value;
    return [...varint(field * 8 + 2), ...varint(data.length), ...data];
};
const FLOAT = 1, UINT8 = 2, FLOAT16 = 10;
const valueInfo = (name, type, dims) => bytes(1, name).concat(bytes(2, bytes(1, [...number(1, type),
    ...bytes(2, dims.flatMap((dim) => bytes(1, number(1, dim))))])));
const attribute = ([name, value]) => bytes(5, Array.isArray(value)
    ? [...bytes(1, name), ...value.flatMap((one) => number(8, one)), ...number(20, 7)]
    : [...bytes(1, name), ...number(3, value), ...number(20, 2)]);

// A model of one operator. INPUTS and WEIGHTS: [name, type, dims, bytes of a weight].
function modelOf({ op, domain = '', attributes = {}, inputs, weights, output }) {
    const node = [...[...inputs, ...weights].flatMap(([name]) => bytes(1, name)), ...bytes(2, 'y'),
        ...bytes(4, op), ...Object.entries(attributes).flatMap(attribute), ...bytes(7, domain)];
    const tensor = ([name, type, dims, data]) => bytes(5, [...dims.flatMap((dim) => number(1, dim)),
        ...number(2, type), ...bytes(8, name), ...bytes(9, [...data])]);
    const graph = [...bytes(1, node), ...bytes(2, op), ...weights.flatMap(tensor),
        ...inputs.flatMap((one) => bytes(11, valueInfo(...one))), ...bytes(12, valueInfo('y', ...output))];
    const opset = (name, version) => bytes(8, [...bytes(1, name), ...number(2, version)]);
    return Uint8Array.from([...number(1, 9), ...bytes(7, graph), ...opset('', 19),
        ...opset('com.microsoft', 1)]);
}

// --- Numbers ---------------------------------------------------------------------------------------

const integers = (count, seed, limit = 2) =>
    Array.from({ length: count }, (_, i) => (Math.imul(i + 1, 2654435761 + seed * 40503) >>> 13) % (2 * limit + 1) - limit);

const encoded = (type, values) =>
    type === FLOAT ? Float32Array.from(values) : Uint16Array.from(values, toHalf);
const tensor = (type, values, dims) =>
    new ort.Tensor(type === FLOAT ? 'float32' : 'float16', encoded(type, values), dims);
const bytesOf = (array) => new Uint8Array(array.buffer);

// A [M, K] times B [K, N]; b(k, n) gives an element.
function product(a, b, [m, n, k], start = () => 0) {
    return Array.from({ length: m * n }, (_, at) => {
        const row = Math.floor(at / n), column = at % n;
        let sum = start(column);
        for (let i = 0; i < k; ++i) sum += a[row * k + i] * b(i, column);
        return sum;
    });
}

// --- The operators ------------------------------------------------------------------------------------

function matMul(type, [m, n, k]) {
    const a = integers(m * k, 1), b = integers(k * n, 2);
    return {
        op: 'MatMul', inputs: [['a', type, [m, k]]], feeds: [a],
        weights: [['b', type, [k, n], bytesOf(encoded(type, b))]], output: [type, [m, n]],
        expected: product(a, (i, j) => b[i * n + j], [m, n, k]),
    };
}

function gemm(type, [m, n, k]) {
    const a = integers(m * k, 3), b = integers(k * n, 4), c = integers(n, 5, 9);
    return {
        op: 'Gemm', attributes: { transB: 1 }, inputs: [['a', type, [m, k]]], feeds: [a],
        weights: [['b', type, [n, k], bytesOf(encoded(type, b))], ['c', type, [n], bytesOf(encoded(type, c))]],
        output: [type, [m, n]], expected: product(a, (i, j) => b[j * k + i], [m, n, k], (j) => c[j]),
    };
}

// A convolution of one pixel is the product of weights [outputs, channels] and the image [channels, pixels].
function convolution(type, [outputs, pixels, channels]) {
    const x = integers(channels * pixels, 6), w = integers(outputs * channels, 7), side = Math.sqrt(pixels);
    return {
        op: 'Conv', attributes: { kernel_shape: [1, 1] },
        inputs: [['x', type, [1, channels, side, side]]], feeds: [x],
        weights: [['w', type, [outputs, channels, 1, 1], bytesOf(encoded(type, w))]],
        output: [type, [1, outputs, side, side]],
        expected: product(w, (i, j) => x[i * pixels + j], [outputs, pixels, channels]),
    };
}

// Weights of 4 bits in blocks of 32, of which each stands for itself less 8.
function matMulNBits(type, [m, n, k]) {
    const a = integers(m * k, 8), b = integers(k * n, 9, 4);
    const packed = new Uint8Array(n * k / 2);
    for (let j = 0; j < n; ++j) {
        for (let i = 0; i < k; ++i) packed[(j * k + i) >> 1] |= (b[j * k + i] + 8) << (4 * (i & 1));
    }
    const scales = new Array(n * k / 32).fill(1);
    return {
        op: 'MatMulNBits', domain: 'com.microsoft',
        attributes: { K: k, N: n, bits: 4, block_size: 32, accuracy_level: 0 },
        inputs: [['a', type, [m, k]]], feeds: [a],
        weights: [['b', UINT8, [n, k / 32, 16], packed], ['s', type, [scales.length], bytesOf(encoded(type, scales))]],
        output: [type, [m, n]], expected: product(a, (i, j) => b[j * k + i], [m, n, k]),
    };
}

const CASES = {
    'MatMul f16': matMul(FLOAT16, [128, 256, 64]),
    'MatMul f32': matMul(FLOAT, [128, 128, 64]),
    'Gemm f16': gemm(FLOAT16, [128, 128, 64]),
    'Conv 1x1 f16': convolution(FLOAT16, [128, 256, 64]),
    'MatMulNBits f16': matMulNBits(FLOAT16, [128, 256, 64]),
    'MatMulNBits f32': matMulNBits(FLOAT, [64, 128, 64]),
};

const started = performance.now();
let checks = 0, wrong = 0;
for (const [name, one] of Object.entries(CASES)) {
    const session = await ort.InferenceSession.create(modelOf(one), { executionProviders: ['webgpu'] });
    const [input, type, dims] = one.inputs[0];
    const result = (await session.run({ [input]: tensor(type, one.feeds[0], dims) })).y;
    const half = result.data.constructor === Uint16Array;
    const bad = one.expected.filter((value, i) => (half ? ofHalf(result.data[i]) : result.data[i]) !== value).length;
    ++checks;
    if (bad > 0) ++wrong;
    console.log(`${name}: ${bad} of ${one.expected.length} are wrong`);
}
report(checks, wrong, started, 'MatMul, Gemm, Conv, MatMulNBits');

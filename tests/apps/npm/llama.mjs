// SPDX-License-Identifier: Apache-2.0
// llama.cpp in node-llama-cpp: a model of random weights reads a prompt, on the device and on the CPU. The most
// probable tokens after it must have nearly the same probabilities.
// usage: llama.mjs MODEL
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { report } from './report.mjs';

const TOKENS = 512, PROMPT = 96, PROMPTS = 3, COMPARED = 16, TOLERANCE = 0.02;

async function probabilities(gpu) {
    const llama = await getLlama({ gpu, build: 'never', skipDownload: true, progressLogs: false,
        logLevel: LlamaLogLevel.debug, vramPadding: 0, ramPadding: 0 });
    const model = await llama.loadModel({ modelPath: process.argv[2], gpuLayers: gpu ? 99 : 0, ignoreMemorySafetyChecks: true });
    const context = await model.createContext({ contextSize: 256, batchSize: PROMPT, ignoreMemorySafetyChecks: true });
    const sequence = context.getSequence();
    const results = [];
    for (let prompt = 0; prompt < PROMPTS; ++prompt) {
        const tokens = Array.from({ length: PROMPT }, (_, i) => 3 + (i * i * 7 + i * 37 + prompt * 101) % (TOKENS - 3));
        const input = tokens.map((token, i) =>
            i + 1 < PROMPT ? token : [token, { generateNext: { probabilities: true, options: { temperature: 1, topK: 0, topP: 1, minP: 0 } } }]);
        const output = await sequence.controlledEvaluate(input);
        results.push([...output.at(-1).next.probabilities].sort((a, b) => b[1] - a[1]));
        await sequence.clearHistory();
    }
    const device = gpu ? (await llama.getGpuDeviceNames()).join(' ') : 'CPU';
    await llama.dispose();
    return { results, device };
}

const { results: expected } = await probabilities(false);
const started = performance.now();
const { results, device } = await probabilities('vulkan');
let wrong = 0, largest = 0;
for (const [i, wanted] of expected.entries()) {
    const got = new Map(results[i]);
    for (const [token, value] of wanted.slice(0, COMPARED)) {
        const error = Math.abs((got.get(token) ?? 0) / value - 1);
        largest = Math.max(largest, error);
        if (!(error <= TOLERANCE)) ++wrong;
    }
    console.log(`${device}: ${results[i][0]}, CPU: ${wanted[0]}`);
}
report(PROMPTS * COMPARED, wrong, started, `probabilities differ by ${(largest * 100).toFixed(2)} % at most`);

// SPDX-License-Identifier: Apache-2.0
// whisper.cpp in @fugood/whisper.node: a model of random weights hears two tones, on the device and on the CPU.
// It must say the same.
// usage: whisper.mjs MODEL
import { initWhisper } from '@fugood/whisper.node';
import { report } from './report.mjs';

const SECONDS = 2, RATE = 16000;
const sound = Int16Array.from({ length: SECONDS * RATE }, (_, i) =>
    8000 * Math.sin(i * 0.05) * Math.sin(i * 0.0013));

async function heard(useGpu) {
    const context = await initWhisper({ filePath: process.argv[2], useGpu }, 'vulkan');
    // An error settles no promise in version 1.1.3, and then Node ends with a status of its own.
    const { result } = await context.transcribeData(sound.buffer,
        { language: 'en', temperature: 0, temperatureInc: 0, bestOf: 1, maxThreads: 2 }).promise;
    await context.release();
    return result.trim();
}

const expected = await heard(false);
const started = performance.now();
const result = await heard(true);
report(1, result && result === expected ? 0 : 1, started, `said "${result.slice(0, 40)}", the CPU "${expected.slice(0, 40)}"`);

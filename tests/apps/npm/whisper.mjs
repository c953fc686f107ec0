// SPDX-License-Identifier: Apache-2.0
// whisper.cpp in @fugood/whisper.node: a model of random weights hears two tones. Nothing of what it says is
// certain enough to compare it with the CPU's text: its words differ by less than half floats are exact. So
// this shows only that it runs to its end, and in what time.
// usage: whisper.mjs MODEL
import { initWhisper } from '@fugood/whisper.node';
import { report } from './report.mjs';

const SECONDS = 2, RATE = 16000;
const sound = Int16Array.from({ length: SECONDS * RATE }, (_, i) =>
    8000 * Math.sin(i * 0.05) * Math.sin(i * 0.0013));
const context = await initWhisper({ filePath: process.argv[2], useGpu: true }, 'vulkan');
const started = performance.now();
// An error settles no promise in this version, and then Node ends with a status of its own.
const { result } = await context.transcribeData(sound.buffer,
    { language: 'en', temperature: 0, temperatureInc: 0, bestOf: 1, maxThreads: 2 }).promise;
report(1, result.length > 0 ? 0 : 1, started, `said "${result.trim().slice(0, 40)}"`);

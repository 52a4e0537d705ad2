// A thread that sends a load of its own, so that what other loads receive does not delay it.
import { parentPort, workerData } from 'node:worker_threads';
import { inTurn, sendLoad } from './load.mjs';

const { requests, milliseconds, ...load } = workerData;
const next = inTurn(requests);
/** The thread has to compile its own code first. */
const warmUp = milliseconds / 10;
await sendLoad({ ...load, next, everyMs: 0, milliseconds: warmUp });
parentPort?.postMessage(await sendLoad({ ...load, next, milliseconds: milliseconds - warmUp }));

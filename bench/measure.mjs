// Times of small functions, for bench/<group>/*.mjs.

/** Batches of each side; odd, so that the median is one of them. */
const BATCHES = 41;
/** Long enough for the clock, short enough that both sides of a pair see the same machine. */
const BATCH_MILLISECONDS = 4;
/** Before anything counts: the compiler has had its time. */
const WARM_UP_MILLISECONDS = 150;

/** What batches compute ends here, so that no compiler drops the work. */
/** @type {unknown} */
let sink;

/**
 * Nanoseconds of one call of each function: batches of the two alternate, and each has its median. Whatever else the
 * machine does meets both.
 * @param {(index: number) => unknown} ours gets 0, 1, 2, … to choose its input by
 * @param {(index: number) => unknown} baseline
 * @returns {{ ours: number, baseline: number }}
 */
export function comparePair(ours, baseline) {
  const first = sideOf(ours);
  const second = sideOf(baseline);
  for (let batch = 0; batch < BATCHES; batch++) {
    // Each side goes first every other time.
    for (const side of batch % 2 === 0 ? [first, second] : [second, first])
      side.times.push(timeBatch(side.call, side.calls));
  }
  return { ours: median(first.times), baseline: median(second.times) };
}

/**
 * Nanoseconds of one call: the median of batches.
 * @param {(index: number) => unknown} call
 */
export function timeOf(call) {
  const calls = warmUp(call);
  return median(Array.from({ length: BATCHES }, () => timeBatch(call, calls)));
}

/** @param {readonly number[]} values at least one */
export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/**
 * @param {(index: number) => unknown} call
 * @returns {{ call: (index: number) => unknown, calls: number, times: number[] }}
 */
function sideOf(call) {
  return { call, calls: warmUp(call), times: [] };
}

/**
 * Runs a function until it is warm and returns how many calls fill a batch.
 * @param {(index: number) => unknown} call
 */
function warmUp(call) {
  const begun = performance.now();
  let calls = 1;
  for (;;) {
    const nanoseconds = timeBatch(call, calls);
    const enough = Math.max(1, Math.ceil((BATCH_MILLISECONDS * 1e6) / nanoseconds));
    if (performance.now() - begun > WARM_UP_MILLISECONDS) return enough;
    calls = Math.min(enough, calls * 10);
  }
}

/**
 * @param {(index: number) => unknown} call
 * @param {number} calls
 */
function timeBatch(call, calls) {
  // The processor's time: on a machine that does other work too, the clock would count that work.
  const begun = process.cpuUsage();
  for (let index = 0; index < calls; index++) sink = call(index);
  const { user, system } = process.cpuUsage(begun);
  return Math.max(1, (user + system) * 1000) / calls;
}

/** The last value a batch computed. */
export const lastValue = () => sink;

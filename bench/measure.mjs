// Times of small functions.
const isQuick = process.env.BENCH_QUICK === '1';
/** Batches of each side; odd, so that the median is one of them. */
export const BATCHES = isQuick ? 3 : 41;
/** Long enough for the clock, short enough that both sides of a pair see the same machine. */
const BATCH_MILLISECONDS = 4;
/** Before anything counts: the compiler has had its time. */
const WARM_UP_MILLISECONDS = isQuick ? 10 : 150;

/** What batches compute ends here, so that no compiler drops the work. @type {unknown} */
let sink;

/** @typedef {(index: number) => unknown} Call gets 0, 1, 2, … to choose its input by */

/** Nanoseconds of one call of each function: their batches alternate, and each has its median. @param {Call} ours @param {Call} baseline */
export function comparePair(ours, baseline) {
  const sides = [ours, baseline].map((call) => ({ call, calls: warmUp(call), times: /** @type {number[]} */ ([]) }));
  for (let batch = 0; batch < BATCHES; batch++) {
    for (const side of batch % 2 === 0 ? sides : sides.toReversed()) side.times.push(timeBatch(side.call, side.calls));
  }
  const [first = Number.NaN, second = Number.NaN] = sides.map(({ times }) => median(times));
  return { ours: first, baseline: second };
}

/** Nanoseconds of one call: the median of batches. @param {Call} call */
export function timeOf(call) {
  const calls = warmUp(call);
  return median(Array.from({ length: BATCHES }, () => timeBatch(call, calls)));
}

/** @param {readonly number[]} values */
export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Runs a function until it is warm and returns how many calls fill a batch. @param {Call} call */
function warmUp(call) {
  const begun = performance.now();
  for (let calls = 1; ; ) {
    const nanoseconds = timeBatch(call, calls);
    const enough = Math.max(1, Math.ceil((BATCH_MILLISECONDS * 1e6) / nanoseconds));
    if (performance.now() - begun > WARM_UP_MILLISECONDS) return enough;
    calls = Math.min(enough, calls * 10);
  }
}

/** @param {Call} call @param {number} calls */
function timeBatch(call, calls) {
  // The processor's time: on a machine that does other work too, the clock would count that work.
  const begun = process.cpuUsage();
  for (let index = 0; index < calls; index++) sink = call(index);
  const { user, system } = process.cpuUsage(begun);
  return Math.max(1, (user + system) * 1000) / calls;
}

/** The last value a batch computed. */
export const lastValue = () => sink;

// Times of small functions, memory of processes, and what is told of many numbers.
import { readFile } from 'node:fs/promises';

/** A number that the variable `BENCH_<name>` replaces and `--quick` makes small. */
export const setting = (/** @type {string} */ name, /** @type {number} */ usual, quick = usual) =>
  Number(process.env[`BENCH_${name}`] ?? (process.env.BENCH_QUICK ? quick : usual));

/** An odd number for each function, so that the median is one of them. */
export const BATCHES = setting('BATCHES', 41, 3);
/** Long enough for the clock, short enough that batches next to each other see the same machine. */
const BATCH_MICROSECONDS = 4000;
/** Before anything counts: the compiler has had its time. */
const WARM_UP_MILLISECONDS = setting('WARM_UP_BATCHES_MS', 150, 10);

/** What batches compute ends here, so that no compiler drops the work. @type {unknown} */
export let sink;

/** @param {readonly number[]} values @param {number} part such as 0.99 */
export const percentile = (values, part) =>
  Float64Array.from(values).sort()[Math.floor(values.length * part)] ?? Number.NaN;

/** @param {readonly number[]} values */
export const median = (values) => percentile(values, 0.5);

/** One after the other. @template T @param {number} count @param {() => Promise<T>} round */
export async function inRounds(count, round) {
  const all = [];
  while (all.length < count) all.push(await round());
  return all;
}

/** What rounds gave beside what was measured next to each; the ratio is the median of the ratios of each round.
 * @param {string} name @param {string} unit @param {readonly number[]} ours @param {readonly number[]} other @param {{ atLeast?: number, atMost?: number }} [bounds] */
export function besideRow(name, unit, ours, other, bounds) {
  const ratio = median(ours.map((value, round) => value / Number(other[round])));
  return { name, unit, ours: median(ours), baseline: median(other), ratio, ...bounds };
}

/** Begins to count; the result gives the microseconds of the processor since then: the clock would count other work too. */
export function processorClock() {
  const begun = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  };
}

/** Megabytes that a process holds. @param {number} pid */
export async function residentMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** Nanoseconds of one call of each function, which gets 0, 1, 2, …: their batches alternate, and each has its median.
 * @param {((index: number) => unknown)[]} functions */
export function timesOf(...functions) {
  const all = functions.map((call) => ({ call, calls: warmUp(call), times: /** @type {number[]} */ ([]) }));
  for (let batch = 0; batch < BATCHES; batch++) {
    for (const { call, calls, times } of batch % 2 === 0 ? all : all.toReversed()) times.push(timeBatch(call, calls));
  }
  return all.map(({ times }) => median(times));
}

/** Runs a function until it is warm and returns how many calls fill a batch. @param {(index: number) => unknown} call */
function warmUp(call) {
  const begun = performance.now();
  for (let calls = 1; ; ) {
    const enough = Math.ceil((BATCH_MICROSECONDS * 1000) / timeBatch(call, calls));
    if (performance.now() - begun > WARM_UP_MILLISECONDS) return enough;
    calls = Math.min(enough, calls * 10);
  }
}

/** @param {(index: number) => unknown} call @param {number} calls */
function timeBatch(call, calls) {
  const spent = processorClock();
  for (let index = 0; index < calls; index++) sink = call(index);
  return Math.max(1, spent() * 1000) / calls;
}

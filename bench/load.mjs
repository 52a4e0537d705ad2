// Requests over kept connections, one at a time on each, and short rounds of several servers in turns, so that whatever else
// the machine does meets all of them. The client is written by hand because it shares the processor with what it measures.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import { besideRow, median, percentile, setting } from './measure.mjs';

/** @typedef {import('./lab.mjs').Subject} Subject */
/** What gives the next request, whole, as it goes over the wire; atLeast: smallest ratio to the first side. */
/** @typedef {Subject & { next: () => string, atLeast?: number }} Side */
/** What the rounds of a side gave: requests a second, latencies in ms, processor time of each process. */
/** @typedef {Side & { rates: number[], latencies: number[], seconds: number[] }} Series */
/** @typedef {{ name: string, unit: string, ours: number, baseline?: number, ratio?: number, atLeast?: number, atMost?: number }} Row */

const HEAD_END = Buffer.from('\r\n\r\n');
const LONGEST_WARM_UP_MS = setting('LONGEST_WARM_UP_MS', 30_000, 1000);
/** The ticks of a second in `/proc/<pid>/stat`; the same on every Linux. */
const TICKS_PER_SECOND = 100;

/** The compiler takes its time by calls, not by the clock: a warm-up goes on until so many requests are answered. */
export const PLAN = {
  connections: 32,
  rounds: setting('ROUNDS', 9, 1),
  roundMs: setting('ROUND_MS', 1000, 200),
  warmUpMs: setting('WARM_UP_MS', 1000, 200),
  warmUpRequests: setting('WARM_UP_REQUESTS', 20_000, 200),
};
/** For servers whose requests take long enough that seconds warm them up. */
export const SLOWER_PLAN = { ...PLAN, warmUpMs: setting('WARM_UP_MS', 4000, 200), warmUpRequests: 0 };

/** @param {string} method @param {string} path @param {string} headers each line with its end @param {object} [body] sent as JSON */
export function requestText(method, path, headers, body) {
  const text = body === undefined ? '' : JSON.stringify(body);
  const length = Buffer.byteLength(text);
  const type = body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${length}\r\n`;
  const common = 'host: 127.0.0.1:8080\r\naccept: application/json\r\nuser-agent: bench\r\n';
  return `${method} ${path} HTTP/1.1\r\n${common}${headers}${type}\r\n${text}`;
}

/** One of a list after the other. @template T @param {readonly T[]} list @returns {() => T} */
export function inTurn(list) {
  let turn = 0;
  return () => /** @type {T} */ (list[turn++ % list.length]);
}

/** 1, 2, 3, … @returns {() => number} */
export function counter() {
  let turn = 0;
  return () => ++turn;
}

/** Throws for an answer that is no success, and for one without a length. everyMs: how far apart requests of a connection begin at least.
 * @param {{ port: number, next: () => string, connections?: number, milliseconds: number, everyMs?: number }} load */
export async function sendLoad({ port, next, connections = PLAN.connections, milliseconds, everyMs = 0 }) {
  const begun = performance.now();
  /** @type {number[]} */
  const latencies = [];
  const isOver = (/** @type {number} */ latency) => {
    latencies.push(latency);
    return performance.now() >= begun + milliseconds;
  };
  const beginning = (/** @type {unknown} */ _, /** @type {number} */ turn) =>
    converse(port, next, isOver, everyMs, (everyMs * turn) / connections);
  await Promise.all(Array.from({ length: connections }, beginning));
  return { requests: latencies.length, seconds: (performance.now() - begun) / 1000, latencies };
}

/** Like sendLoad, in a thread that no other load keeps waiting.
 * @param {Omit<Parameters<typeof sendLoad>[0], 'next'> & { requests: readonly string[] }} load @returns {ReturnType<typeof sendLoad>} */
export async function sendLoadApart(load) {
  const worker = new Worker(new URL('load-thread.mjs', import.meta.url), { workerData: load });
  const [result] = await once(worker, 'message');
  return result;
}

/** One request on a connection of its own, and what its answer is as JSON. @param {number} port @param {string} request @returns {Promise<any>} */
export async function ask(port, request) {
  const answer = await converse(port, () => request);
  const body = answer.toString('utf8', answer.indexOf(HEAD_END) + HEAD_END.length);
  return body === '' ? undefined : JSON.parse(body);
}

/** One request on a connection, and more until `isOver` with the milliseconds since the last was sent, or should have been.
 * @param {number} port on 127.0.0.1 @param {() => string} next @param {(latency: number) => boolean} [isOver]
 * @returns {Promise<Buffer>} the last answer */
function converse(port, next, isOver = () => true, everyMs = 0, firstInMs = 0) {
  return new Promise((resolve, reject) => {
    let dueAt = performance.now() + firstInMs - everyMs;
    const write = () => socket.write(next(), 'utf8');
    const send = () => {
      const now = performance.now();
      dueAt = everyMs === 0 ? now : dueAt + everyMs;
      if (dueAt > now) setTimeout(write, dueAt - now);
      else write();
    };
    /** What has come of an answer. @type {Buffer[]} */
    let parts = [];
    let missing = Number.POSITIVE_INFINITY;
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true }, send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`Port ${port} closed a connection`)));
    socket.on('data', (chunk) => {
      parts.push(chunk);
      const joined = () => (parts.length === 1 ? chunk : Buffer.concat(parts));
      if (missing === Number.POSITIVE_INFINITY) {
        const head = joined();
        missing = missingOf(head);
        parts = [head];
      } else missing -= chunk.length;
      if (missing > 0) return;
      // The first digit of the status, `HTTP/1.1 201`. A long answer is joined only where it is looked at.
      if (parts[0]?.[9] !== 0x32) socket.destroy(new Error(`Port ${port} answered ${joined().toString('utf8')}`));
      else if (!isOver(performance.now() - dueAt)) send();
      else {
        resolve(joined());
        socket.destroy();
      }
      [parts, missing] = [[], Number.POSITIVE_INFINITY];
    });
  });
}

/** Bytes of head and body that are still to come; infinitely many while the head is not complete. @param {Buffer} answer */
function missingOf(answer) {
  const headEnd = answer.indexOf(HEAD_END);
  if (headEnd < 0) return Number.POSITIVE_INFINITY;
  const head = answer.toString('latin1', 0, headEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? (head.startsWith('HTTP/1.1 204') ? 0 : undefined);
  if (length === undefined) throw new Error(`An answer without a length: ${answer.toString('latin1')}`);
  return headEnd + HEAD_END.length + Number(length) - answer.length;
}

/** Warms every side up, then measures them in turns; the order is reversed every other round.
 * @param {readonly Side[]} sides @returns {Promise<[Series, ...Series[]]>} */
export async function alternate(sides, { connections, rounds, roundMs, warmUpMs, warmUpRequests } = PLAN) {
  for (const { port, next } of sides) {
    const deadline = performance.now() + LONGEST_WARM_UP_MS;
    let answered = 0;
    do {
      answered += (await sendLoad({ port, next, connections, milliseconds: warmUpMs })).requests;
    } while (answered < warmUpRequests && performance.now() < deadline);
  }
  const all = sides.map((side) => /** @type {Series} */ ({ ...side, rates: [], latencies: [], seconds: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const series of round % 2 === 0 ? all : all.toReversed()) {
      const before = await processorSeconds(series.processes);
      const load = await sendLoad({ ...series, connections, milliseconds: roundMs });
      series.rates.push(load.requests / load.seconds);
      series.latencies = series.latencies.concat(load.latencies);
      const after = await processorSeconds(series.processes);
      series.seconds = after.map((now, index) => (series.seconds[index] ?? 0) + now - Number(before[index]));
    }
  }
  return /** @type {[Series, ...Series[]]} */ (all);
}

/** Rows of servers that do the same: the rate of each beside that of the first, its latencies and its processor time.
 * @param {string} name @param {readonly Side[]} sides @returns {Promise<Row[]>} */
export async function compare(name, sides, plan = PLAN) {
  const all = await alternate(sides, plan);
  return all.flatMap((series) => {
    const title = `${name}: ${series.name}`;
    const { rates, latencies, atLeast } = series;
    const beside = series === all[0] ? {} : besideRow(title, '/s', rates, all[0].rates, { atLeast });
    return [
      { name: title, unit: '/s', ours: median(rates), ...beside },
      { name: `${title}, p50`, unit: 'ms', ours: median(latencies) },
      { name: `${title}, p99`, unit: 'ms', ours: percentile(latencies, 0.99) },
      ...series.processes.map((process, index) => {
        const ours = (Number(series.seconds[index]) / latencies.length) * 1e6;
        return { name: `${title}, processor time a request: ${process.name}`, unit: 'µs', ours };
      }),
    ];
  });
}

/** Seconds of a processor that each process has taken by now, with its children. @param {Subject['processes']} processes */
const processorSeconds = (processes) =>
  Promise.all(
    processes.map(async ({ pid }) => {
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
      const ticks = await Promise.all([pid, ...children.trim().split(' ')].filter(Boolean).map(ticksOf));
      return ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND;
    }),
  );

/** The ticks of a process and of its children that have ended. @param {number | string} pid */
async function ticksOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program, in parentheses, may hold spaces.
  const parts = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return parts.slice(11, 15).reduce((sum, part) => sum + Number(part), 0);
}

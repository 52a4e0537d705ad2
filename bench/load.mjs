// Requests over kept connections, one at a time on each, and short rounds of several servers in turns, so that whatever else
// the machine does meets all of them. The client is written by hand because it shares the processor with what it measures.
import { readdir, readFile } from 'node:fs/promises';
import net from 'node:net';
import { setting } from './lab.mjs';
import { median } from './measure.mjs';

/** @typedef {import('./lab.mjs').Subject} Subject */
/** A server and what gives its next request, whole, as it goes over the wire. */
/** @typedef {{ subject: Subject, next: () => string, atLeast?: number }} Side atLeast: smallest ratio to the first side */
/** What the rounds of a side gave: requests a second, latencies in ms in ascending order, processor time by process. */
/** @typedef {{ subject: Subject, rates: number[], rate: number, latencies: number[], requests: number, seconds: Map<string, number> }} Series */
/** @typedef {{ name: string, unit: string, ours: number, baseline?: number, ratio?: number, atLeast?: number, atMost?: number }} Row */

const HEAD_END = Buffer.from('\r\n\r\n');
const ACCEPTED = new Set(['200', '201', '202']);
const LONGEST_WARM_UP_MS = setting('LONGEST_WARM_UP_MS', 30_000, 1000);
/** Of a second in `/proc/<pid>/stat`; the same on every Linux. */
const TICKS_PER_SECOND = 100;

/** The compiler takes its time by calls, not by the clock: a warm-up goes on until so many requests are answered. */
export const PLAN = {
  connections: 32,
  rounds: setting('ROUNDS', 9, 1),
  roundMs: setting('ROUND_MS', 1000, 200),
  warmUpMs: setting('WARM_UP_MS', 1000, 200),
  warmUpRequests: setting('WARM_UP_REQUESTS', 20_000, 200),
};

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

/**
 * Throws for an answer that is no success, and for one without a length.
 * @param {{ port: number, next: () => string, connections: number, milliseconds: number }} load
 */
export async function sendLoad({ port, next, connections, milliseconds }) {
  const begun = performance.now();
  /** @type {number[]} */
  const latencies = [];
  const use = () => useConnection(port, next, begun + milliseconds, latencies);
  await Promise.all(Array.from({ length: connections }, use));
  return { requests: latencies.length, seconds: (performance.now() - begun) / 1000, latencies };
}

/** @param {number} port @param {() => string} next @param {number} deadline @param {number[]} latencies filled in @returns {Promise<void>} */
function useConnection(port, next, deadline, latencies) {
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(next(), 'utf8');
    };
    const socket = connect(port, reject, (answer) => {
      if (!ACCEPTED.has(answer.toString('latin1', 9, 12))) {
        reject(new Error(`Port ${port} answered ${answer.toString('utf8')}`));
        socket.destroy();
        return;
      }
      const now = performance.now();
      latencies.push(now - sentAt);
      if (now < deadline) return send();
      resolve();
      socket.destroy();
    });
    socket.on('connect', send);
  });
}

/** One request on a connection of its own. @param {number} port @param {string} request @returns {Promise<{ status: number, body: string }>} */
export function sendOne(port, request) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, reject, (answer) => {
      const body = answer.toString('utf8', answer.indexOf(HEAD_END) + HEAD_END.length);
      resolve({ status: Number(answer.toString('latin1', 9, 12)), body });
      socket.destroy();
    });
    socket.on('connect', () => socket.write(request, 'utf8'));
  });
}

/** @param {number} port on 127.0.0.1 @param {(error: Error) => void} fail @param {(answer: Buffer) => void} onAnswer when it is complete */
function connect(port, fail, onAnswer) {
  const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
  /** @type {Buffer | undefined} */
  let partial;
  socket.on('error', fail);
  socket.on('close', () => fail(new Error(`Port ${port} closed a connection`)));
  socket.on('data', (chunk) => {
    const answer = partial ? Buffer.concat([partial, chunk]) : chunk;
    const length = lengthOf(answer);
    const isWhole = length !== undefined && answer.length >= length;
    partial = isWhole ? undefined : answer;
    if (isWhole) onAnswer(answer);
  });
  return socket;
}

/** Bytes of head and body; undefined while the head is not complete. @param {Buffer} answer */
function lengthOf(answer) {
  const headEnd = answer.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) throw new Error(`An answer without a length: ${answer.toString('latin1')}`);
  return headEnd + HEAD_END.length + Number(length);
}

/** Warms every side up, then measures them in turns; the order is reversed every other round. @param {readonly Side[]} sides */
export async function alternate(sides, plan = PLAN) {
  const { connections, rounds, roundMs, warmUpMs, warmUpRequests } = plan;
  for (const { subject, next } of sides) {
    const deadline = performance.now() + LONGEST_WARM_UP_MS;
    let answered = 0;
    do {
      answered += (await sendLoad({ port: subject.port, next, connections, milliseconds: warmUpMs })).requests;
    } while (answered < warmUpRequests && performance.now() < deadline);
  }
  const all = sides.map(({ subject, next }) => ({ next, series: emptySeries(subject) }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { next, series } of round % 2 === 0 ? all : all.toReversed()) {
      const spent = await countProcessorTime(series.subject.processes);
      const load = await sendLoad({ port: series.subject.port, next, connections, milliseconds: roundMs });
      series.rates.push(load.requests / load.seconds);
      series.latencies = series.latencies.concat(load.latencies);
      series.requests += load.requests;
      for (const [name, more] of await spent()) series.seconds.set(name, (series.seconds.get(name) ?? 0) + more);
    }
  }
  for (const { series } of all) {
    series.rate = median(series.rates);
    series.latencies.sort((left, right) => left - right);
  }
  return all.map(({ series }) => series);
}

/** @param {Subject} subject @returns {Series} */
const emptySeries = (subject) => ({ subject, rates: [], rate: 0, latencies: [], requests: 0, seconds: new Map() });

/**
 * Rows of servers that do the same: the rate of each beside that of the first, its latencies and its processor time.
 * @param {string} name @param {readonly Side[]} sides @returns {Promise<Row[]>}
 */
export async function compare(name, sides, plan = PLAN) {
  const all = await alternate(sides, plan);
  const [first] = all;
  return all.flatMap((series, index) => {
    const row = { name: `${name}: ${series.subject.name}`, unit: '/s', ours: series.rate };
    if (!first || index === 0) return [row, ...detailRows(row.name, series)];
    const { atLeast } = /** @type {Side} */ (sides[index]);
    const beside = { baseline: first.rate, ratio: ratioOf(series, first), atLeast };
    return [{ ...row, ...beside }, ...detailRows(row.name, series)];
  });
}

/** The median of the ratios of each round. @param {Series} ours @param {Series} baseline */
export const ratioOf = (ours, baseline) =>
  median(ours.rates.map((rate, round) => rate / Number(baseline.rates[round])));

/** @param {readonly number[]} sorted in ascending order @param {number} part such as 0.99 */
export const percentile = (sorted, part) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;

/** @param {string} name @param {Series} series */
export const detailRows = (name, { latencies, requests, seconds }) => [
  { name: `${name}, p50`, unit: 'ms', ours: percentile(latencies, 0.5) },
  { name: `${name}, p99`, unit: 'ms', ours: percentile(latencies, 0.99) },
  ...processorRows(`${name}, processor time a request`, [seconds], requests),
];

/** Microseconds of each of `count`, by process. @param {string} name @param {readonly Map<string, number>[]} rounds @param {number} count */
export const processorRows = (name, rounds, count) =>
  [...(rounds[0]?.keys() ?? [])].map((process) => {
    const total = rounds.reduce((sum, round) => sum + (round.get(process) ?? 0), 0);
    return { name: `${name}: ${process}`, unit: 'µs', ours: (total / count) * 1e6 };
  });

/** Microseconds of a request in all processes of the servers, without the client. @param {Series} series */
export const serverMicroseconds = ({ requests, seconds }) =>
  ([...seconds].reduce((sum, [name, one]) => (name === 'client' ? sum : sum + one), 0) / requests) * 1e6;

/** Begins to count; the result gives the seconds since then, by process. @param {Subject['processes']} processes */
export async function countProcessorTime(processes) {
  const before = await processorSeconds(processes);
  return async () => {
    const after = await processorSeconds(processes);
    return new Map([...after].map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)]));
  };
}

/** Processor time that each process has taken by now; the client is this process. @param {Subject['processes']} processes */
async function processorSeconds(processes) {
  const { user, system } = process.cpuUsage();
  const seconds = new Map([['client', (user + system) / 1e6]]);
  for (const { name, pid, withChildren } of processes) {
    const own = await timesOf(pid);
    if (!own) continue;
    const children = withChildren ? await childrenOf(pid) : [];
    // Without those that have ended, a child that ends between two looks would take its time along.
    const ticks = children.reduce((sum, child) => sum + child.ticks, own.ticks + (withChildren ? own.ofEnded : 0));
    seconds.set(name, ticks / TICKS_PER_SECOND);
  }
  return seconds;
}

/** @param {number} parent */
async function childrenOf(parent) {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  return (await Promise.all(pids.map(timesOf))).flatMap((times) => (times?.parent === parent ? [times] : []));
}

/** @param {number} pid */
async function timesOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name of the program, in parentheses, may hold spaces.
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  if (!fields) return undefined;
  const at = (/** @type {number} */ index) => Number(fields[index]);
  return { parent: at(1), ticks: at(11) + at(12), ofEnded: at(13) + at(14) };
}

/** Megabytes that a process holds. @param {number} pid */
export async function residentMegabytes(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

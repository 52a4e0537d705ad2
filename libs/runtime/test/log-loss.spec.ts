import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

/** Milliseconds before the end that a killed process may take lines with it. */
const PROMISED_MS = 100;
const START_TIMEOUT_MS = 30_000;

const program = path.join(import.meta.dirname, 'logging-program.mjs');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'crm-log-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the program with a file as its standard output, as the platform does, and waits until it has written lines. */
async function start(end: 'wait' | 'throw') {
  const name = `${end}-${Math.random()}`;
  const [logFile, numbersFile] = [path.join(folder, `${name}.log`), path.join(folder, `${name}.txt`)];
  const output = openSync(logFile, 'a');
  closeSync(openSync(numbersFile, 'a'));
  const child = spawn(process.execPath, [program, numbersFile, end], { stdio: ['ignore', output, 'inherit'] });
  closeSync(output);
  const linesOf = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n').filter(Boolean);
  /** Number and time in Unix milliseconds of each line that the program has handed to the log. */
  const handedOver = () =>
    linesOf(numbersFile).map((line) => {
      const [number, time] = line.split(' ').map(Number);
      return { number: number!, time: time! };
    });
  /** Lines of the log; each has to be whole. */
  const log = (): { msg: string; number?: number }[] => linesOf(logFile).map((line) => JSON.parse(line));
  const logged = () => log().flatMap(({ msg, number }) => (msg === 'line' ? [number] : []));
  const exit = once(child, 'exit');
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (handedOver().length < 100) {
    if (Date.now() > deadline) throw new Error('The program wrote nothing');
    await delay(20);
  }
  return { child, exit, log, logged, handedOver };
}

/** Between two lines while the program has a processor: it waits for 1 ms. A longer pause is the machine's, which flushes nothing either. */
const LONGEST_PAUSE_MS = 10;

/** How long the program ran between the first and the last of the times. */
const millisecondsRun = (times: readonly number[]): number =>
  times.slice(1).reduce((sum, time, index) => sum + Math.min(time - (times[index] ?? time), LONGEST_PAUSE_MS), 0);

describe('the log of a process that ends', () => {
  it.each([
    ['SIGTERM', 'wait', 0, { level: 'info', msg: 'stopped' }],
    ['an uncaught exception', 'throw', 1, { level: 'fatal', err: expect.objectContaining({ message: 'a defect' }) }],
  ] as const)(
    'is complete after %s',
    async (_what, end, status, last) => {
      const run = await start(end);
      if (end === 'wait') run.child.kill('SIGTERM');
      expect(await run.exit).toEqual([status, null]);
      expect(run.logged()).toEqual(run.handedOver().map(({ number }) => number));
      expect(run.log()).toContainEqual(expect.objectContaining(last));
    },
    60_000,
  );

  it('lacks at most the last 100 ms after kill -9', async () => {
    const run = await start('wait');
    run.child.kill('SIGKILL');
    expect(await run.exit).toEqual([null, 'SIGKILL']);
    const handedOver = run.handedOver();
    const missing = handedOver.slice(run.logged().length);
    expect(run.logged()).toEqual(handedOver.slice(0, run.logged().length).map(({ number }) => number));
    expect(millisecondsRun(missing.map(({ time }) => time))).toBeLessThan(PROMISED_MS);
  }, 60_000);
});

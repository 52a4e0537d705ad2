import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../demo/client.mjs';
import { ChildServer, tellingLines } from './child-server.mjs';
import { Guard } from './guard.mjs';
import { CRASH_WINDOW_MS, KeptAlive, keepsCrashing, MOST_CRASHES } from './kept-alive.mjs';
import { isAlive } from './run.mjs';

/** Prints a line and waits. */
const WAITS = 'console.log("up"); setInterval(() => undefined, 1000)';

describe('a program that is kept alive', () => {
  /** @type {Guard} */
  let guard;
  beforeAll(() => {
    guard = new Guard();
  });
  afterAll(() => guard.dismiss());

  /** @param {string} script @param {Partial<import('./kept-alive.mjs').KeptAliveOptions>} [options] */
  const keep = (script, options) =>
    new KeptAlive({
      name: 'program',
      start: () =>
        ChildServer.start({
          name: 'program',
          command: process.execPath,
          args: ['-e', script],
          guard,
        }),
      onRestart: () => undefined,
      onGiveUp: () => undefined,
      onChange: () => undefined,
      ...options,
    });

  it('is started again with a new process when it is killed', async () => {
    /** @type {string[]} */
    const told = [];
    const kept = keep(WAITS, { onRestart: (crash) => told.push(crash.message) });
    const first = await kept.start();
    kept.restarts = true;
    process.kill(first.pid ?? 0, 'SIGKILL');
    await eventually(async () => kept.current !== first && kept.current?.pid !== undefined, 'the end or the restart');
    expect(told).toEqual(['program ended and is restarted (signal SIGKILL)']);
    await kept.stop('SIGTERM', 5000);
    expect(isAlive(kept.current?.pid ?? 0)).toBe(false);
  });

  it('writes a log that nobody else on the machine reads', async () => {
    const logFile = path.join(await mkdtemp(path.join(os.tmpdir(), 'crm-log-')), 'program.log');
    const { command, args } = { command: process.execPath, args: ['-e', ''] };
    await (await ChildServer.start({ name: 'program', command, args, guard, logFile })).ended;
    expect((await stat(logFile)).mode & 0o777).toBe(0o640);
  });

  it('is not started again when it ends during the start of the platform', async () => {
    /** @type {Error[]} */
    const failures = [];
    const kept = keep('console.log("no"); process.exit(3)', { onGiveUp: (error) => failures.push(error) });
    await kept.start();
    await eventually(async () => failures.length > 0, 'the end or the restart');
    expect(failures[0]).toMatchObject({ message: 'program ended during the start (exit code 3)', lines: ['no'] });
  });

  it('stays stopped when it is told to stop while it waits for its restart', async () => {
    const kept = keep('process.exit(1)');
    kept.restarts = true;
    const first = await kept.start();
    await first.ended;
    await kept.stop('SIGTERM', 5000);
    expect(kept.current).toBe(first);
  });
});

it.each([
  ['not at the last crash that is allowed', MOST_CRASHES, 1000, false],
  ['at the next one', MOST_CRASHES + 1, 1000, true],
  ['not where the others are older than the window', 20, CRASH_WINDOW_MS, false],
])('a program is given up %s', (_when, count, apartMs, expected) => {
  expect(keepsCrashing(Array.from({ length: count }, (_, index) => index * apartMs))).toBe(expected);
});

describe('the excerpt of a log', () => {
  it('leaves out the frames of a stack trace', () => {
    const lines = ['up', 'Error: boom', '    at one (a.js:1)', '    at two (b.js:2)', 'Node.js v20.20.2'];
    expect(tellingLines(lines, 2)).toEqual(['Error: boom', 'Node.js v20.20.2']);
  });
});

describe('the guard', () => {
  it('ends the children and removes the throwaway folder when its process is killed', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-guard-'));
    const parent = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        `import { spawn } from 'node:child_process';
         import { Guard } from '${pathToFileURL(path.join(import.meta.dirname, 'guard.mjs')).href}';
         const guard = new Guard({ throwawayFolder: ${JSON.stringify(folder)} });
         const child = spawn('sleep', ['600'], { detached: true });
         guard.watch(child.pid);
         console.log(child.pid);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = await once(parent.stdout, 'data');
    const child = Number(line);
    expect(isAlive(child)).toBe(true);
    parent.kill('SIGKILL');
    await eventually(async () => !isAlive(child) && !existsSync(folder), 'the end or the restart');
  });
});

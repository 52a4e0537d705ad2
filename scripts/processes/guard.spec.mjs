import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { isAlive } from './alive.mjs';

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
         guard.watch(child.pid, 'servers');
         console.log(child.pid);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = await once(parent.stdout, 'data');
    const child = Number(line);
    expect(isAlive(child)).toBe(true);
    parent.kill('SIGKILL');
    const deadline = Date.now() + 10_000;
    while ((isAlive(child) || existsSync(folder)) && Date.now() < deadline) await delay(20);
    expect(isAlive(child)).toBe(false);
    expect(existsSync(folder)).toBe(false);
  });
});

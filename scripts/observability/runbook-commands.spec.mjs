import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ofKind } from '../kubernetes/manifests.mjs';
import { renderOverlay } from '../kubernetes/render.mjs';
import { run } from '../processes/run.mjs';
import { filesIn, RUNBOOKS } from './files.mjs';

const base64 = (/** @type {string} */ text) => Buffer.from(text).toString('base64');

/** Says what a cluster would, and notes what it was told. */
const KUBECTL = `#!/bin/sh
printf '%s\\n' "$*" >> "$LOG"
case "$*" in
  *"get hpa"*) printf 3 ;;
  *"get secret nats-tls -o jsonpath={.data.ca\\.crt}"*) printf ${base64('the authority')} ;;
  *"get secret nats-users -o jsonpath={.data.provisioner}"*) printf ${base64('p0123')} ;;
esac
`;

/** @type {string} */
let folder;
/** Shell blocks of the index. @type {string[]} */
let blocks;
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'crm-runbooks-'));
  await writeFile(path.join(folder, 'kubectl'), KUBECTL);
  await chmod(path.join(folder, 'kubectl'), 0o755);
  const page = await readFile(path.join(RUNBOOKS, 'README.md'), 'utf8');
  blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Runs commands with the functions of the index.
 * @param {string} commands
 */
async function shell(commands) {
  const log = path.join(folder, 'told');
  await writeFile(log, '');
  const outcome = await run('sh', ['-eu', '-c', `${blocks[0]}\n${commands}`], {
    cwd: folder,
    env: { PATH: `${folder}:${process.env.PATH}`, LOG: log },
  });
  return { ...outcome, told: (await readFile(log, 'utf8')).trim().split('\n') };
}

describe('the functions of the runbooks', () => {
  it.each([
    ['add_processes gateway', 'patch hpa gateway --type=merge -p {"spec":{"minReplicas":4}}'],
    ['add_processes gateway 2', 'patch hpa gateway --type=merge -p {"spec":{"minReplicas":5}}'],
  ])('%s adds to what runs, at the autoscaler', async (command, patch) => {
    const { code, stderr, told } = await shell(command);
    expect([code, stderr]).toEqual([0, '']);
    expect(told.at(-1)).toBe(`-n crm ${patch}`);
  });

  it('connect to the broker of a cluster with its authority and the password of provisioner', async () => {
    const connect = blocks.find((block) => block.includes('port-forward')) ?? '';
    const { code, stdout, stderr, told } = await shell(
      `${connect}\nwait\necho "$NATS_URL $NATS_PASSWORD $(cat "$NODE_EXTRA_CA_CERTS")"`,
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trim()).toBe('tls://localhost:4222 p0123 the authority');
    expect(told.at(-1)).toBe('-n crm port-forward service/nats 4222');
  });
});

describe('the runbooks', () => {
  it('leave the number of processes to autoscalers where there are some, but for a service that has none left', async () => {
    for (const file of filesIn(RUNBOOKS, '.md')) {
      const name = path.basename(file, '.md');
      const scales = (await readFile(file, 'utf8')).includes('crm scale deployment/');
      expect([name, scales]).toEqual([name, ['README', 'ServiceAbsent'].includes(name)]);
    }
  });

  it('add processes to services that have an autoscaler, and no more than it allows', async () => {
    const scalers = ofKind(await renderOverlay('production'), 'HorizontalPodAutoscaler');
    const room = new Map(scalers.map(({ metadata, spec }) => [metadata.name, spec.maxReplicas - spec.minReplicas]));
    let found = 0;
    for (const file of filesIn(RUNBOOKS, '.md')) {
      if (path.basename(file) === 'README.md') continue;
      for (const [, service = '', count = '1'] of (await readFile(file, 'utf8')).matchAll(
        /^add_processes (\S+)(?: +(\d+))?/gm,
      )) {
        found += 1;
        if (!service.startsWith('<')) expect(room.get(service)).toBeGreaterThanOrEqual(Number(count));
      }
    }
    expect(found).toBe(8);
  });
});

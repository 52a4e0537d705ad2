import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { renderOverlay } from '../kubernetes/render.mjs';
import { run } from '../processes/run.mjs';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { filesIn, RUNBOOKS } from './files.mjs';

const base64 = (/** @type {string} */ text) => Buffer.from(text).toString('base64');

/** Says what a cluster would, and notes what it was told. */
const KUBECTL = `#!/bin/sh
printf '%s\\n' "$*" >> "$LOG"
case "$*" in
  *"get secret nats-tls -o jsonpath={.data.ca\\.crt}"*) printf ${base64('the authority')} ;;
  *'-o jsonpath={.spec.template.spec.containers[0].ports[?(@.name=="operations")].containerPort}'*) printf "$OPERATIONS" ;;
  *" exec deployment/"*) while [ "$1" != -- ]; do shift; done; shift; exec "$@" ;;
  *"get secret nats-users -o jsonpath={.data.provisioner}"*) printf ${base64('p0123')} ;;
esac
`;

const inFolder = temporaryFolder();
const FUNCTIONS = readFileSync(path.join(RUNBOOKS, 'functions.sh'), 'utf8');

/** Runs commands with the functions that the pages source. @param {string} commands @param {Record<string, string>} [environment] */
async function shell(commands, environment = {}) {
  await writeFile(inFolder('kubectl'), KUBECTL, { mode: 0o755 });
  const outcome = await run('sh', ['-eu', '-c', `${FUNCTIONS}\n${commands}`], {
    cwd: inFolder(),
    env: { PATH: `${inFolder()}:${process.env.PATH}`, LOG: inFolder('told'), ...environment },
  });
  return { ...outcome, told: (await readFile(inFolder('told'), 'utf8')).trim().split('\n') };
}

describe('the functions of the runbooks', () => {
  it('set the least number of processes at the autoscaler, which would undo any other', async () => {
    const { code, stderr, told } = await shell('processes gateway 4');
    expect([code, stderr]).toEqual([0, '']);
    expect(told).toEqual(['-n crm patch hpa gateway --type merge --patch {"spec":{"minReplicas":4}}']);
  });

  it('show what a service measures, at the port that its Deployment names: no variable of its containers does', async () => {
    for (const { kind, metadata, spec } of await renderOverlay('production')) {
      const container = spec?.template?.spec.containers[0];
      if (kind !== 'Deployment' || container.name !== 'service') continue;
      const port = container.ports.find((/** @type {{ name: string }} */ { name }) => name === 'operations');
      expect([metadata.name, port?.containerPort]).toEqual([metadata.name, expect.any(Number)]);
    }
    const server = createServer((request, response) => response.end(`measured at ${request.url}`)).listen(
      0,
      '127.0.0.1',
    );
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    const { stdout } = await shell('metrics identity', { OPERATIONS: String(port) });
    server.close();
    expect(stdout).toBe('measured at /metrics\n');
  });

  it('connect to the broker of a cluster with its authority and the password of provisioner', async () => {
    const { code, stdout, stderr, told } = await shell(
      'broker\nwait\necho "$NATS_URL $NATS_PASSWORD $(cat "$NODE_EXTRA_CA_CERTS")"',
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trim()).toBe('tls://localhost:4222 p0123 the authority');
    expect(told.at(-1)).toBe('-n crm port-forward service/nats 4222');
  });
});

describe('the runbooks', () => {
  it('say where the functions are from before they call one, and name those that exist', async () => {
    const names = [...FUNCTIONS.matchAll(/^(\w+)\(\) \{/gm)].map(([, name = '']) => name);
    expect(names).toContain('crm');
    const call = new RegExp(`^ *(?:${names.join('|')})\\b`, 'm');
    for (const file of filesIn(RUNBOOKS, '.md')) {
      const text = await readFile(file, 'utf8');
      const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)];
      const first = blocks.find(([, block = '']) => call.test(block))?.index ?? -1;
      const at = text.indexOf('. docs/runbooks/functions.sh');
      expect([path.basename(file), first === -1 || (at !== -1 && at < first)]).toEqual([path.basename(file), true]);
    }
  });

  it('leave the number of processes to autoscalers where there are some, but for a service that has none left', async () => {
    for (const file of filesIn(RUNBOOKS, '.md')) {
      const name = path.basename(file, '.md');
      const scales = (await readFile(file, 'utf8')).includes('crm scale deployment/');
      expect([name, scales]).toEqual([name, name === 'ServiceAbsent']);
    }
  });

  it('ask for more processes than there are at least, and for no more than autoscalers allow', async () => {
    const scalers = (await renderOverlay('production')).filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    const asked = [];
    for (const file of filesIn(RUNBOOKS, '.md')) {
      const text = await readFile(file, 'utf8');
      for (const [, service = '', count] of text.matchAll(/^processes (\S+) (\d+)/gm)) {
        // A placeholder stands for services that differ in what they allow: at least one of them must take the number.
        const meant = scalers.filter(({ metadata }) => service.startsWith('<') || metadata.name === service);
        asked.push(
          meant.some(({ spec }) => spec.minReplicas < Number(count) && Number(count) <= spec.maxReplicas) || text,
        );
      }
    }
    expect(asked).toEqual(Array.from({ length: 8 }, () => true));
  });
});

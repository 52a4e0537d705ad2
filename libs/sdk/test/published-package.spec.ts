import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { USERS_NODE } from '../../../scripts/setup/node.mjs';
import { pnpmProgram } from '../../../scripts/setup/pnpm.mjs';

const run = promisify(execFile);
const SDK = path.join(import.meta.dirname, '..');
const TSC = path.join(SDK, '../../node_modules/.bin/tsc');

/** Uses every export and no type of Node. The directives fail the compilation where the mistake would be accepted. */
const CONSUMER = `
import { TIMESTAMP_TOLERANCE_SECONDS, verifyTimestampedSignature, verifyWebhook } from '@crm/sdk';
import type { EventType, LeadRecord, WebhookEvent, WebhookVerificationReason } from '@crm/sdk';

const event: WebhookEvent = verifyWebhook('{}', { 'webhook-id': ['1'], host: undefined }, ['whsec_'], { now: () => new Date() });
if (event.type === 'lead.updated') {
  const lead: LeadRecord = event.data;
  const names: string[] = [lead.lastName, ...event.data.changed];
  // @ts-expect-error: leads have no amount
  event.data.amount;
}
if (event.type === 'record.created') event.object.toUpperCase();
const type: EventType = event.type;
const reason: WebhookVerificationReason = 'timestamp_too_old';
const signedAt: Date = verifyTimestampedSignature(new Uint8Array(), null, 'secret').signedAt;
const tolerance: 300 = TIMESTAMP_TOLERANCE_SECONDS;
// @ts-expect-error: a parsed body
verifyWebhook({ id: '1' }, {}, 'whsec_');
`;

/** Runs what the README shows, compiled, in a plain Node. */
const PROGRAM = `
import { receive } from './snippet-0.js';
import { checkSignature } from './snippet-1.js';
import { signedHeaders } from './snippet-2.js';
import { createHmac } from 'node:crypto';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const body = '{"type":"deal.won","data":{"name":"Roof","amount":240,"currency":"EUR"}}';
console.log(receive(body, signedHeaders('1', body, secret), [secret]));
console.log(receive(body + ' ', signedHeaders('1', body, secret), [secret]));
const seconds = Math.floor(Date.now() / 1000);
const mac = createHmac('sha256', secret).update(seconds + '.' + body).digest('hex');
console.log(checkSignature(body, 't=' + seconds + ',v1=' + mac, secret).getTime() === seconds * 1000);
`;

// It packs what \`npm run build\` made; \`npm test\` builds first.
describe('the published package', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'sdk-')));
    await run(await pnpmProgram(), ['pack', '--pack-destination', folder], { cwd: SDK });
    await mkdir(path.join(folder, 'node_modules/@crm'), { recursive: true });
    await run('tar', ['xzf', 'crm-sdk-0.1.0.tgz'], { cwd: folder });
    await cp(path.join(folder, 'package'), path.join(folder, 'node_modules/@crm/sdk'), { recursive: true });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('has the licence and the README, no dependency, and no file that it does not need', async () => {
    const manifest = JSON.parse(await readFile(path.join(folder, 'package/package.json'), 'utf8'));
    expect(manifest.private).toBeUndefined();
    expect(manifest.dependencies ?? {}).toEqual({});
    const { stdout } = await run('tar', ['tzf', 'crm-sdk-0.1.0.tgz'], { cwd: folder });
    const files = stdout.trim().split('\n');
    expect(files).toEqual(expect.arrayContaining(['package/LICENSE', 'package/README.md', 'package/dist/index.d.ts']));
    expect(files.filter((file) => /\.spec\.|(?<!\.d)\.ts$|\.map$/.test(file))).toEqual([]);
  });

  it('has types that compile strictly without the types of Node', async () => {
    await writeFile(path.join(folder, 'consumer.ts'), CONSUMER);
    await compile(folder, 'consumer', ['consumer.ts']);
  });

  it('does what its README says, under plain Node', async () => {
    const readme = await readFile(path.join(SDK, 'README.md'), 'utf8');
    const snippets = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
    expect(snippets).toHaveLength(4);
    const files = snippets.map((_code, index) => `snippet-${index}.ts`);
    await Promise.all(snippets.map((code, index) => writeFile(path.join(folder, `snippet-${index}.ts`), code)));
    await copyInstalled(folder, 'standardwebhooks');
    await copyInstalled(folder, '@types/node/package.json');
    await compile(folder, 'readme', files, ['node']);
    await writeFile(path.join(folder, 'out/program.js'), PROGRAM);
    const { stdout, stderr } = await run(USERS_NODE, ['out/program.js'], { cwd: folder });
    expect(stdout.trim().split('\n')).toEqual(['Roof: 240 EUR', '204', '401', 'true']);
    expect(stderr).toMatch(/^refused \(no_matching_signature\): /);
  });
});

/** @throws Error with the compiler's messages */
async function compile(folder: string, name: string, files: readonly string[], types: string[] = []): Promise<void> {
  const project = path.join(folder, `tsconfig.${name}.json`);
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    lib: ['es2022'],
    module: 'nodenext',
    types,
    rootDir: '.',
    outDir: 'out',
  };
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(project, JSON.stringify({ compilerOptions, files }));
  await run(TSC, ['-p', project], { cwd: folder }).catch((error: { stdout?: string }) => {
    throw new Error(error.stdout, { cause: error });
  });
}

/**
 * Does what `npm install` would, without the network: copies an installed package with all it needs.
 * @param file of the package, as an import would name it
 */
async function copyInstalled(folder: string, file: string): Promise<void> {
  const found = await realpath(createRequire(import.meta.url).resolve(file));
  const marker = `${path.sep}node_modules${path.sep}`;
  const modules = found.slice(0, found.lastIndexOf(marker) + marker.length);
  await cp(modules, path.join(folder, 'node_modules'), { recursive: true, dereference: true });
}

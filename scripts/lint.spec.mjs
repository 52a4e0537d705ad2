import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { run } from './processes/run.mjs';
import { inRoot } from './root.mjs';
import { temporaryFolder } from './testing/temporary-folder.mjs';

/** Lines of code: those that end in NO break a rule of this repository. @type {Record<string, string>} */
const FILES = {
  'apps/one/src/one.ts': `
import { connect } from 'node:net'; // NO
import { isIP, Socket } from 'node:tls'; // NO
import { isIPv4 } from 'net'; // NO
import { isIPv6 } from 'node:net';
one(process.env.URL); // NO
one(process['env']); // NO
const { env, argv } = process; // NO
const { stdout } = process;
await fetch(url); // NO
await globalThis.fetch(url); // NO
new WebSocket(url); // NO
this.source.fetch(url);
new Function('return 1'); // NO
Function('return 1'); // NO
eval('1'); // NO
vm.runInThisContext('1'); // NO
one(Math.random()); // NO
one(URL.canParse(text)); // NO
// Neither process.env nor fetch(url) is code.`,
  'apps/one/src/config.ts': 'one(process.env.URL);\nawait fetch(url); // NO',
  'apps/one/test/one.spec.ts': "await fetch(process.env.URL);\nit.only('x', () => one()); // NO",
  'apps/one/src/one.spec.ts': "one(Math.random());\ndescribe.skip('x', () => one()); // NO",
  'e2e/one.spec.ts': "xit('x', () => one()); // NO\nit.todo('x'); // NO\neval('1'); // NO",
  'libs/egress/src/one.ts': "import { connect } from 'node:net';\nawait fetch(url);\none(process.env.URL); // NO",
  'libs/database/src/worker/backoff.ts': 'one(Math.random());',
};
/** What biome finds besides is of no interest here. */
const FOUND = /title=(?:plugin|lint\/(?!correctness|complexity).*?),file=(.*?),line=(\d+),/g;

const inFolder = temporaryFolder();

it('the linter refuses what breaks a rule of this repository, and nothing else', async () => {
  for (const name of ['biome.json', 'lint']) cpSync(inRoot(name), inFolder(name), { recursive: true });
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(inFolder(file)), { recursive: true });
    writeFileSync(inFolder(file), text);
  }
  const args = ['lint', '--vcs-enabled=false', '--max-diagnostics=none', '--reporter=github', inFolder()];
  const { stdout } = await run(inRoot('node_modules', '.bin', 'biome'), args, { cwd: inFolder() });
  const found = [...stdout.matchAll(FOUND)].map(([, file = '', line]) => `${path.relative(inFolder(), file)}:${line}`);
  const refused = Object.entries(FILES).flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => (line.endsWith(' // NO') ? [`${file}:${index + 1}`] : [])),
  );
  expect([...new Set(found)].sort()).toEqual(refused.sort());
});

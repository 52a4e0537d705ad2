import { describe, expect, it } from '@jest/globals';
import { problemsOf } from './lint-rules.mjs';

const FILE = 'apps/custom-objects/src/record/record.service.ts';

describe('the rules of this repository', () => {
  it.each([
    ['const url = process.env.URL;', 'the environment is read in config.ts only'],
    ['const url = process\n  .env.URL;', 'the environment is read in config.ts only'],
    ["const { env } = process['env'];", 'the environment is read in config.ts only'],
    ['const { env } = process;', 'the environment is read in config.ts only'],
    ['await fetch(url);', 'the outside is called through egress only'],
    ['await globalThis.fetch(url);', 'the outside is called through egress only'],
    ['new WebSocket(url)', 'the outside is called through egress only'],
    ["import { connect } from 'node:net';", 'raw sockets are opened by egress only'],
    ["import {\n  connect,\n} from 'node:tls';", 'raw sockets are opened by egress only'],
    ["new Function('return 1')", 'no code is made from text'],
    ["eval('1')", 'no code is made from text'],
    ['const code = Math.random();', 'what nobody may guess comes from node:crypto, not from Math.random'],
    [
      'if (URL.canParse(text)) return;',
      'URLs are parsed by parseUrl of @crm/address-policy, not asked about by URL.canParse',
    ],
    ["it.only('x', () => undefined)", 'no test is skipped or run alone'],
    ["describe.skip('x', () => undefined)", 'no test is skipped or run alone'],
  ])('refuse %j', (code, rule) => {
    expect(problemsOf(FILE, `\n${code}`)).toEqual([`${FILE}:2 ${rule}`]);
  });

  it.each([
    '// process.env is read elsewhere',
    '/* fetch(url) */',
    'this.source.fetch(url);',
    'private async fetch(): Promise<void> {}'.replace('async fetch', 'async #fetch'),
    'consumer.prefetch(1);',
    'const retrieval = evaluate(1);',
    "import { isIP } from 'node:net';",
  ])('let %j be', (code) => {
    expect(problemsOf(FILE, code)).toEqual([]);
  });

  it('know where each may be done', () => {
    expect(problemsOf('apps/custom-objects/src/config.ts', 'process.env.URL')).toEqual([]);
    expect(problemsOf('libs/egress/src/client.ts', 'fetch(url)')).toEqual([]);
    expect(problemsOf('libs/egress/src/client.ts', 'process.env.URL')).toHaveLength(1);
    expect(problemsOf('libs/database/src/worker/backoff.ts', 'Math.random()')).toEqual([]);
  });
});

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from '@jest/globals';
import { USERS_NODE } from '../../../scripts/setup/node.mjs';
import { readConfig } from '../src/config.js';
import { processTerminal } from '../src/terminal.js';
import { examplePath, Workspace } from './command.js';

const workspace = new Workspace();
afterAll(() => workspace.remove());

describe('crm-dev', () => {
  it.each([[], ['certificate'], ['--version']])('prints its usage after wrong arguments: %j', async (...args) => {
    const { status, out, err } = await workspace.run(args);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain('Usage: crm-dev <command> [options]');
  });

  it.each(['--help', 'certify --help', 'diff -h', 'init --help', 'listen --help', 'trigger -h'])(
    'prints its help for: %s',
    async (args) => {
      const { status, out, err } = await workspace.run(args.split(' '));
      expect({ status, err }).toEqual({ status: 0, err: '' });
      expect(out).toMatchSnapshot();
    },
  );

  it('prints the same help for help as for --help', async () => {
    expect(await workspace.run(['help'])).toEqual(await workspace.run(['--help']));
  });

  const AT = '--base-url https://crm.example.com';
  const NO_REMOTE = 'Not signed in. --remote needs --base-url and --token, or CRM_BASE_URL and CRM_TOKEN.';
  const NO_SESSION =
    'Not signed in. Set CRM_BASE_URL and CRM_TOKEN (or CRM_REFRESH_TOKEN), or pass --base-url and --token.';
  const KINDS = '--kind must be one of data_connector, industry_app, ai_assistant, event_service.';
  const REMOTE = 'certify a.json --remote --token x --base-url';

  it.each([
    ['no package', 'certify', 'Missing package. Pass the path to app.json.'],
    ['an unknown option', 'certify app.json --jsom', "Unknown option '--jsom'."],
    ['an option without its value', 'certify app.json --review', "Option '--review <value>' argument missing."],
    ['two formats', 'certify app.json --json --junit', 'Use either --json or --junit, not both.'],
    ['a packet for two packages', 'certify a b --review c', 'Use --review with one package only.'],
    ['no --remote', `certify a.json ${AT}`, 'Use --base-url and --token only with --remote.'],
    ['--remote without an address', 'certify a.json --remote --token x', NO_REMOTE],
    ['--remote without a token', `certify a.json --remote ${AT}`, NO_REMOTE],
    [
      'an invalid address',
      `${REMOTE} crm`,
      '--base-url must be an http or https address, such as https://crm.example.com.',
    ],
    [
      'an unencrypted connection',
      `${REMOTE} http://crm.example.com`,
      "--base-url must use https, so that your token isn't sent unencrypted.",
    ],
    ['one package to compare', 'diff a.json', 'Pass two packages: the old app.json and the new one.'],
    ['three packages to compare', 'diff a.json b.json c.json', 'Pass two packages: the old app.json and the new one.'],
    ['no kind', 'init', KINDS],
    ['an unknown kind', 'init --kind connector', KINDS],
    ['no app to listen to', 'listen', 'Missing app key.'],
    ['listening without an address', 'listen acme --token x', NO_SESSION],
    ['listening without a token', `listen acme ${AT}`, NO_SESSION],
    [
      'a port to forward to',
      `listen acme --token x ${AT} --forward 3000`,
      '--forward must be an http or https address, such as http://localhost:3000/hooks.',
    ],
    [
      'an event without an app',
      'trigger lead.created',
      'Missing event or app key. Pass the name of an event and the key of an app.',
    ],
    ['triggering without a token', `trigger lead.created acme ${AT}`, NO_SESSION],
    ['two folders', 'init --kind industry_app a b', 'Pass only one folder.'],
  ])('ends with status 2 and the usage for %s', async (_what, args, message) => {
    const { status, out, err } = await workspace.run(args.split(' '));
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain('Usage: crm-dev');
    expect(err.split('\n')[0]).toBe(message);
  });

  it.each<[string, () => string]>([
    ['file not found', () => workspace.path('missing.json')],
    ["it's a folder", () => workspace.folder],
    ["it isn't UTF-8", () => workspace.write('latin1.json', Buffer.from([0x22, 0xe4, 0x22]))],
    ["it's larger than", () => workspace.write('large.json', Buffer.alloc(33 * 1024 * 1024))],
  ])('explains why a file cannot be read: %s', async (reason, file) => {
    const { status, out, err } = await workspace.run(['certify', file()]);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(new RegExp(`^Can't read ~.*: ${reason}.*\\.\n$`));
  });

  it('stops reading an endless device at the limit for files', async () => {
    const err = "Can't read /dev/zero: it's larger than 33554432 bytes.\n";
    expect(await workspace.run(['certify', '/dev/zero'])).toEqual({ status: 2, out: '', err });
  });

  it.each([[['certify', 'a\u001b[2J.json']], [['\u001b[2J']], [['certify', '--\u001b[2J']]])(
    'does not repeat control characters of its arguments: %j',
    async (args) => {
      const { status, err } = await workspace.run(args);
      expect(status).toBe(2);
      expect(err).toContain('\\u001b[2J');
      expect(err).not.toContain('\u001b');
    },
  );
});

describe('colours', () => {
  it.each<[NodeJS.ProcessEnv, string]>([
    [{}, 'auto'],
    [{ NO_COLOR: '' }, 'auto'],
    [{ NO_COLOR: '1' }, 'never'],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, 'never'],
    [{ FORCE_COLOR: '1' }, 'always'],
    [{ FORCE_COLOR: '0' }, 'never'],
  ])('%j means %s', (environment, colours) => {
    expect(readConfig(environment)).toMatchObject({ colours });
  });

  it('are not used without a terminal unless they are forced', () => {
    const config = readConfig({ CRM_BASE_URL: '', CRM_TOKEN: 'x' });
    expect(config).toEqual({ colours: 'auto', baseUrl: undefined, token: 'x', refreshToken: undefined });
    const marked = (colours: 'never' | 'always') => processTerminal({ ...config, colours }).colours.good('a');
    expect([marked('never'), marked('always')]).toEqual(['a', '\u001b[32ma\u001b[39m']);
  });
});

describe('the built program', () => {
  const program = path.join(import.meta.dirname, '../bin/crm-dev.mjs');
  const run = (...args: string[]) =>
    spawnSync(USERS_NODE, [program, ...args], { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });

  it('certifies a package and ends with the status of the command', () => {
    expect(run('certify', examplePath('data-connector'))).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringMatching(/\nPASS northwind-orders@1\.2\.0 .*\n$/),
    });
    expect(run('certify', examplePath('data-connector', 'review-packet.json')).status).toBe(1);
    expect(run('certify').status).toBe(2);
  });

  it('reads a package from a pipe', () => {
    const pipe = 'cat "$3" | "$1" "$2" certify /dev/stdin';
    const args = ['-c', pipe, 'sh', USERS_NODE, program, examplePath('data-connector')];
    const stdout = expect.stringMatching(/\nPASS northwind-orders@/);
    expect(spawnSync('sh', args, { encoding: 'utf8' })).toMatchObject({ status: 0, stdout });
  });

  it('ends with its normal status when the reader of its output stops early', async () => {
    const files = Array.from({ length: 40 }, () => examplePath('data-connector'));
    const args = [program, 'certify', '--json', ...files];
    const child = spawn(USERS_NODE, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const [err, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    expect(status).toBe(0);
    expect(err).toMatch(/^(?:PASS northwind-orders@.*\n){40}$/);
  });
});

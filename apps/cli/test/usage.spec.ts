import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
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

  it.each([
    ['--help'],
    ['help'],
    ['certify', '--help'],
    ['diff', '-h'],
    ['init', '--help'],
    ['listen', '--help'],
    ['trigger', '-h'],
  ])('prints its help for: %s %s', async (...args) => {
    const { status, out, err } = await workspace.run(args.filter((arg) => arg !== undefined));
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toMatchSnapshot();
  });

  it.each<[string, string[]]>([
    ['no package', ['certify']],
    ['an unknown option', ['certify', 'app.json', '--jsom']],
    ['an option without its value', ['certify', 'app.json', '--review']],
    ['two formats', ['certify', 'app.json', '--json', '--junit']],
    ['one packet for two packages', ['certify', 'a.json', 'b.json', '--review', 'c.json']],
    ['an address without --remote', ['certify', 'a.json', '--base-url', 'https://crm.example.com']],
    ['--remote without an address', ['certify', 'a.json', '--remote', '--token', 'x']],
    ['--remote without a token', ['certify', 'a.json', '--remote', '--base-url', 'https://crm.example.com']],
    ['an invalid address', ['certify', 'a.json', '--remote', '--token', 'x', '--base-url', 'crm.example.com']],
    [
      'an unencrypted connection for the token',
      ['certify', 'a.json', '--remote', '--token', 'x', '--base-url', 'http://crm.example.com'],
    ],
    ['one package to compare', ['diff', 'a.json']],
    ['three packages to compare', ['diff', 'a.json', 'b.json', 'c.json']],
    ['no kind', ['init']],
    ['an unknown kind', ['init', '--kind', 'connector']],
    ['no app to listen to', ['listen']],
    ['listening without an address', ['listen', 'acme', '--token', 'x']],
    ['listening without a token', ['listen', 'acme', '--base-url', 'https://crm.example.com']],
    [
      'an invalid address to forward to',
      ['listen', 'acme', '--token', 'x', '--base-url', 'https://crm.example.com', '--forward', '3000'],
    ],
    ['an event without an app', ['trigger', 'lead.created']],
    ['triggering without a token', ['trigger', 'lead.created', 'acme', '--base-url', 'https://crm.example.com']],
    ['two folders', ['init', '--kind', 'industry_app', 'a', 'b']],
  ])('ends with status 2 and the usage for %s', async (_what, args) => {
    const { status, out, err } = await workspace.run(args);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toContain('Usage: crm-dev');
    expect(err.split('\n')[0]).toMatchSnapshot();
  });

  it.each<[string, () => string]>([
    ['there is no such file', () => workspace.path('missing.json')],
    ['it is a folder', () => workspace.folder],
    ['it is not UTF-8', () => workspace.write('latin1.json', Buffer.from([0x22, 0xe4, 0x22]))],
    ['it is larger than', () => workspace.write('large.json', Buffer.alloc(33 * 1024 * 1024))],
  ])('explains why a file cannot be read: %s', async (reason, file) => {
    const { status, out, err } = await workspace.run(['certify', file()]);
    expect({ status, out }).toEqual({ status: 2, out: '' });
    expect(err).toMatch(new RegExp(`^~.* cannot be read: ${reason}.*\\.\n$`));
  });

  it('stops reading an endless device at the limit for files', async () => {
    const { status, err } = await workspace.run(['certify', '/dev/zero']);
    expect({ status, err }).toEqual({
      status: 2,
      err: '/dev/zero cannot be read: it is larger than 33554432 bytes.\n',
    });
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
    spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });

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
    const { status, stdout } = spawnSync(
      'sh',
      ['-c', pipe, 'sh', process.execPath, program, examplePath('data-connector')],
      { encoding: 'utf8' },
    );
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringMatching(/\nPASS northwind-orders@/) });
  });

  it('ends with its normal status when the reader of its output stops early', async () => {
    const files = Array.from({ length: 40 }, () => examplePath('data-connector'));
    const child = spawn(process.execPath, [program, 'certify', '--json', ...files], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let err = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const [status] = await once(child, 'close');
    expect(status).toBe(0);
    expect(err).toMatch(/^(?:PASS northwind-orders@.*\n){40}$/);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { outcomeIn } from '../../test/outcome-of.js';
import { type EnvironmentReader, readEnvironment } from './environment.js';
import { databaseConfig, encryptionKeys, serviceConfig } from './service-config.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const OTHER = Buffer.alloc(32, 8).toString('base64');

describe('a secret in a file', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'crm-secrets-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const fileWith = (text: string): string => {
    const file = join(folder, 'secret');
    writeFileSync(file, text);
    return file;
  };
  const readPassword = (environment: Record<string, string>) => readEnvironment((env) => env.secret('P'), environment);
  const problemsOf = (environment: Record<string, string>, read = (env: EnvironmentReader) => env.secret('P')) =>
    outcomeIn(environment, read);

  it.each([
    ['pass word', 'pass word'],
    ['pass word\n', 'pass word'],
    ['pass word\r\n', 'pass word'],
    [' pass\nword \n\n', ' pass\nword \n'],
  ])('is what the file holds, %j, without one line end', (content, secret) => {
    expect(readPassword({ P_FILE: fileWith(content) })).toBe(secret);
  });

  it('is checked like one in a variable', () => {
    const read = (env: EnvironmentReader) => env.secret('P', { bytes: 32 });
    const key = Buffer.alloc(32, 7).toString('base64');
    expect(readEnvironment(read, { P_FILE: fileWith(`${key}\n`) })).toBe(key);
    expect(problemsOf({ P_FILE: fileWith('c2hvcnQ=') }, read)).toEqual(['P must be 32 bytes in base64']);
  });

  it('is refused together with the variable, even with the same value', () => {
    expect(problemsOf({ P: 'x', P_FILE: fileWith('x') })).toEqual(['P and P_FILE are both set: set one of them']);
  });

  it('is used when the variable is set to nothing, and the other way round', () => {
    expect(readPassword({ P: '', P_FILE: fileWith('x') })).toBe('x');
    expect(readPassword({ P: 'y', P_FILE: '' })).toBe('y');
  });

  it('that cannot be read is one problem among others, with the path and the reason', () => {
    const missing = join(folder, 'missing');
    const read = (env: EnvironmentReader) => env.secret('P') + env.secret('F') + env.string('OTHER');
    expect(problemsOf({ P_FILE: missing, F_FILE: folder }, read)).toEqual([
      `P_FILE: ${missing} cannot be read (file not found)`,
      `F_FILE: ${folder} cannot be read (it's a folder)`,
      'OTHER is not set',
    ]);
  });

  it.each(['', '\n'])('that is empty (%j) is a problem, also where there is a default', (content) => {
    const file = fileWith(content);
    const read = (env: EnvironmentReader) => env.secret('P', { default: 'standard' });
    expect(problemsOf({ P_FILE: file }, read)).toEqual([`P_FILE: ${file} is empty`]);
  });

  it('is read for secrets alone', () => {
    expect(problemsOf({ P_FILE: fileWith('x') }, (env) => env.string('P'))).toEqual(['P is not set']);
    expect(problemsOf({ P_FILE: fileWith('https://x.test') }, (env) => env.url('P'))).toEqual(['P is not set']);
  });

  it('may be the password of NATS and the addresses of the database', () => {
    const url = 'postgres://user:password@db/identity?sslmode=verify-full';
    const file = fileWith(`${url}\n`);
    const environment = { PROFILE: 'development', NATS_PASSWORD_FILE: file };
    expect(serviceConfig('identity', environment).nats.password).toBe(url);
    const database = databaseConfig('identity', { DATABASE_URL_FILE: file, DATABASE_NARROW_URL_FILE: file });
    expect([database.url, database.narrowUrl]).toEqual([url, url]);
  });

  describe('of encryption keys', () => {
    const read = (environment: Record<string, string>) =>
      outcomeIn(environment, (env) => encryptionKeys(env, 'KEY_ENCRYPTION_KEY'));

    it.each([KEY, `2026-11:${KEY}`, `2026-11:${KEY},2026-05:${OTHER}`])('is one key or a ring: %s', (text) => {
      expect(read({ KEY_ENCRYPTION_KEY: text })).toBe(text);
      // A secret that an administrator edits has a line end.
      expect(read({ KEY_ENCRYPTION_KEY_FILE: fileWith(`${text}\n`) })).toBe(text);
    });

    it.each([
      ['c2hvcnQ=', 'The encryption key must be 32 bytes in base64'],
      [`a:${KEY},b:c2hvcnQ=`, 'The key b must be 32 bytes in base64'],
      [`a:${KEY},a:${OTHER}`, 'The key a is in the ring twice, by its id or its bytes'],
      [`a:${KEY},b:${KEY}`, 'The key b is in the ring twice, by its id or its bytes'],
    ])('that is wrong is a problem, which repeats no key', (text, problem) => {
      expect(read({ KEY_ENCRYPTION_KEY: text })).toEqual([`KEY_ENCRYPTION_KEY: ${problem}`]);
    });

    it('is required', () => {
      expect(read({})).toEqual(['KEY_ENCRYPTION_KEY is not set']);
    });
  });
});

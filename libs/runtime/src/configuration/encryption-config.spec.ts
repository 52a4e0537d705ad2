import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type ConfigurationError, readEnvironment } from './environment.js';
import { encryptionKeys } from './service-config.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const OTHER = Buffer.alloc(32, 8).toString('base64');

const read = (environment: Record<string, string>): string | readonly string[] => {
  try {
    return readEnvironment((env) => encryptionKeys(env, 'KEY_ENCRYPTION_KEY'), environment);
  } catch (error) {
    return (error as ConfigurationError).problems;
  }
};

describe('encryption keys', () => {
  it.each([KEY, `2026-11:${KEY}`, `2026-11:${KEY},2026-05:${OTHER}`])('are one key or a ring: %s', (text) => {
    expect(read({ KEY_ENCRYPTION_KEY: text })).toBe(text);
  });

  it('may come from a file, as a secret that an administrator edits does, with a line end', () => {
    const folder = mkdtempSync(join(tmpdir(), 'crm-encryption-keys-'));
    try {
      const file = join(folder, 'keys');
      writeFileSync(file, `2026-11:${KEY},2026-05:${OTHER}\n`);
      expect(read({ KEY_ENCRYPTION_KEY_FILE: file })).toBe(`2026-11:${KEY},2026-05:${OTHER}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['c2hvcnQ=', 'The encryption key must be 32 bytes in base64'],
    [`a:${KEY},b:c2hvcnQ=`, 'The key b must be 32 bytes in base64'],
    [`a:${KEY},a:${OTHER}`, 'The key a is in the ring twice, by its id or its bytes'],
    [`a:${KEY},b:${KEY}`, 'The key b is in the ring twice, by its id or its bytes'],
  ])('that are wrong are a problem, which repeats no key', (text, problem) => {
    expect(read({ KEY_ENCRYPTION_KEY: text })).toEqual([`KEY_ENCRYPTION_KEY: ${problem}`]);
  });

  it('are required', () => {
    expect(read({})).toEqual(['KEY_ENCRYPTION_KEY is not set']);
  });
});

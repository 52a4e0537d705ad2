import { describe, expect, it } from '@jest/globals';
import { isRefusedForGood } from './smtp-refusal.js';

describe('isRefusedForGood', () => {
  it.each([
    ['no such user', { responseCode: 550, command: 'RCPT TO' }, true],
    ['content refused', { responseCode: 554, command: 'DATA' }, true],
    ['mailbox busy', { responseCode: 450, command: 'RCPT TO' }, false],
    ['wrong password of ours', { responseCode: 535, command: 'AUTH PLAIN' }, false],
    ['sender not allowed', { responseCode: 550, command: 'MAIL FROM' }, false],
    ['service not available', { responseCode: 554, command: 'CONN' }, false],
    ['connection refused', { code: 'ECONNREFUSED', command: 'CONN' }, false],
    ['nothing known', undefined, false],
  ])('%s', (_what, error, expected) => {
    expect(isRefusedForGood(error)).toBe(expected);
  });
});

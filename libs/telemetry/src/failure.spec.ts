import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { failureOf } from './failure.js';

describe('the reason of a failure', () => {
  it.each<[string, unknown, string, boolean]>([
    ['the code of a refusal', new PlatformError('VALIDATION_FAILED', 'Ada'), 'VALIDATION_FAILED', true],
    ['the code of a catalogued failure', new PlatformError('SERVICE_UNAVAILABLE'), 'SERVICE_UNAVAILABLE', false],
    ['the code of the database', Object.assign(new Error('Key (email)=(a)'), { code: '23505' }), '23505', false],
    ['the name of another error', new RangeError('Ada'), 'RangeError', false],
    ['a name itself', 'http_5xx', 'http_5xx', false],
    ['never a sentence', 'Ada Lovelace is no lead', 'Error', false],
    ['never a sentence that is a code', Object.assign(new Error('x'), { code: 'Ada Lovelace' }), 'Error', false],
    ['the type of what is no error', { ada: 1 }, 'object', false],
  ])('is %s', (_what, reason, type, isRefusal) => {
    expect(failureOf(reason)).toEqual({ type, isRefusal });
  });
});

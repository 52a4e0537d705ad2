import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import { asPlatformError, isExcessive, isTemporary } from './errors.js';

const withCode = (code: string) => Object.assign(new Error('of the driver'), { code });

describe('an error of the database', () => {
  it.each([
    ['57P01', true, false],
    ['ECONNREFUSED', true, false],
    ['57014', true, true],
    ['53200', true, true],
    ['23505', false, false],
    ['25P02', false, false],
  ])(
    '%s is judged the same as the rejection of a transaction: temporary %s, excessive %s',
    (code, temporary, excessive) => {
      const error = withCode(code);
      expect([isTemporary(error), isExcessive(error)]).toEqual([temporary, excessive]);
      const rejection = asPlatformError(error);
      expect([isTemporary(rejection), isExcessive(rejection)]).toEqual([temporary, excessive]);
    },
  );

  it('is not what a service refuses by itself', () => {
    expect(isTemporary(new PlatformError('SERVICE_UNAVAILABLE'))).toBe(false);
    expect(isTemporary(new PlatformError('NOT_FOUND'))).toBe(false);
  });
});

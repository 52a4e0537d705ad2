import { PlatformError } from '@crm/contracts';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { asPlatformError, isCausedByOneTenant, isExcessive, isTemporary } from './errors.js';

const withCode = (code: string) => Object.assign(new Error('of the driver'), { code });

describe('an error of the database', () => {
  it.each([
    ['57P01', true, false, 'SERVICE_UNAVAILABLE'],
    ['28P01', true, false, 'SERVICE_UNAVAILABLE'],
    ['28000', true, false, 'SERVICE_UNAVAILABLE'],
    ['3D000', true, false, 'SERVICE_UNAVAILABLE'],
    ['ECONNREFUSED', true, false, 'SERVICE_UNAVAILABLE'],
    ['53100', true, false, 'SERVICE_UNAVAILABLE'],
    ['40001', true, false, 'SERVICE_UNAVAILABLE'],
    ['40P01', true, false, 'SERVICE_UNAVAILABLE'],
    ['55P03', true, false, 'SERVICE_UNAVAILABLE'],
    ['58030', true, false, 'SERVICE_UNAVAILABLE'],
    ['53200', true, true, 'SERVICE_UNAVAILABLE'],
    ['57014', true, true, 'DEADLINE_EXCEEDED'],
    ['23505', false, false, '23505'],
    ['25P02', false, false, '25P02'],
    ['22012', false, false, '22012'],
    ['42P01', false, false, '42P01'],
    ['P0001', false, false, 'P0001'],
  ])('%s is temporary: %s, excessive: %s, and rejects a transaction with %s', (own, temporary, excessive, code) => {
    const error = withCode(own);
    const rejection = asPlatformError(error);
    for (const one of [error, rejection]) expect([isTemporary(one), isExcessive(one)]).toEqual([temporary, excessive]);
    expect(rejection).toMatchObject({ code });
  });

  it('is not what a service refuses by itself', () => {
    expect(isTemporary(new PlatformError('SERVICE_UNAVAILABLE'))).toBe(false);
    expect(isTemporary(new PlatformError('NOT_FOUND'))).toBe(false);
  });

  it.each([
    ['23505', true],
    ['08006', true],
    ['57P03', true],
    ['57014', false],
    ['53300', false],
  ])('with the answer %s of the server may concern one tenant alone: %s', (code, expected) => {
    const error = Object.assign(new pg.DatabaseError('refused', 0, 'error'), { code });
    expect(isCausedByOneTenant(asPlatformError(error))).toBe(expected);
    expect(isCausedByOneTenant(withCode('08006'))).toBe(false);
  });
});

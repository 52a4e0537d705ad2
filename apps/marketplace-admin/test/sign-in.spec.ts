import { randomUUID } from 'node:crypto';
import { AUDIENCES, PlatformError, rpc } from '@crm/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CREDENTIAL_CALLS_PER_MINUTE } from '../src/session/credential-limit.js';
import { OperatorsApi, PASSKEY_ANSWER, tokens } from './operators-api.js';

let api: OperatorsApi;
beforeAll(async () => {
  api = await OperatorsApi.start();
});
afterEach(() => api.standAlone());
afterAll(() => api?.close());

describe('operators’ sign-in', () => {
  it('passes on the credentials and the caller’s address, and returns the tokens', async () => {
    const pair = { accessToken: 'a', refreshToken: 'r', tokenType: 'Bearer' as const, expiresIn: 900 };
    const seen: unknown[] = [];
    await api.stand(rpc.identity.loginOperator, (credentials) => {
      seen.push(credentials);
      return pair;
    });
    const { status, body } = await api.request('POST', '/api/auth/login', {
      email: 'op@platform.test',
      password: 'secret',
    });
    expect([status, body]).toEqual([200, pair]);
    expect(seen).toEqual([
      { email: 'op@platform.test', password: 'secret', address: '127.0.0.1', userAgent: expect.any(String) },
    ]);
  });

  it('passes on the device token, and returns the new one as a header alone', async () => {
    const pair = { accessToken: 'a', refreshToken: 'r', tokenType: 'Bearer' as const, expiresIn: 900 };
    const seen: unknown[] = [];
    await api.stand(rpc.identity.loginOperator, ({ deviceToken }) => {
      seen.push(deviceToken);
      return { ...pair, deviceToken: 'of the sign-in' };
    });
    await api.stand(rpc.identity.verifyOperatorCode, () => ({ ...pair, deviceToken: 'of the code' }));
    const signIn = await api.service.request('POST', '/api/auth/login', {
      body: { email: 'op@platform.test', password: 'secret' },
      headers: { 'x-device-token': 'earlier' },
    });
    expect([signIn.body, signIn.headers.get('x-device-token'), seen]).toEqual([pair, 'of the sign-in', ['earlier']]);
    const verified = await api.request('POST', '/api/auth/mfa/verify', { challengeId: 'c', code: '123456' });
    expect([verified.body, verified.headers.get('x-device-token')]).toEqual([pair, 'of the code']);
  });

  it('says how long to wait after too many failures', async () => {
    await api.stand(rpc.identity.loginOperator, () => {
      const limit = { name: 'sign-in-account', quota: 10, windowSeconds: 900, remaining: 0, resetSeconds: 42 };
      throw new PlatformError('RATE_LIMITED', 'Too many failed attempts', { retryAfterSeconds: 42, limits: [limit] });
    });
    const { status, headers } = await api.request('POST', '/api/auth/login', {
      email: 'op@platform.test',
      password: 'x',
    });
    expect([status, headers.get('retry-after')]).toEqual([429, '42']);
    expect(headers.get('ratelimit-policy')).toBe('"sign-in-account";q=10;w=900');
    expect(headers.get('ratelimit')).toBe('"sign-in-account";r=0;t=42');
  });

  it('passes on a refused refresh token', async () => {
    await api.stand(rpc.identity.refreshOperator, () => {
      throw new PlatformError('INVALID_REFRESH_TOKEN');
    });
    const { status, body } = await api.request('POST', '/api/auth/refresh', { refreshToken: 'spent' });
    expect([status, body.code]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
  });

  it('answers 503 while identity does not answer', async () => {
    const { status, headers } = await api.request('POST', '/api/auth/login', {
      email: 'op@platform.test',
      password: 'x',
    });
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('a sign-in with a second factor', () => {
  const origin = { address: '127.0.0.1', userAgent: expect.any(String) };
  const pair = { accessToken: 'a', refreshToken: 'r', tokenType: 'Bearer' as const, expiresIn: 900 };

  it('passes on the challenge and completes it with a code', async () => {
    const challenge = { mfaRequired: true, challengeId: 'c', expiresIn: 600, methods: ['authenticator'] };
    await api.stand(rpc.identity.loginOperator, () => challenge);
    const signIn = await api.request('POST', '/api/auth/login', { email: 'op@platform.test', password: 'secret' });
    expect([signIn.status, signIn.body]).toEqual([200, challenge]);
    const seen: unknown[] = [];
    await api.stand(rpc.identity.verifyOperatorCode, (call) => {
      seen.push(call);
      return pair;
    });
    const { status, body } = await api.request('POST', '/api/auth/mfa/verify', { challengeId: 'c', code: '123456' });
    expect([status, body]).toEqual([200, pair]);
    expect(seen).toEqual([{ challengeId: 'c', code: '123456', ...origin }]);
  });

  it.each([
    ['as it is shown', 'ABCD-EFGH-IJKL-MNOP-QRST-UVWX-YZ23'],
    ['in small letters', 'abcdefghijklmnopqrstuvwxyz23'],
    ['of an earlier set', 'ABCD-EFGH-IJKL-MNOP-QRST-UVWX'],
    ['of the earliest sets', 'ABCD-EFGH-IJKL-MNOP'],
  ])('passes on a recovery code %s', async (_how, code) => {
    const seen: unknown[] = [];
    await api.stand(rpc.identity.verifyOperatorCode, (call) => {
      seen.push(call.code);
      return pair;
    });
    const { status } = await api.request('POST', '/api/auth/mfa/verify', { challengeId: 'c', code });
    expect([status, seen]).toEqual([200, [code]]);
  });

  it('refuses what is no code at all before it asks identity', async () => {
    for (const code of ['12345', 'ABCD-EFGH-IJKL', 'ABCD-EFGH-IJKL-MNOP-QRST', `${'ABCD-'.repeat(7)}ABCD`]) {
      const { status, body } = await api.request('POST', '/api/auth/mfa/verify', { challengeId: 'c', code });
      expect([code, status, body.code]).toEqual([code, 422, 'VALIDATION_FAILED']);
    }
  });

  it('passes on what a passkey says', async () => {
    const options = { challengeId: 'c', expiresIn: 300, publicKey: { challenge: 'x', allowCredentials: [] } };
    await api.stand(rpc.identity.getOperatorPasskeySignInOptions, () => options);
    const seen: unknown[] = [];
    await api.stand(rpc.identity.signInOperatorByPasskey, (call) => {
      seen.push(call);
      return { ...pair, deviceToken: 'by which the device is known' };
    });
    const started = await api.service.request('POST', '/api/auth/login/passkey/options');
    expect([started.status, started.body]).toEqual([200, options]);
    const signedIn = await api.service.request('POST', '/api/auth/login/passkey', { body: PASSKEY_ANSWER });
    expect([signedIn.status, signedIn.body]).toEqual([200, pair]);
    expect(signedIn.headers.get('x-device-token')).toBe('by which the device is known');
    expect(seen).toEqual([{ ...PASSKEY_ANSWER, ...origin }]);
  });

  it('passes on a new passkey with the device that it was set up on', async () => {
    const passkey = {
      id: randomUUID(),
      name: 'Key',
      synced: true,
      createdAt: new Date().toISOString(),
      lastUsedAt: null,
    };
    const seen: unknown[] = [];
    await api.stand(rpc.identity.addOperatorPasskey, (call) => {
      seen.push(call);
      return passkey;
    });
    const { status, body } = await api.request('POST', '/api/auth/passkeys', { ...PASSKEY_ANSWER, name: 'Key' });
    expect([status, body]).toEqual([201, passkey]);
    expect(seen).toEqual([{ ...PASSKEY_ANSWER, name: 'Key', userAgent: expect.any(String) }]);
  });

  it('passes on an enrolment', async () => {
    const started = { secret: 'GEZDGNBVGY3TQOJQ', otpauthUri: 'otpauth://totp/x' };
    await api.stand(rpc.identity.startOperatorEnrolment, () => started);
    await api.stand(rpc.identity.confirmOperatorEnrolment, () => ({ ...pair, recoveryCodes: ['ABCD-EFGH-IJKL-MNOP'] }));
    expect((await api.request('POST', '/api/auth/mfa/enrolment', { enrolmentToken: 't' })).body).toEqual(started);
    const confirmed = await api.request('POST', '/api/auth/mfa/enrolment/confirm', {
      enrolmentToken: 't',
      code: '123456',
    });
    expect(confirmed.body).toEqual({ ...pair, recoveryCodes: ['ABCD-EFGH-IJKL-MNOP'] });
  });
});

describe('a call that comes without a token', () => {
  it.each([
    '/api/auth/login',
    '/api/auth/mfa/verify',
    '/api/auth/mfa/enrolment',
    '/api/auth/mfa/enrolment/confirm',
    '/api/auth/refresh',
    '/api/auth/login/passkey/options',
    '/api/auth/login/passkey',
  ])('to %s has a short body', async (path) => {
    const { status, body } = await api.request('POST', path, { x: 'x'.repeat(16 * 1024) });
    expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });
});

describe('in production, calls that exchange credentials', () => {
  it('are limited by address before anything is asked of identity', async () => {
    const limited = await OperatorsApi.start({ profile: 'production' });
    try {
      let asked = 0;
      const count = () => {
        asked += 1;
        throw new PlatformError('CONFLICT');
      };
      await api.stand(rpc.identity.refreshOperator, count);
      await api.stand(rpc.identity.getOperatorPasskeySignInOptions, count);
      await api.stand(rpc.identity.signInOperatorByPasskey, count);
      const post = async (path: string, body?: object) =>
        (await limited.service.request('POST', `/api/auth/${path}`, { body })).status;
      const startedAt = performance.now();
      const statuses = await Promise.all(
        Array.from({ length: CREDENTIAL_CALLS_PER_MINUTE }, (_, index) => [
          post('refresh', { refreshToken: `guess-${index}` }),
          post('login/passkey/options'),
          post('login/passkey', PASSKEY_ANSWER),
        ]).flat(),
      );
      const minutes = (performance.now() - startedAt) / 60_000;
      expect(new Set(statuses)).toEqual(new Set([409, 429]));
      expect(asked).toBe(statuses.filter((status) => status === 409).length);
      // The three share one limit, and the room of a call comes back with time.
      expect(asked).toBeGreaterThanOrEqual(CREDENTIAL_CALLS_PER_MINUTE);
      expect(asked).toBeLessThanOrEqual(Math.ceil(CREDENTIAL_CALLS_PER_MINUTE * (1 + minutes)));
    } finally {
      await limited.close();
    }
  });
});

describe('signing out', () => {
  it('ends the session of the token, for identity', async () => {
    const sid = randomUUID();
    const token = await tokens.sign({ aud: AUDIENCES.admin, tid: undefined, roles: ['reviewer'], scopes: [], sid });
    const seen: unknown[] = [];
    await api.stand(rpc.identity.endOperatorSessions, (call) => {
      seen.push(call);
      return {};
    });
    expect((await api.request('POST', '/api/auth/logout', undefined, token)).status).toBe(204);
    expect((await api.request('DELETE', '/api/auth/sessions', undefined, token)).status).toBe(204);
    expect(seen).toEqual([{ sessionId: sid }, {}]);
  });
});

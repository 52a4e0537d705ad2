import { randomUUID } from 'node:crypto';
import { AUDIENCES, PlatformError, rpc, type SubmissionView } from '@crm/contracts';
import { answerRpc, startTestService, type TestService, testServiceConfig, testTokens } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AppModule } from '../src/app.module.js';
import type { MarketplaceAdminConfig } from '../src/config.js';
import { CREDENTIAL_CALLS_PER_MINUTE } from '../src/session/credential-limit.js';

const config: MarketplaceAdminConfig = { service: testServiceConfig('marketplace-admin'), limits: {} };

const tokens = testTokens();
const neighbours: { close(): Promise<void> }[] = [];
let service: TestService;
/** The token of an administrator. */
let operator: string;
let reviewer: string;

beforeAll(async () => {
  service = await startTestService(config, AppModule.with(config), {
    keySource: tokens.keySource,
    audiences: [AUDIENCES.admin],
  });
  operator = await tokens.sign({ aud: AUDIENCES.admin, tid: undefined, roles: ['administrator'], scopes: [] });
  reviewer = await tokens.sign({ aud: AUDIENCES.admin, tid: undefined, roles: ['reviewer'], scopes: [] });
});
afterEach(async () => {
  for (const neighbour of neighbours.splice(0)) await neighbour.close();
});
afterAll(() => service?.close());

const stand: typeof answerRpc = async (contract, handler) => {
  const neighbour = await answerRpc(contract, handler);
  neighbours.push(neighbour);
  return neighbour;
};
const request = (method: string, path: string, body?: unknown, token: string | undefined = operator) =>
  service.request<Record<string, unknown>>(method, path, { token, body });

/** What a browser sends of a passkey; identity looks at it. */
const PASSKEY_ANSWER = { challengeId: 'c', credential: { id: 'x', response: { signature: 'y' } } };

const submission = (changes: Partial<SubmissionView> = {}): SubmissionView => ({
  id: randomUUID(),
  appKey: 'fleet',
  version: '1.0.0',
  versionStatus: 'in_review',
  publisher: { tenantId: randomUUID(), name: 'Acme' },
  submittedAt: new Date().toISOString(),
  claimedBy: null,
  verdict: null,
  certification: { verdict: 'pass' },
  ...changes,
});

describe('GET /api/admin/embed-conflicts', () => {
  it('shows operators the apps whose hosts presented addresses of other workspaces', async () => {
    const data = [
      {
        appKey: 'fleet',
        tenantId: randomUUID(),
        conflicts: 20,
        throttled: true,
        resetsAt: new Date().toISOString(),
      },
    ];
    await stand(rpc.identity.listEmbedConflicts, () => ({ data }));
    const { status, body } = await request('GET', '/api/admin/embed-conflicts');
    expect([status, body]).toEqual([200, { data }]);
  });

  it('is refused to a user of a tenant', async () => {
    const token = await tokens.sign({ roles: ['owner'] });
    expect((await request('GET', '/api/admin/embed-conflicts', undefined, token)).status).toBe(401);
  });
});

describe('operators’ sign-in', () => {
  it('passes on the credentials and the caller’s address, and returns the tokens', async () => {
    const pair = { accessToken: 'a', refreshToken: 'r', tokenType: 'Bearer' as const, expiresIn: 900 };
    const seen: unknown[] = [];
    await stand(rpc.identity.loginOperator, (credentials) => {
      seen.push(credentials);
      return pair;
    });
    const { status, body } = await request('POST', '/api/auth/login', {
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
    await stand(rpc.identity.loginOperator, ({ deviceToken }) => {
      seen.push(deviceToken);
      return { ...pair, deviceToken: 'of the sign-in' };
    });
    await stand(rpc.identity.verifyOperatorCode, () => ({ ...pair, deviceToken: 'of the code' }));
    const signIn = await service.request('POST', '/api/auth/login', {
      body: { email: 'op@platform.test', password: 'secret' },
      headers: { 'x-device-token': 'earlier' },
    });
    expect([signIn.body, signIn.headers.get('x-device-token'), seen]).toEqual([pair, 'of the sign-in', ['earlier']]);
    const verified = await request('POST', '/api/auth/mfa/verify', { challengeId: 'c', code: '123456' });
    expect([verified.body, verified.headers.get('x-device-token')]).toEqual([pair, 'of the code']);
  });

  it('says how long to wait after too many failures', async () => {
    await stand(rpc.identity.loginOperator, () => {
      const limit = { name: 'sign-in-account', quota: 10, windowSeconds: 900, remaining: 0, resetSeconds: 42 };
      throw new PlatformError('RATE_LIMITED', 'Too many failed attempts', { retryAfterSeconds: 42, limits: [limit] });
    });
    const { status, headers } = await request('POST', '/api/auth/login', { email: 'op@platform.test', password: 'x' });
    expect([status, headers.get('retry-after')]).toEqual([429, '42']);
    expect(headers.get('ratelimit-policy')).toBe('"sign-in-account";q=10;w=900');
    expect(headers.get('ratelimit')).toBe('"sign-in-account";r=0;t=42');
  });

  it('passes on a refused refresh token', async () => {
    await stand(rpc.identity.refreshOperator, () => {
      throw new PlatformError('INVALID_REFRESH_TOKEN');
    });
    const { status, body } = await request('POST', '/api/auth/refresh', { refreshToken: 'spent' });
    expect([status, body.code]).toEqual([401, 'INVALID_REFRESH_TOKEN']);
  });

  it('answers 503 while identity does not answer', async () => {
    const { status, headers } = await request('POST', '/api/auth/login', { email: 'op@platform.test', password: 'x' });
    expect(status).toBe(503);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
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
    const { status, body } = await request('POST', path, { x: 'x'.repeat(16 * 1024) });
    expect([status, body.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });
});

describe('a sign-in with a second factor', () => {
  const origin = { address: '127.0.0.1', userAgent: expect.any(String) };
  const pair = { accessToken: 'a', refreshToken: 'r', tokenType: 'Bearer' as const, expiresIn: 900 };

  it('passes on the challenge and completes it with a code', async () => {
    const challenge = { mfaRequired: true, challengeId: 'c', expiresIn: 600, methods: ['authenticator'] };
    await stand(rpc.identity.loginOperator, () => challenge);
    const signIn = await request('POST', '/api/auth/login', { email: 'op@platform.test', password: 'secret' });
    expect([signIn.status, signIn.body]).toEqual([200, challenge]);
    const seen: unknown[] = [];
    await stand(rpc.identity.verifyOperatorCode, (call) => {
      seen.push(call);
      return pair;
    });
    const { status, body } = await request('POST', '/api/auth/mfa/verify', { challengeId: 'c', code: '123456' });
    expect([status, body]).toEqual([200, pair]);
    expect(seen).toEqual([{ challengeId: 'c', code: '123456', ...origin }]);
  });

  it('passes on what a passkey says', async () => {
    const options = { challengeId: 'c', expiresIn: 300, publicKey: { challenge: 'x', allowCredentials: [] } };
    await stand(rpc.identity.getOperatorPasskeySignInOptions, () => options);
    const seen: unknown[] = [];
    await stand(rpc.identity.signInOperatorByPasskey, (call) => {
      seen.push(call);
      return { ...pair, deviceToken: 'by which the device is known' };
    });
    const started = await service.request('POST', '/api/auth/login/passkey/options');
    expect([started.status, started.body]).toEqual([200, options]);
    const signedIn = await service.request('POST', '/api/auth/login/passkey', { body: PASSKEY_ANSWER });
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
    await stand(rpc.identity.addOperatorPasskey, (call) => {
      seen.push(call);
      return passkey;
    });
    const { status, body } = await request('POST', '/api/auth/passkeys', { ...PASSKEY_ANSWER, name: 'Key' });
    expect([status, body]).toEqual([201, passkey]);
    expect(seen).toEqual([{ ...PASSKEY_ANSWER, name: 'Key', userAgent: expect.any(String) }]);
  });

  it('passes on an enrolment', async () => {
    const started = { secret: 'GEZDGNBVGY3TQOJQ', otpauthUri: 'otpauth://totp/x' };
    await stand(rpc.identity.startOperatorEnrolment, () => started);
    await stand(rpc.identity.confirmOperatorEnrolment, () => ({ ...pair, recoveryCodes: ['ABCD-EFGH-IJKL-MNOP'] }));
    expect((await request('POST', '/api/auth/mfa/enrolment', { enrolmentToken: 't' })).body).toEqual(started);
    const confirmed = await request('POST', '/api/auth/mfa/enrolment/confirm', { enrolmentToken: 't', code: '123456' });
    expect(confirmed.body).toEqual({ ...pair, recoveryCodes: ['ABCD-EFGH-IJKL-MNOP'] });
  });
});

describe('in production, calls that exchange credentials', () => {
  it('are limited by address before anything is asked of identity', async () => {
    const production = { ...config, service: { ...config.service, profile: 'production' as const } };
    const limited = await startTestService(production, AppModule.with(production), {
      keySource: tokens.keySource,
      audiences: [AUDIENCES.admin],
    });
    try {
      let asked = 0;
      await stand(rpc.identity.refreshOperator, () => {
        asked += 1;
        throw new PlatformError('INVALID_REFRESH_TOKEN');
      });
      let passkeys = 0;
      await stand(rpc.identity.getOperatorPasskeySignInOptions, () => {
        passkeys += 1;
        throw new PlatformError('CONFLICT');
      });
      const statuses: number[] = [];
      for (let count = 0; count <= CREDENTIAL_CALLS_PER_MINUTE; count += 1) {
        const body = { refreshToken: `guess-${count}` };
        statuses.push((await limited.request('POST', '/api/auth/refresh', { body })).status);
      }
      expect(statuses.slice(0, -1)).toEqual(Array(CREDENTIAL_CALLS_PER_MINUTE).fill(401));
      expect(statuses.at(-1)).toBe(429);
      expect(asked).toBe(CREDENTIAL_CALLS_PER_MINUTE);
      expect((await limited.request('POST', '/api/auth/login/passkey/options')).status).toBe(429);
      expect((await limited.request('POST', '/api/auth/login/passkey', { body: PASSKEY_ANSWER })).status).toBe(429);
      expect(passkeys).toBe(0);
    } finally {
      await limited.close();
    }
  });
});

describe('access to the operators’ API', () => {
  const id = randomUUID();
  const routes = [
    ['GET', '/api/admin/submissions', undefined, 'reviewer'],
    ['GET', `/api/admin/submissions/${id}`, undefined, 'reviewer'],
    ['POST', `/api/admin/submissions/${id}/publish`, {}, 'reviewer'],
    ['GET', '/api/admin/apps/fleet/impact', undefined, 'reviewer'],
    ['POST', '/api/admin/apps/fleet/suspend', { reason: 'x' }, 'administrator'],
    ['GET', '/api/admin/audit', undefined, 'administrator'],
    ['GET', '/api/admin/audit/export', undefined, 'administrator'],
    ['PATCH', `/api/admin/tenants/${id}`, { plan: 'business' }, 'administrator'],
    ['GET', '/api/admin/operators', undefined, 'administrator'],
    ['PATCH', `/api/admin/operators/${id}`, { role: 'administrator' }, 'administrator'],
    ['DELETE', `/api/admin/operators/${id}/sessions`, undefined, 'administrator'],
    ['DELETE', `/api/admin/operators/${id}/authenticator`, undefined, 'administrator'],
    ['GET', '/api/auth/me', undefined, 'reviewer'],
    ['POST', '/api/auth/logout', undefined, 'reviewer'],
    ['GET', '/api/auth/sessions', undefined, 'reviewer'],
    ['DELETE', '/api/auth/sessions', undefined, 'reviewer'],
    ['DELETE', `/api/auth/sessions/${id}`, undefined, 'reviewer'],
    ['POST', '/api/auth/step-up', {}, 'reviewer'],
    ['POST', '/api/auth/mfa/recovery-codes', undefined, 'reviewer'],
    ['GET', '/api/auth/passkeys', undefined, 'reviewer'],
    ['POST', '/api/auth/passkeys/options', undefined, 'reviewer'],
    ['POST', '/api/auth/passkeys', PASSKEY_ANSWER, 'reviewer'],
    ['PATCH', `/api/auth/passkeys/${id}`, { name: 'Key' }, 'reviewer'],
    ['DELETE', `/api/auth/passkeys/${id}`, undefined, 'reviewer'],
    ['POST', '/api/auth/step-up/passkey/options', undefined, 'reviewer'],
    ['POST', '/api/auth/step-up/passkey', PASSKEY_ANSWER, 'reviewer'],
  ] as const;

  it.each(routes)('is limited to operators for %s %s', async (method, path, body, least) => {
    const users = await tokens.sign({ roles: ['owner'] });
    for (const token of [users, 'nonsense']) {
      expect((await request(method, path, body, token)).status).toBe(401);
    }
    expect((await service.request(method, path, { body })).status).toBe(401);
    const roleless = await tokens.sign({ aud: AUDIENCES.admin, tid: undefined, roles: ['owner'], scopes: [] });
    expect((await request(method, path, body, roleless)).status).toBe(403);
    // Nobody answers for identity and marketplace-certification here: who is let through gets 503.
    expect((await request(method, path, body, reviewer)).status).toBe(least === 'reviewer' ? 503 : 403);
    expect((await request(method, path, body, operator)).status).toBe(503);
  });
});

describe('signing out', () => {
  it('ends the session of the token, for identity', async () => {
    const sid = randomUUID();
    const token = await tokens.sign({ aud: AUDIENCES.admin, tid: undefined, roles: ['reviewer'], scopes: [], sid });
    const seen: unknown[] = [];
    await stand(rpc.identity.endOperatorSessions, (call) => {
      seen.push(call);
      return {};
    });
    expect((await request('POST', '/api/auth/logout', undefined, token)).status).toBe(204);
    expect((await request('DELETE', '/api/auth/sessions', undefined, token)).status).toBe(204);
    expect(seen).toEqual([{ sessionId: sid }, {}]);
  });
});

describe('operators', () => {
  it('are changed by identity, in the way that was asked for', async () => {
    const id = randomUUID();
    const view = {
      id,
      email: 'ada@platform.test',
      name: 'Ada',
      role: 'reviewer' as const,
      status: 'active' as const,
      linkedTenantId: null,
      authenticator: true,
      createdAt: new Date().toISOString(),
    };
    const seen: unknown[] = [];
    await stand(rpc.identity.changeOperator, (call) => {
      seen.push(call);
      return view;
    });
    const { status, body } = await request('PATCH', `/api/admin/operators/${id}`, { linkedTenantId: null });
    expect([status, body]).toEqual([200, view]);
    expect(
      (await request('PATCH', `/api/admin/operators/${id}`, { role: 'reviewer', status: 'disabled' })).status,
    ).toBe(200);
    expect(seen).toEqual([
      { id, linkedTenantId: null },
      { id, role: 'reviewer', status: 'disabled' },
    ]);
    expect((await request('PATCH', `/api/admin/operators/${id}`, { role: 'owner' })).status).toBe(422);
  });
});

describe('submissions', () => {
  const page = { page: 1, size: 200, total: 1, totalIsExact: true, hasMore: false, nextCursor: null };

  it('are listed as the query filters and sorts them', async () => {
    const found = submission();
    const seen: unknown[] = [];
    await stand(rpc.marketplace.listSubmissions, (query) => {
      seen.push(query);
      return { data: [found], ...page };
    });
    const { status, body } = await request('GET', '/api/admin/submissions?status=in_review');
    expect([status, body]).toEqual([200, { data: [found], ...page }]);
    expect((await request('GET', '/api/admin/submissions')).status).toBe(200);
    const publisherId = randomUUID();
    const filter = `appKey=fleet&publisherId=${publisherId}&q=Acme&claim=none&sort=fair&size=5&submittedBefore=2026-01-01T00:00:00Z`;
    expect((await request('GET', `/api/admin/submissions?${filter}`)).status).toBe(200);
    expect(seen).toEqual([
      { status: 'in_review' },
      {},
      {
        appKey: 'fleet',
        publisherId,
        text: 'Acme',
        claim: 'none',
        sort: 'fair',
        size: 5,
        submittedBefore: '2026-01-01T00:00:00Z',
      },
    ]);
    for (const wrong of [
      'status=lost',
      'sort=name',
      'claim=me',
      'publisherId=x',
      'size=201',
      'submittedBefore=today',
    ]) {
      expect((await request('GET', `/api/admin/submissions?${wrong}`)).body.code).toBe('INVALID_QUERY');
    }
  });

  it('are shown with their documents, however many messages those take', async () => {
    const found = submission({ certification: {} });
    const manifest = { key: 'fleet', name: 'x'.repeat(2_000) };
    const documents = { manifest, reviewPacket: { demoVideo: 'https://a.example' }, certification: { passed: true } };
    const difference = {
      against: { submissionId: randomUUID(), version: '0.9.0', versionStatus: 'published' as const },
      entries: [{ path: '/permissions/agent', kind: 'added', attention: 'access', after: { scope: 'agent' } }],
      counts: { access: 1, loss: 0, behaviour: 0, text: 0 },
      complete: true,
    };
    const about = { name: 'Fleet', kind: 'industry_app', manifestSha256: 'abc', difference, history: [] };
    await stand(rpc.marketplace.getSubmission, () => ({ submission: found, ...about }));
    await stand(rpc.marketplace.readSubmissionDocument, ({ document, offset }) => {
      const text = JSON.stringify(documents[document]);
      const end = offset + 700;
      return { text: text.slice(offset, end), nextOffset: end < text.length ? end : null };
    });
    const { status, body } = await request('GET', `/api/admin/submissions/${found.id}`, undefined, reviewer);
    expect([status, body]).toEqual([200, { ...found, ...about, ...documents }]);
  });

  it.each(['claim', 'release', 'request-changes', 'reject', 'approve', 'publish'])(
    'accept the decision %s',
    async (decision) => {
      const decided = submission();
      const seen: unknown[] = [];
      await stand(rpc.marketplace.decideSubmission, (call) => {
        seen.push(call);
        return decided;
      });
      const path = `/api/admin/submissions/${decided.id}/${decision}`;
      const { status, body } = await request('POST', path, { reason: 'because' });
      expect([status, body]).toEqual([200, decided]);
      expect((await request('POST', path)).status).toBe(200);
      expect(seen).toEqual([
        { submissionId: decided.id, decision, reason: 'because' },
        { submissionId: decided.id, decision },
      ]);
    },
  );

  it('pass on why marketplace-certification refuses a decision', async () => {
    await stand(rpc.marketplace.decideSubmission, () => {
      throw new PlatformError('SUBMISSION_STATE', 'It is published already');
    });
    const { status, body } = await request('POST', `/api/admin/submissions/${randomUUID()}/publish`, {});
    expect([status, body.code, body.detail]).toEqual([409, 'SUBMISSION_STATE', 'It is published already']);
  });

  it.each(['/api/admin/submissions/nonsense/publish', `/api/admin/submissions/${randomUUID()}/celebrate`])(
    'are not found at %s',
    async (path) => {
      expect((await request('POST', path, {})).status).toBe(404);
    },
  );
});

describe('PATCH /api/admin/tenants/{id}', () => {
  it('sets the plan', async () => {
    const id = randomUUID();
    const seen: unknown[] = [];
    await stand(rpc.identity.setTenantPlan, (call) => {
      seen.push(call);
      return { id, name: 'Globex', plan: call.plan, timeZone: 'UTC', country: null };
    });
    const { status, body } = await request('PATCH', `/api/admin/tenants/${id}`, { plan: 'enterprise' });
    expect([status, body.plan]).toEqual([200, 'enterprise']);
    expect(seen).toEqual([{ tenantId: id, plan: 'enterprise' }]);
  });

  it('refuses an unknown plan', async () => {
    const { status, body } = await request('PATCH', `/api/admin/tenants/${randomUUID()}`, { plan: 'gold' });
    expect([status, body.code]).toEqual([422, 'VALIDATION_FAILED']);
  });
});

describe('the API of this address', () => {
  it('is documented, also as a page', async () => {
    type Document = { servers: object[]; paths: Record<string, object> };
    const document = await service.request<Document>('GET', '/api/openapi.json');
    expect(document.body.servers).toEqual([{ url: '/' }]);
    expect(Object.keys(document.body.paths)).toContain('/api/admin/submissions');
    const { status, headers } = await service.request('GET', '/api/docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });
});

import { TokenVerifier } from '@crm/access';
import { AUDIENCES, fingerprintOf, PLATFORM_TENANT, type RpcRequest, rpc, STORAGE_LIMITS } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { decodeProtectedHeader } from 'jose';
import { seed } from '../src/seed.js';
import { SigningKeyService } from '../src/sessions/signing-key.service.js';
import { auditOf } from './audit.js';
import { callerOfFile } from './caller.js';
import { codeOf } from './checks.js';
import { type Account, outcome, TestIdentity } from './identity.js';
import { TestOperators } from './operators.js';

const identity = TestIdentity.ofFile();
const operators = new TestOperators(identity);
const [objects, hooks, marketplace, dispatcher] = [
  callerOfFile('custom-objects'),
  callerOfFile('automation-hooks'),
  callerOfFile('marketplace-certification'),
  callerOfFile('webhook-dispatcher'),
];

const op = { email: '' };
beforeAll(async () => {
  op.email = await operators.create();
});

const verify = (token: string, audience: (typeof AUDIENCES)[keyof typeof AUDIENCES]) =>
  identity.get(TokenVerifier).verify(token, [audience]);

describe('keys', () => {
  it('returns the public keys to every service, each with its audiences', async () => {
    const { keys } = await objects.call(rpc.identity.getKeys, {});
    expect(keys.map((key) => key.crm_audiences).sort()).toEqual([
      ['platform-admin'],
      ['platform-api', 'platform-internal'],
    ]);
    expect(JSON.stringify(keys)).not.toContain('"d"');
  });

  it('creates the keys once, however many replicas start at the same time', async () => {
    const keys = identity.get(SigningKeyService);
    const before = await keys.publicKeys();
    await Promise.all([1, 2, 3].map(() => keys.ensureKeys()));
    expect(await keys.publicKeys()).toEqual(before);
  });

  it('stores private keys sealed', async () => {
    const rows = await identity.queryAll<{ sealed: Buffer }>('SELECT sealed_private_jwk AS sealed FROM signing_key');
    for (const { sealed } of rows) expect(sealed.toString('latin1')).not.toContain('"d"');
  });

  it('rotates a key with overlap: the new key is published first and signs later, and old tokens stay valid', async () => {
    const keys = identity.get(SigningKeyService);
    const account = await identity.account();
    const oldKid = decodeProtectedHeader(account.accessToken).kid;
    const newKid = await keys.rotate('api');
    const published = async () => (await keys.publicKeys(['api'])).map(({ kid }) => kid);
    expect(await published()).toEqual([oldKid, newKid]);
    expect((await keys.signingKey('platform-api')).kid).toBe(oldKid);
    // Ten minutes later.
    await identity.queryAll('UPDATE signing_key SET signs_from = now() WHERE kid = $1', [newKid]);
    await keys.ensureKeys();
    expect((await keys.signingKey('platform-internal')).kid).toBe(newKid);
    expect((await identity.request('GET', '/api/auth/me', { token: account.accessToken })).status).toBe(200);
    const later = await identity.signedIn(account.email);
    expect(decodeProtectedHeader(later.accessToken).kid).toBe(newKid);
    // Another twenty.
    await identity.queryAll('UPDATE signing_key SET retires_at = now() WHERE kid = $1', [oldKid]);
    await keys.ensureKeys();
    expect(await published()).toEqual([newKid]);
  });
});

describe('tenants', () => {
  it('returns a tenant to other services', async () => {
    const { tenantId } = await identity.account({ name: 'T', plan: 'business', country: 'DE' });
    const place = { timeZone: 'UTC', country: 'DE', currency: 'EUR', language: 'en' };
    const tenant = { id: tenantId, name: 'T', verified: true, plan: 'business', ...place };
    expect(await objects.call(rpc.identity.getTenant, { tenantId })).toEqual({
      ...tenant,
      limits: STORAGE_LIMITS.business,
    });
    expect(await codeOf(objects.call(rpc.identity.getTenant, { tenantId: newId() }))).toBe('NOT_FOUND');
  });

  it('tells which ids are those of users of a tenant, disabled ones too', async () => {
    const [owner, other] = [await identity.account(), await identity.account()];
    const { tenantId } = owner;
    await identity.query(tenantId, `UPDATE app_user SET status = 'disabled' WHERE id = $1`, [owner.userId]);
    const userIds = [owner.userId, other.userId, newId()];
    expect(await objects.call(rpc.identity.findUsers, { tenantId, userIds })).toEqual({ userIds: [owner.userId] });
  });

  it('changes the plan of a tenant for operators', async () => {
    const { tenantId } = await identity.account();
    const request = { id: tenantId, plan: 'enterprise' };
    const { accessToken: operator } = await operators.login(op.email);
    expect((await operators.call('setPlan', request, operator)).plan).toBe('enterprise');
    expect(await operators.refusal('setPlan', { ...request, id: newId() }, operator)).toBe('NOT_FOUND');
  });
});

describe('the settings of the workspace', () => {
  const change = (by: Account, body: object) => identity.send('PATCH', '/api/tenant', by, body);

  it('are read by everyone, and changed by administrators', async () => {
    const { owner, admin, viewer } = await identity.team('admin', 'viewer');
    const before = {
      id: owner.tenantId,
      name: 'A workspace',
      plan: 'developer',
      timeZone: 'UTC',
      country: null,
      currency: 'EUR',
      language: 'en',
      verified: true,
    };
    expect((await identity.send('GET', '/api/tenant', viewer)).body).toEqual(before);
    const changes = { name: ' Acme ', timeZone: 'Asia/Tokyo', country: 'JP', currency: 'JPY', language: 'de' };
    expect(await outcome(change(viewer, changes))).toEqual([403, 'FORBIDDEN']);
    const after = { ...before, ...changes, name: 'Acme' };
    const { status, body } = await change(admin, changes);
    expect([status, body]).toEqual([200, after]);
    expect((await change(owner, { country: null })).body).toEqual({ ...after, country: null });
    expect((await identity.send('GET', '/api/tenant', await identity.account())).body).toMatchObject({
      country: null,
      name: 'A workspace',
    });
  });

  it.each([
    ['no name', { name: ' ' }, ['/name']],
    [
      'places and money that there are not',
      { timeZone: 'Mars/Base', country: 'XX', currency: 'XQQ' },
      ['/timeZone', '/country', '/currency'],
    ],
    ['a language without pages', { language: 'fr' }, ['/language']],
    ['another plan', { plan: 'enterprise' }, ['/plan']],
  ])('refuse %s', async (_what, body, pointers) => {
    const refused = await change(await identity.account(), body);
    expect(await outcome(refused)).toEqual([422, 'VALIDATION_FAILED']);
    expect(refused.body.errors.map(({ pointer }) => pointer)).toEqual(pointers);
  });
});

describe('operators', () => {
  it('issues operators tokens of a separate audience and key, which routes of tenants refuse', async () => {
    const { accessToken = '', expiresIn } = await operators.login(op.email);
    expect(expiresIn).toBe(900);
    const principal = { kind: 'operator', roles: ['administrator'], tenantId: '' };
    expect(await verify(accessToken, AUDIENCES.admin)).toMatchObject(principal);
    expect(decodeProtectedHeader(accessToken).kid).toMatch(/^admin-/);
    expect((await identity.request('GET', '/api/auth/me', { token: accessToken })).status).toBe(401);
  });

  it('does not sign in an operator as a user, nor a user as an operator', async () => {
    const { email } = await identity.account();
    expect(await codeOf(operators.login(email))).toBe('INVALID_CREDENTIALS');
    expect((await identity.login(op.email)).status).toBe(401);
  });
});

describe('an internal token', () => {
  it('carries the current roles of the user', async () => {
    const { tenantId, userId } = await identity.account();
    const { token, expiresIn } = await hooks.call(rpc.identity.mintInternalToken, { tenantId, userId });
    expect(expiresIn).toBe(60);
    const principal = { kind: 'internal', userId, tenantId, roles: ['owner'] };
    expect(await verify(token, AUDIENCES.internal)).toMatchObject(principal);
    expect((await identity.request('GET', '/api/auth/me', { token })).status).toBe(401);
  });

  it('is limited to the scopes that the installation was granted', async () => {
    const { tenantId, userId } = await identity.account();
    const actor = { appKey: 'fleet', installationId: newId(), scopes: ['custom_objects'] };
    const { token } = await marketplace.call(rpc.identity.mintInternalToken, { tenantId, userId, actor });
    expect(await verify(token, AUDIENCES.internal)).toMatchObject({
      userId: actor.installationId,
      roles: ['app:fleet'],
      scopes: ['custom_objects'],
      appKey: 'fleet',
      installationId: actor.installationId,
    });
  });

  it('is not minted for a disabled user, nor for a user of another tenant', async () => {
    const { owner, member } = await identity.team('member');
    const stranger = await identity.account();
    const mint = (tenantId: string, userId: string) =>
      codeOf(hooks.call(rpc.identity.mintInternalToken, { tenantId, userId }));
    expect(await mint(stranger.tenantId, member.userId)).toBe('NOT_FOUND');
    await identity.changeUser(owner, member.userId, { status: 'disabled' });
    expect(await mint(owner.tenantId, member.userId)).toBe('FORBIDDEN');
  });

  it('is not minted for a service that the contract does not name as a caller', async () => {
    const { tenantId, userId } = await identity.account();
    const minted = dispatcher.call(rpc.identity.mintInternalToken, { tenantId, userId });
    expect(await codeOf(minted)).toBe('INTERNAL_ERROR');
  });
});

describe('the seed', () => {
  it('creates the demo accounts and can be repeated', async () => {
    const database = identity.get(Database);
    await seed(identity.config, database);
    await seed(identity.config, database);
    for (const [email, roles, plan] of [
      ['dev@acme.test', ['owner'], 'developer'],
      ['admin@globex.test', ['owner', 'admin'], 'business'],
      ['member@globex.test', ['member'], 'business'],
      ['admin@initech.test', ['owner', 'admin'], 'enterprise'],
    ] as const) {
      const { accessToken } = await identity.signedIn(email);
      const { body } = await identity.request('GET', '/api/auth/me', { token: accessToken });
      expect(body).toMatchObject({ email, roles, tenant: { plan } });
    }
    expect((await operators.login('operator@platform.test')).accessToken).toBeTruthy();
  });

  it.each([
    [{ profile: 'production' as const }, 'production'],
    [{ profile: 'development' as const, host: '::' }, 'HOST is a loopback address, not ::'],
    [{ profile: 'development' as const, host: '0.0.0.0' }, 'not 0.0.0.0'],
  ])('refuses to run where others could sign in: %j', async (changes, reason) => {
    const config = { ...identity.config, service: { ...identity.config.service, ...changes } };
    await expect(seed(config, identity.get(Database))).rejects.toThrow(reason);
  });
});

describe('issuing embed credentials', () => {
  it('needs a recent proof, because the previous secret stops working', async () => {
    const account = await identity.account();
    const request = {
      appKey: `app-${newId()}`,
      fingerprint: fingerprintOf('a new secret'),
      allowedOrigins: [],
      scopes: ['leads'],
      linkUsersBy: 'explicit' as const,
    };
    const issue = () => marketplace.call(rpc.identity.issueEmbedCredentials, request, { token: account.accessToken });
    await identity.forgetProofs(account.tenantId);
    expect(await codeOf(issue())).toBe('STEP_UP_REQUIRED');
    expect((await identity.stepUp(account.accessToken)).status).toBe(204);
    expect(await issue()).toEqual({ clientId: expect.any(String), previousSecretValidUntil: null });
  });
});

describe('acts of other services', () => {
  const record = (act: RpcRequest<typeof rpc.identity.recordAct>, { accessToken: token }: Account, by = hooks) =>
    codeOf(by.call(rpc.identity.recordAct, act, { token }));
  const issued = (id: string) =>
    ({ action: 'hook_secret.issued', subjectId: id, detail: { overlapSeconds: 3600 } }) as const;
  const actsOf = async (owner: Account, about: string) =>
    (await auditOf(identity, owner)).filter(({ subject }) => subject?.id === about);

  it.each(Object.entries(rpc.identity.RECORDED_ACTS))('are in the audit trail: %s of a %s', async (action, kind) => {
    const owner = await identity.account();
    const subjectId = newId();
    const detail = { host: 'hooks.example.com', events: ['lead.*'] };
    const act = { action: action as rpc.identity.RecordedAct, subjectId, detail };
    expect(await record(act, owner)).toBe('no error');
    expect(await actsOf(owner, subjectId)).toMatchObject([
      { action, outcome: 'success', actor: { id: owner.userId }, subject: { kind, id: subjectId }, detail },
    ]);
  });

  it('of people who do not administer are refused', async () => {
    const { owner, member } = await identity.team('member');
    const id = newId();
    expect(await record(issued(id), member)).toBe('FORBIDDEN');
    expect(await actsOf(owner, id)).toEqual([]);
  });
});

describe('the proof that other services ask for', () => {
  const proofOf = (token: string) => codeOf(hooks.call(rpc.identity.assertProof, {}, { token }));

  it('is that of the session: it counts at once, also with a token from before, and not once it is old or taken back', async () => {
    const { accessToken, tenantId } = await identity.account();
    expect(await proofOf(accessToken)).toBe('no error');
    await identity.forgetProofs(tenantId);
    const refused = hooks.call(rpc.identity.assertProof, {}, { token: accessToken });
    await expect(refused).rejects.toMatchObject({
      code: 'STEP_UP_REQUIRED',
      extra: { members: { proofs: ['password'] } },
    });
    await identity.stepUp(accessToken);
    expect(await proofOf(accessToken)).toBe('no error');
  });

  it('is none once the session has ended', async () => {
    const { accessToken } = await identity.account();
    await identity.request('POST', '/api/auth/logout', { token: accessToken });
    expect(['TOKEN_REVOKED', 'STEP_UP_REQUIRED']).toContain(await proofOf(accessToken));
  });

  it('is asked for operators too', async () => {
    const { accessToken } = await operators.login('operator@platform.test');
    expect(await proofOf(accessToken)).toBe('no error');
    await identity.forgetProofs(PLATFORM_TENANT);
    expect(await proofOf(accessToken)).toBe('STEP_UP_REQUIRED');
  });
});

import type { ReceiverCertificate } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainService, DomainSweeper } from '../src/single-sign-on/domain.service.js';
import { auditOf } from './audit.js';
import { enrol } from './authenticators.js';
import { crossTenant, inTenant } from './checks.js';
import { type Account, TestIdentity } from './identity.js';
import { MailServer } from './mail-server.js';
import { certificate } from './single-sign-on/certificate.js';
import { CLIENT_ID, CLIENT_SECRET, ForgingProvider } from './single-sign-on/forging-provider.js';
import { TextServer } from './single-sign-on/text-server.js';
import { addDomain, addProvider, newDomain, proven, settings, verifyDomain } from './single-sign-on/workspace.js';

let tls: ReceiverCertificate;
let dns: TextServer;
let provider: ForgingProvider;
let mailServer: MailServer;
let identity: TestIdentity;

beforeAll(async () => {
  tls = await certificate();
  [dns, provider, mailServer] = await Promise.all([TextServer.start(), ForgingProvider.start(tls), MailServer.start()]);
  identity = await TestIdentity.start({
    smtpUrl: mailServer.url,
    settings: {
      egress: { allow: [{ host: '127.0.0.1', port: provider.port }], ca: tls.ca, providerMs: 2_000 },
      nameServers: [dns.address],
    },
  });
});
afterAll(async () => {
  await identity?.close();
  await Promise.all([provider?.close(), dns?.close(), mailServer?.close()]);
});

const send = (method: string, path: string, { accessToken }: Account, body?: unknown) =>
  identity.request(method, path, { token: accessToken, body });
const CLIENT = { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, enabled: true };
const add = (owner: Account, more: Record<string, unknown> = {}) =>
  addProvider(identity, owner, { issuer: provider.issuer, ...CLIENT, ...more });
const ofTenant = (tenantId: string, sql: string) => inTenant<Record<string, unknown>>(identity, { tenantId }, sql);
/** Makes the proofs of every session of the workspace old. */
const ageProofs = ({ tenantId }: Account) =>
  ofTenant(tenantId, `UPDATE session SET proven_at = now() - interval '1 hour'`);

describe('a domain', () => {
  it('belongs to the workspace that publishes its record', async () => {
    const owner = await identity.account();
    const domain = newDomain();
    const added = await send('POST', '/api/tenant/domains', owner, { domain: `${domain.toUpperCase()}.` });
    expect([added.status, settings(added)]).toMatchObject([
      201,
      { domain, verified: false, record: { name: `_crm-challenge.${domain}`, type: 'TXT' } },
    ]);
    const early = await verifyDomain(identity, owner, domain);
    expect([early.status, early.body.code]).toEqual([409, 'DOMAIN_NOT_PROVEN']);
    const { name, value } = settings(added).record;
    dns.records.set(name, ['v=spf1 -all', `${value}x`]);
    expect((await verifyDomain(identity, owner, domain)).status).toBe(409);
    dns.records.set(name, ['v=spf1 -all', value]);
    expect(settings(await verifyDomain(identity, owner, domain))).toMatchObject({ verified: true, missingSince: null });
    expect(settings(await send('POST', '/api/tenant/domains', owner, { domain }))).toMatchObject({ record: { value } });
    expect((await send('GET', '/api/tenant/domains', owner)).body.data).toHaveLength(1);
  });

  it('has another record for every workspace, and belongs to one of them', async () => {
    const { owner, domain } = await proven(identity, dns);
    const other = await identity.account();
    await addDomain(identity, dns, other, domain);
    const refused = await verifyDomain(identity, other, domain);
    expect([refused.status, refused.body.code]).toEqual([409, 'DOMAIN_TAKEN']);
    expect(settings(await verifyDomain(identity, owner, domain)).verified).toBe(true);
    expect((await verifyDomain(identity, await identity.account(), domain)).status).toBe(404);
  });

  it('passes to the workspace whose record is there when that of the other is gone, and the other is told', async () => {
    const { owner, domain } = await proven(identity, dns);
    const other = await identity.account();
    const name = `_crm-challenge.${domain}`;
    const [former] = dns.records.get(name) ?? [];
    await addDomain(identity, dns, other, domain);
    dns.records.set(
      name,
      (dns.records.get(name) ?? []).filter((text) => text !== former),
    );
    const since = mailServer.mails.length;
    expect((await verifyDomain(identity, other, domain)).status).toBe(200);
    expect((await mailServer.mailTo(owner.email, since)).text).toContain('no longer');
    expect((await send('GET', '/api/tenant/domains', owner)).body.data).toMatchObject([{ verified: false }]);
    expect((await verifyDomain(identity, owner, domain)).status).toBe(409);
  });

  it('is given to one of two workspaces that prove it at the same time', async () => {
    const domain = newDomain();
    const owners = [await identity.account(), await identity.account()];
    for (const owner of owners) await addDomain(identity, dns, owner, domain);
    const answers = await Promise.all(owners.map((owner) => verifyDomain(identity, owner, domain)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it.each([
    'gmail.com',
    'OUTLOOK.com',
    'co.uk',
    'com',
    'github.io',
    'localhost',
    'acme.internal',
    '10.0.0.1',
    'a b.com',
    '.com',
  ])('%p is refused', async (domain) => {
    const answer = await send('POST', '/api/tenant/domains', await account(), { domain });
    expect([answer.status, answer.body.errors]).toMatchObject([422, [{ pointer: '/domain' }]]);
  });

  it('is looked up every day, and lost when its record is missing for three days', async () => {
    const { owner, domain } = await proven(identity, dns);
    const name = `_crm-challenge.${domain}`;
    const records = dns.records.get(name) ?? [];
    const due = () =>
      crossTenant(identity, 'UPDATE verified_domain SET next_check_at = now() WHERE domain = $1', [domain]);
    const checked = async () => {
      await due();
      await identity.get(DomainSweeper).sweep();
      return (await send('GET', '/api/tenant/domains', owner)).body.data[0];
    };
    expect(await checked()).toMatchObject({ verified: true, missingSince: null });
    const since = mailServer.mails.length;
    dns.records.delete(name);
    expect(await checked()).toMatchObject({ verified: true, missingSince: expect.any(String) });
    expect((await mailServer.mailTo(owner.email, since)).text).toContain('If it is not back within 3 days');
    dns.records.set(name, records);
    expect(await checked()).toMatchObject({ verified: true, missingSince: null });
    dns.records.delete(name);
    await checked();
    await ofTenant(owner.tenantId, `UPDATE mail_domain SET missing_since = now() - interval '73 hours'`);
    dns.silent.add(name);
    expect(await checked()).toMatchObject({ verified: true });
    dns.silent.delete(name);
    expect(await checked()).toMatchObject({ verified: false });
    expect(await identity.get(DomainService).tenantOf(domain)).toBeNull();
  });

  /** One account for refusals that leave nothing behind. */
  let shared: Account | undefined;
  async function account(): Promise<Account> {
    shared ??= await identity.account();
    return shared;
  }
});

describe('the settings of single sign-on', () => {
  it('are changed by owners who have proven who they are, and read by administrators', async () => {
    const { owner, domain } = await proven(identity, dns);
    const { id } = await add(owner);
    const administrator = await identity.member(owner, ['admin']);
    const one = `/api/tenant/identity-providers/${id}`;
    const changes: [string, string, unknown?][] = [
      ['POST', '/api/tenant/identity-providers', { name: 'X', issuer: provider.issuer }],
      ['PATCH', one, { name: 'X' }],
      ['DELETE', one],
      ['POST', '/api/tenant/domains', { domain: newDomain() }],
      ['POST', `/api/tenant/domains/${domain}/verify`],
      ['DELETE', `/api/tenant/domains/${domain}`],
      ['PUT', '/api/tenant/sign-in-policy/single-sign-on', { required: true }],
    ];
    const member = await identity.member(owner);
    await ageProofs(owner);
    for (const [method, path, body] of changes) {
      const codes = await Promise.all(
        [administrator, owner].map(async (who) => (await send(method, path, who, body)).body.code),
      );
      expect([method, path, codes]).toEqual([method, path, ['FORBIDDEN', 'STEP_UP_REQUIRED']]);
    }
    for (const path of ['/api/tenant/identity-providers', one, '/api/tenant/domains']) {
      expect((await send('GET', path, administrator)).status).toBe(200);
      expect((await send('GET', path, member)).status).toBe(403);
    }
  });

  it('are those of one workspace', async () => {
    const { id } = await add((await proven(identity, dns)).owner);
    const { owner } = await proven(identity, dns);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const answer = await send(
        method,
        `/api/tenant/identity-providers/${id}`,
        owner,
        method === 'PATCH' ? { name: 'X' } : undefined,
      );
      expect([method, answer.status]).toEqual([method, 404]);
    }
  });

  it('keep the client secret sealed and never show it', async () => {
    const { owner } = await proven(identity, dns);
    await add(owner);
    const listed = await send('GET', '/api/tenant/identity-providers', owner);
    expect(JSON.stringify(listed.body)).not.toContain(CLIENT_SECRET);
    expect(listed.body.data).toMatchObject([{ hasClientSecret: true, clientId: CLIENT_ID }]);
    const [row] = await ofTenant(owner.tenantId, 'SELECT sealed_secret AS sealed FROM identity_provider');
    expect(row).toEqual({ sealed: expect.any(Buffer) });
    expect(String(row?.sealed)).not.toContain(CLIENT_SECRET);
  });

  it('do not show the secret to another issuer', async () => {
    const other = await ForgingProvider.start(tls);
    const { owner } = await proven(identity, dns);
    const { id } = await add(owner);
    const answer = await send('PATCH', `/api/tenant/identity-providers/${id}`, owner, { issuer: other.issuer });
    expect([answer.status, answer.body.errors]).toMatchObject([422, [{ pointer: '/clientSecret' }]]);
    expect(other.receiver.requests).toEqual([]);
    await other.close();
  });

  it('refuse what cannot work, and roles that nobody should get by themselves', async () => {
    const { owner } = await proven(identity, dns);
    const tried = async (body: Record<string, unknown>) =>
      (await send('POST', '/api/tenant/identity-providers', owner, { name: 'X', issuer: provider.issuer, ...body }))
        .body;
    expect(await tried({ enabled: true })).toMatchObject({ errors: [{ pointer: '/enabled' }] });
    expect(await tried({ defaultRoles: ['owner'] })).toMatchObject({ errors: [{ pointer: '/defaultRoles' }] });
    expect(await tried({ defaultRoles: ['app:x'] })).toMatchObject({ code: 'ROLE_NOT_GRANTABLE' });
    expect(await tried({ scopes: ['two words'] })).toMatchObject({ errors: [{ pointer: '/scopes/0' }] });
  });

  it('wait for a workspace whose address is verified', async () => {
    const owner = await identity.account();
    await ofTenant(owner.tenantId, 'UPDATE tenant SET verified_at = NULL');
    const answers = [
      await send('POST', '/api/tenant/domains', owner, { domain: newDomain() }),
      await send('POST', '/api/tenant/identity-providers', owner, { name: 'X', issuer: provider.issuer }),
    ];
    expect(answers.map(({ body }) => body.code)).toEqual(['EMAIL_NOT_VERIFIED', 'EMAIL_NOT_VERIFIED']);
  });
});

describe('the settings of single sign-on in the audit trail', () => {
  it('are domains, providers and the demand, each once, without secrets', async () => {
    const { owner, domain } = await proven(identity, dns);
    await verifyDomain(identity, owner, domain);
    await send('POST', '/api/tenant/domains', owner, { domain });
    const { id } = await add(owner);
    await send('PATCH', `/api/tenant/identity-providers/${id}`, owner, {
      name: 'Theirs',
      clientSecret: 'another-secret',
    });
    await send('PUT', '/api/tenant/sign-in-policy/single-sign-on', owner, { required: true });
    await send('PUT', '/api/tenant/sign-in-policy/single-sign-on', owner, { required: false });
    await send('DELETE', `/api/tenant/identity-providers/${id}`, owner);
    await send('DELETE', `/api/tenant/domains/${domain}`, owner);
    const entries = (await auditOf(identity, owner)).filter(
      ({ action }) => !/^(sign_in\.|workspace\.reg)/.test(action),
    );
    expect(entries.map(({ action, subject, detail }) => [action, subject?.id, detail])).toEqual([
      ['domain.removed', domain, {}],
      ['identity_provider.removed', id, { issuer: provider.issuer }],
      ['workspace.sign_in_policy_changed', owner.tenantId, { singleSignOn: 'optional' }],
      ['workspace.sign_in_policy_changed', owner.tenantId, { singleSignOn: 'required' }],
      ['identity_provider.changed', id, { issuer: provider.issuer, enabled: true, changed: ['name', 'clientSecret'] }],
      ['identity_provider.added', id, { issuer: provider.issuer, enabled: true }],
      ['domain.verified', domain, {}],
      ['domain.added', domain, {}],
    ]);
    for (const { actor, address } of entries) expect([actor.id, address]).toEqual([owner.userId, '127.0.0.1']);
    expect(JSON.stringify(entries)).not.toMatch(new RegExp(`another-secret|${CLIENT_SECRET}|crm-domain-verification`));
  });

  it('are domains that the platform took away', async () => {
    const { owner, domain } = await proven(identity, dns);
    const other = await identity.account();
    dns.records.delete(`_crm-challenge.${domain}`);
    await addDomain(identity, dns, other, domain);
    expect((await verifyDomain(identity, other, domain)).status).toBe(200);
    const [lost] = await auditOf(identity, owner, '&action=domain.lost');
    expect(lost).toMatchObject({ actor: { kind: 'system' }, subject: { kind: 'domain', id: domain } });
  });
});

describe('a workspace that requires single sign-on', () => {
  const require = (owner: Account, required = true) =>
    send('PUT', '/api/tenant/sign-in-policy/single-sign-on', owner, { required });

  it('has a provider and a domain first, and keeps the provider', async () => {
    const owner = await identity.account();
    expect((await require(owner)).body.code).toBe('CONFLICT');
    const { id } = await add(owner);
    expect((await require(owner)).body.code).toBe('CONFLICT');
    const domain = newDomain();
    await addDomain(identity, dns, owner, domain);
    await verifyDomain(identity, owner, domain);
    expect((await require(owner)).body).toEqual({ required: true });
    const one = `/api/tenant/identity-providers/${id}`;
    expect((await send('PATCH', one, owner, { enabled: false })).body.code).toBe('CONFLICT');
    expect((await send('DELETE', one, owner)).body.code).toBe('CONFLICT');
    expect((await require(owner, false)).body).toEqual({ required: false });
    expect((await send('DELETE', one, owner)).status).toBe(204);
  });

  it('keeps its last proven domain, unless somebody else proves it', async () => {
    const { owner, domain } = await proven(identity, dns);
    await add(owner);
    expect((await require(owner)).status).toBe(200);
    await send('POST', '/api/tenant/domains', owner, { domain: newDomain() });
    expect((await send('DELETE', `/api/tenant/domains/${domain}`, owner)).body.code).toBe('CONFLICT');
    dns.records.delete(`_crm-challenge.${domain}`);
    await ofTenant(owner.tenantId, `UPDATE mail_domain SET missing_since = now() - interval '73 hours'`);
    await crossTenant(identity, 'UPDATE verified_domain SET next_check_at = now() WHERE domain = $1', [domain]);
    await identity.get(DomainSweeper).sweep();
    expect(await identity.get(DomainService).tenantOf(domain)).toBe(owner.tenantId);
    const other = await identity.account();
    await addDomain(identity, dns, other, domain);
    expect((await verifyDomain(identity, other, domain)).status).toBe(200);
    expect(await identity.get(DomainService).tenantOf(domain)).toBe(other.tenantId);
  });

  it('keeps one of two domains that are removed at once, and removes the last when passwords are accepted', async () => {
    const { owner, domain } = await proven(identity, dns);
    await add(owner);
    const second = newDomain();
    await addDomain(identity, dns, owner, second);
    await verifyDomain(identity, owner, second);
    await require(owner);
    const remove = (one: string) => send('DELETE', `/api/tenant/domains/${one}`, owner);
    const answers = await Promise.all([remove(domain), remove(second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    await require(owner, false);
    const left = answers[0]?.status === 204 ? second : domain;
    expect((await remove(left)).status).toBe(204);
  });

  it('refuses passwords of members and administrators, and lets owners in with a second factor', async () => {
    const { owner } = await proven(identity, dns);
    await add(owner);
    const members = [await identity.member(owner), await identity.member(owner, ['admin'])];
    expect((await require(owner)).status).toBe(200);
    for (const { email, refreshToken } of members) {
      const answer = await identity.login(email);
      expect([answer.status, answer.body.code]).toEqual([403, 'SINGLE_SIGN_ON_REQUIRED']);
      expect((await identity.login(email, 'not-the-password')).body.code).toBe('INVALID_CREDENTIALS');
      expect((await identity.post('/api/auth/refresh', { refreshToken })).status).toBe(200);
    }
    expect((await identity.login(owner.email)).body).toMatchObject({ mfaRequired: true, methods: ['mail'] });
    await enrol(identity, owner);
    expect((await identity.login(owner.email)).body).toMatchObject({ methods: ['authenticator', 'recovery_code'] });
  });

  it('keeps its other demands on sign-ins', async () => {
    const { owner } = await proven(identity, dns);
    await add(owner);
    const policy = '/api/tenant/sign-in-policy';
    await send('PUT', policy, owner, { secondFactor: 'required' });
    await require(owner);
    expect((await identity.login(owner.email)).body).toMatchObject({ mfaRequired: true, methods: ['mail'] });
    expect((await send('GET', policy, owner)).body).toEqual({ secondFactor: 'required' });
    await send('PUT', policy, owner, { secondFactor: 'optional' });
    expect((await send('GET', `${policy}/single-sign-on`, owner)).body).toEqual({ required: true });
  });
});

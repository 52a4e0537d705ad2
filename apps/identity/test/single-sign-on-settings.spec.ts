import { waitUntil } from '@crm/testing';
import { describe, expect, it } from '@jest/globals';
import { DomainService } from '../src/single-sign-on/domain.service.js';
import { DomainSweeper } from '../src/single-sign-on/domain.sweeper.js';
import { auditOf, entryOf } from './audit.js';
import { enrol } from './authenticators.js';
import { type Account, newEmail, outcome, PASSWORD } from './identity.js';
import { codeIn, tokenIn } from './mail-server.js';
import { newAuthenticator, register, signIn } from './passkeys.js';
import { prove as proveAddress } from './persons.js';
import { CLIENT_ID, CLIENT_SECRET } from './single-sign-on/forging-provider.js';
import { Stage } from './single-sign-on/stage.js';
import { addDomain, newDomain, settings, verifyDomain } from './single-sign-on/workspace.js';

const stage = Stage.ofFile();
const { identity, dns, mailServer } = stage;

const send = identity.send.bind(identity);
const PROVIDERS = '/api/tenant/identity-providers';
const DOMAINS = '/api/tenant/domains';
const POLICY = '/api/tenant/sign-in-policy';
const add = (owner: Account) => stage.add({ owner }, stage.provider);
/** A workspace that has proven a domain and added a provider. */
const withProvider = async () => {
  const { owner, domain } = await stage.proven();
  const { id } = await add(owner);
  return { owner, domain, id, one: `${PROVIDERS}/${id}` };
};
/** Adds another domain to a workspace and proves it. */
const prove = async (owner: Account, domain = newDomain()) => {
  await addDomain(identity, dns, owner, domain);
  return verifyDomain(identity, owner, domain);
};
const missingTooLong = ({ tenantId }: Account) =>
  identity.query(tenantId, "UPDATE mail_domain SET missing_since = now() - interval '73 hours'");
/** Looks a domain up, as happens every day. */
const lookUp = async (domain: string) => {
  await identity.queryAll('UPDATE verified_domain SET next_check_at = now() WHERE domain = $1', [domain]);
  await identity.get(DomainSweeper).sweep();
};

describe('a domain', () => {
  it('belongs to the workspace that publishes its record', async () => {
    const owner = await identity.account();
    const domain = newDomain();
    const added = await send('POST', DOMAINS, owner, { domain: `${domain.toUpperCase()}.` });
    expect([added.status, settings(added)]).toMatchObject([
      201,
      { domain, verified: false, record: { name: `_crm-challenge.${domain}`, type: 'TXT' } },
    ]);
    expect(await outcome(verifyDomain(identity, owner, domain))).toEqual([409, 'DOMAIN_NOT_PROVEN']);
    const { name, value } = settings(added).record;
    dns.records.set(name, ['v=spf1 -all', `${value}x`]);
    expect((await verifyDomain(identity, owner, domain)).status).toBe(409);
    dns.records.set(name, ['v=spf1 -all', value]);
    expect(settings(await verifyDomain(identity, owner, domain))).toMatchObject({ verified: true, missingSince: null });
    expect(settings(await send('POST', DOMAINS, owner, { domain }))).toMatchObject({ record: { value } });
    expect((await send('GET', DOMAINS, owner)).body.data).toHaveLength(1);
  });

  it('has another record for every workspace, and belongs to one of them', async () => {
    const { owner, domain } = await stage.proven();
    const other = await identity.account();
    expect(await outcome(prove(other, domain))).toEqual([409, 'DOMAIN_TAKEN']);
    expect(settings(await verifyDomain(identity, owner, domain)).verified).toBe(true);
    expect((await verifyDomain(identity, await identity.account(), domain)).status).toBe(404);
  });

  it('passes to the workspace whose record is there when that of the other is gone, and the other is told', async () => {
    const { owner, domain } = await stage.proven();
    const other = await identity.account();
    const name = `_crm-challenge.${domain}`;
    const [former] = dns.records.get(name) ?? [];
    await addDomain(identity, dns, other, domain);
    const left = (dns.records.get(name) ?? []).filter((text) => text !== former);
    dns.records.set(name, left);
    const since = mailServer.mails.length;
    expect((await verifyDomain(identity, other, domain)).status).toBe(200);
    expect((await mailServer.mailTo(owner.email, since)).text).toContain('no longer');
    const [lost] = await auditOf(identity, owner, '&action=domain.lost');
    expect(lost).toMatchObject({ actor: { kind: 'system' }, subject: { kind: 'domain', id: domain } });
    expect((await send('GET', DOMAINS, owner)).body.data).toMatchObject([{ verified: false }]);
    expect((await verifyDomain(identity, owner, domain)).status).toBe(409);
  });

  it('is given to one of two workspaces that prove it at the same time', async () => {
    const domain = newDomain();
    const owners = [await identity.account(), await identity.account()];
    for (const owner of owners) await addDomain(identity, dns, owner, domain);
    const answers = await Promise.all(owners.map((owner) => verifyDomain(identity, owner, domain)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('is none that many share, and no other than a public one', async () => {
    const owner = await identity.account();
    for (const domain of [
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
    ]) {
      const { status, body } = await send('POST', DOMAINS, owner, { domain });
      expect([domain, status, body.errors]).toMatchObject([domain, 422, [{ pointer: '/domain' }]]);
    }
  });

  it('is looked up every day, and lost when its record is missing for three days', async () => {
    const { owner, domain } = await stage.proven();
    const name = `_crm-challenge.${domain}`;
    const records = dns.records.get(name) ?? [];
    const checked = async () => {
      await lookUp(domain);
      return (await send('GET', DOMAINS, owner)).body.data[0];
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
    await missingTooLong(owner);
    dns.silent.add(name);
    expect(await checked()).toMatchObject({ verified: true });
    dns.silent.delete(name);
    expect(await checked()).toMatchObject({ verified: false });
    expect(await identity.get(DomainService).tenantOf(domain)).toBeNull();
  });
});

describe('the settings of single sign-on', () => {
  it('are changed by owners who have proven who they are, and read by administrators', async () => {
    const { owner, domain, one } = await withProvider();
    const [administrator, member] = [await identity.member(owner, ['admin']), await identity.member(owner)];
    const changes: [string, string, unknown?][] = [
      ['POST', PROVIDERS, { name: 'X', issuer: stage.provider.issuer }],
      ['PATCH', one, { name: 'X' }],
      ['DELETE', one],
      ['POST', DOMAINS, { domain: newDomain() }],
      ['POST', `${DOMAINS}/${domain}/verify`],
      ['DELETE', `${DOMAINS}/${domain}`],
      ['PUT', `${POLICY}/single-sign-on`, { required: true }],
    ];
    await identity.forgetProofs(owner.tenantId);
    for (const [method, path, body] of changes) {
      const codes = [administrator, owner].map(async (who) => (await send(method, path, who, body)).body.code);
      expect([path, await Promise.all(codes)]).toEqual([path, ['FORBIDDEN', 'STEP_UP_REQUIRED']]);
    }
    for (const path of [PROVIDERS, one, DOMAINS]) {
      expect((await send('GET', path, administrator)).status).toBe(200);
      expect((await send('GET', path, member)).status).toBe(403);
    }
  });

  it('keep the client secret sealed and never show it', async () => {
    const { owner } = await withProvider();
    const { body } = await send('GET', PROVIDERS, owner);
    expect(JSON.stringify(body)).not.toContain(CLIENT_SECRET);
    expect(body.data).toMatchObject([{ hasClientSecret: true, clientId: CLIENT_ID }]);
    const [row] = await identity.query(owner.tenantId, 'SELECT sealed_secret AS sealed FROM identity_provider');
    expect(row).toEqual({ sealed: expect.any(Buffer) });
    expect(String(row?.sealed)).not.toContain(CLIENT_SECRET);
  });

  it('do not show the secret to another issuer', async () => {
    const { issuer, receiver } = stage.another;
    const { owner, one } = await withProvider();
    const answer = await send('PATCH', one, owner, { issuer });
    expect([answer.status, answer.body.errors]).toMatchObject([422, [{ pointer: '/clientSecret' }]]);
    expect(receiver.requests).toEqual([]);
  });

  it('refuse what cannot work, and roles that nobody should get by themselves', async () => {
    const { owner } = await stage.proven();
    for (const [wrong, refusal] of [
      [{ enabled: true }, { errors: [{ pointer: '/enabled' }] }],
      [{ defaultRoles: ['owner'] }, { errors: [{ pointer: '/defaultRoles' }] }],
      [{ defaultRoles: ['app:x'] }, { code: 'ROLE_NOT_GRANTABLE' }],
      [{ scopes: ['two words'] }, { errors: [{ pointer: '/scopes/0' }] }],
    ] as const) {
      const provider = { name: 'X', issuer: stage.provider.issuer, ...wrong };
      expect((await send('POST', PROVIDERS, owner, provider)).body).toMatchObject(refusal);
    }
  });

  it('wait for a workspace whose address is verified', async () => {
    const owner = await identity.account();
    await identity.query(owner.tenantId, 'UPDATE tenant SET verified_at = NULL');
    const answers = [
      await send('POST', DOMAINS, owner, { domain: newDomain() }),
      await send('POST', PROVIDERS, owner, { name: 'X', issuer: stage.provider.issuer }),
    ];
    expect(answers.map(({ body }) => body.code)).toEqual(['EMAIL_NOT_VERIFIED', 'EMAIL_NOT_VERIFIED']);
  });
});

describe('the settings of single sign-on in the audit trail', () => {
  it('are domains, providers and the demand, each once, without secrets', async () => {
    const { owner, domain } = await stage.proven();
    await verifyDomain(identity, owner, domain);
    await send('POST', DOMAINS, owner, { domain });
    const { id } = await add(owner);
    await send('PATCH', `${PROVIDERS}/${id}`, owner, { name: 'Theirs', clientSecret: 'another-secret' });
    for (const required of [true, false]) await send('PUT', `${POLICY}/single-sign-on`, owner, { required });
    await send('DELETE', `${PROVIDERS}/${id}`, owner);
    await send('DELETE', `${DOMAINS}/${domain}`, owner);
    const entries = (await auditOf(identity, owner)).filter(
      ({ action }) => !/^(sign_in\.|workspace\.reg)/.test(action),
    );
    const { issuer } = stage.provider;
    expect(entries.map(({ action, subject, detail }) => [action, subject?.id, detail])).toEqual([
      ['domain.removed', domain, {}],
      ['identity_provider.removed', id, { issuer }],
      ['workspace.sign_in_policy_changed', owner.tenantId, { singleSignOn: 'optional' }],
      ['workspace.sign_in_policy_changed', owner.tenantId, { singleSignOn: 'required' }],
      ['identity_provider.changed', id, { issuer, enabled: true, changed: ['name', 'clientSecret'] }],
      ['identity_provider.added', id, { issuer, enabled: true }],
      ['domain.verified', domain, {}],
      ['domain.added', domain, {}],
    ]);
    for (const { actor, address } of entries) expect([actor.id, address]).toEqual([owner.userId, '127.0.0.1']);
    expect(JSON.stringify(entries)).not.toMatch(new RegExp(`another-secret|${CLIENT_SECRET}|crm-domain-verification`));
  });
});

describe('a workspace that requires single sign-on', () => {
  const require = (owner: Account, required = true) => send('PUT', `${POLICY}/single-sign-on`, owner, { required });

  it('has a provider and a domain first, and keeps the provider', async () => {
    const owner = await identity.account();
    expect((await require(owner)).body.code).toBe('CONFLICT');
    const { id } = await add(owner);
    expect((await require(owner)).body.code).toBe('CONFLICT');
    await prove(owner);
    expect((await require(owner)).body).toEqual({ required: true });
    const one = `${PROVIDERS}/${id}`;
    expect((await send('PATCH', one, owner, { enabled: false })).body.code).toBe('CONFLICT');
    expect((await send('DELETE', one, owner)).body.code).toBe('CONFLICT');
    expect((await require(owner, false)).body).toEqual({ required: false });
    expect((await send('DELETE', one, owner)).status).toBe(204);
  });

  it('keeps its last proven domain, unless someone else proves it', async () => {
    const { owner, domain } = await withProvider();
    expect((await require(owner)).status).toBe(200);
    await send('POST', DOMAINS, owner, { domain: newDomain() });
    expect((await send('DELETE', `${DOMAINS}/${domain}`, owner)).body.code).toBe('CONFLICT');
    dns.records.delete(`_crm-challenge.${domain}`);
    await missingTooLong(owner);
    await lookUp(domain);
    expect(await identity.get(DomainService).tenantOf(domain)).toBe(owner.tenantId);
    const other = await identity.account();
    expect((await prove(other, domain)).status).toBe(200);
    expect(await identity.get(DomainService).tenantOf(domain)).toBe(other.tenantId);
  });

  it('keeps one of two domains that are removed at once, and removes the last when passwords are accepted', async () => {
    const { owner, domain } = await withProvider();
    const second = newDomain();
    await prove(owner, second);
    await require(owner);
    const remove = (one: string) => send('DELETE', `${DOMAINS}/${one}`, owner);
    const answers = await Promise.all([remove(domain), remove(second)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    await require(owner, false);
    const left = answers[0]?.status === 204 ? second : domain;
    expect((await remove(left)).status).toBe(204);
  });

  it('refuses passwords of members and administrators, and lets owners in with a second factor', async () => {
    const { owner, domain } = await withProvider();
    const addressed = (roles: string[]) => identity.member(owner, roles, newEmail().replace(/@.*/, `@${domain}`));
    const members = [await addressed(['member']), await addressed(['admin'])];
    const authenticator = newAuthenticator();
    await register(identity, await identity.signedIn(members[0]?.email ?? ''), authenticator);
    expect((await require(owner)).status).toBe(200);
    expect(await outcome(signIn(identity, authenticator))).toEqual([403, 'SINGLE_SIGN_ON_REQUIRED']);
    await waitUntil(async () => (await auditOf(identity, owner, '&action=sign_in.failed')).length === 1, {
      describe: 'the refused passkey is recorded',
    });
    for (const { email, userId, refreshToken } of members) {
      expect(await outcome(identity.login(email))).toEqual([403, 'SINGLE_SIGN_ON_REQUIRED']);
      const refusal = await entryOf(identity, owner, `sign_in.failed&subject=${userId}`);
      expect(refusal.detail).toEqual({ reason: 'single_sign_on_required' });
      expect((await identity.login(email, 'not-the-password')).body.code).toBe('INVALID_CREDENTIALS');
      expect((await identity.post('/api/auth/refresh', { refreshToken })).status).toBe(200);
    }
    expect((await identity.login(owner.email)).body).toMatchObject({ mfaRequired: true, methods: ['mail'] });
    await enrol(identity, owner);
    expect((await identity.login(owner.email)).body).toMatchObject({ methods: ['authenticator', 'recovery_code'] });
  });

  it('lets in guests from before, whom its provider cannot know, by a password and a code, and by a passkey', async () => {
    const { owner } = await withProvider();
    const [guest, known] = [await identity.member(owner, ['admin']), await identity.member(owner)];
    const authenticator = newAuthenticator();
    await register(identity, guest, authenticator);
    const { issuer } = stage.provider;
    const link = `INSERT INTO provider_link (tenant_id, issuer, sub, user_id) VALUES ($1, '${issuer}', 'known', $2)`;
    await identity.query(owner.tenantId, link, [owner.tenantId, known.userId]);
    expect((await require(owner)).status).toBe(200);
    const asked = await mailServer.sentBy(guest.email, () => identity.login(guest.email), 'code is');
    const { challengeId } = asked.answer.body;
    expect(asked.answer.body).toMatchObject({ mfaRequired: true, methods: expect.arrayContaining(['mail']) });
    const code = codeIn(asked.text);
    expect((await identity.post('/api/auth/mfa/verify', { challengeId, code })).status).toBe(200);
    expect((await signIn(identity, authenticator)).status).toBe(200);
    // Anyone who has come by the provider does so whatever their address is now.
    expect(await outcome(identity.login(known.email))).toEqual([403, 'SINGLE_SIGN_ON_REQUIRED']);
  });

  it('makes nobody a guest who takes an address of no domain of it', async () => {
    const { owner, domain } = await withProvider();
    const email = newEmail().replace(/@.*/, `@${domain}`);
    await send('POST', '/api/tenant/users', owner, { email, name: 'Ada', password: PASSWORD, roles: ['member'] });
    const ada = await identity.signedIn(email);
    await proveAddress(identity, ada);
    await require(owner);
    const wanted = newEmail();
    const change = { email: wanted, password: PASSWORD };
    const asked = () => send('POST', '/api/auth/email-change', ada, change);
    const { text } = await mailServer.sentBy(wanted, asked);
    const token = tokenIn(text);
    expect(await outcome(identity.post('/api/auth/email-change/confirm', { token }))).toEqual([
      403,
      'SINGLE_SIGN_ON_REQUIRED',
    ]);
    expect((await identity.me(ada.accessToken)).body.email).toBe(email);
  });

  it('keeps its other demands on sign-ins', async () => {
    const { owner } = await withProvider();
    await send('PUT', POLICY, owner, { secondFactor: 'required' });
    await require(owner);
    expect((await identity.login(owner.email)).body).toMatchObject({ mfaRequired: true, methods: ['mail'] });
    expect((await send('GET', POLICY, owner)).body).toEqual({ secondFactor: 'required' });
    await send('PUT', POLICY, owner, { secondFactor: 'optional' });
    expect((await send('GET', `${POLICY}/single-sign-on`, owner)).body).toEqual({ required: true });
  });
});

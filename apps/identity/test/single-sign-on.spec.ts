import type { ReceiverCertificate } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { auditOf, entryOf } from './audit.js';
import { type Answer, outcome, TestIdentity } from './identity.js';
import { MailServer } from './mail-server.js';
import { Browser } from './single-sign-on/browser.js';
import { certificate } from './single-sign-on/certificate.js';
import { RealProvider } from './single-sign-on/real-provider.js';
import { TextServer } from './single-sign-on/text-server.js';
import { addProvider, type Proven, proven, type Settings, settings } from './single-sign-on/workspace.js';

const mailServer = new MailServer();
const dns = new TextServer();
const changes: Parameters<typeof TestIdentity.prepared>[0] = {};
const identity = TestIdentity.prepared(changes);
let tls: ReceiverCertificate;
let provider: RealProvider;
let workspace: Proven;
let configured: Settings;

beforeAll(async () => {
  tls = await certificate();
  provider = await RealProvider.start(tls);
  await Promise.all([mailServer.listen(), dns.listen()]);
  const egress = { allow: [{ host: '127.0.0.1', port: provider.port }], ca: tls.ca, providerMs: 10_000 };
  changes.settings = { egress, nameServers: [dns.address] };
  await identity.open(mailServer.url);
  workspace = await proven(identity, dns);
  configured = await addProvider(identity, workspace.owner, { issuer: provider.issuer });
  await provider.register([configured.redirectUri]);
  const { id: clientId, secret: clientSecret } = provider.client;
  const path = `/api/tenant/identity-providers/${configured.id}`;
  const changed = await identity.send('PATCH', path, workspace.owner, { clientId, clientSecret, enabled: true });
  expect([changed.status, settings(changed)]).toMatchObject([200, { enabled: true, hasClientSecret: true }]);
});
afterAll(async () => {
  await identity.close();
  await Promise.all([mailServer, dns, provider].map((server) => server?.close()));
});

let people = 0;
/** Puts someone new in front of the browser. */
function person(email = `person-${people}@${workspace.domain}`): { sub: string; email: string } {
  people += 1;
  provider.person = { sub: `sub-${people}`, email, email_verified: true, name: 'Ada Lovelace' };
  return provider.person;
}

/** Signs in at the provider. @returns what the page learns, in its browser */
async function atProvider(
  body?: { fresh: boolean },
  browser = new Browser(identity, tls.ca),
): Promise<{ browser: Browser; learned: Record<string, string> }> {
  const learned = await browser.comeBack(await browser.visit(await browser.start(configured.signInId, body)));
  return { browser, learned };
}

async function signIn(body?: { fresh: boolean }, at?: Browser): Promise<Answer> {
  const { browser, learned } = await atProvider(body, at);
  return browser.exchange(learned.code ?? '');
}

/** Something that needs a recent proof. */
const enrolling = ({ body }: Answer) => outcome(identity.send('POST', '/api/auth/mfa/authenticator', body, {}));
const PROVEN = [201, undefined];
const UNPROVEN = [403, 'STEP_UP_REQUIRED'];

const me = async ({ body }: Answer) => (await identity.send('GET', '/api/auth/me', body)).body;
/** Invites someone. */
const invite = (email: string) =>
  identity.send('POST', '/api/tenant/users', workspace.owner, { email, name: 'Grace', roles: ['viewer'] });
const setStatus = (userId: string, status: 'active' | 'disabled') =>
  identity.changeUser(workspace.owner, userId, { status });

describe('signing in at the identity provider of a workspace', () => {
  it('is offered to every address of a proven domain, and to no other', async () => {
    const discover = async (email: string) => {
      const posted = await identity.post('/api/auth/oidc/discover', { email });
      // Clients from before ask with the address in the query.
      const queried = await identity.request('GET', `/api/auth/oidc/discover?email=${encodeURIComponent(email)}`);
      expect([posted.status, posted.body]).toEqual([200, queried.body]);
      return settings(posted).providers;
    };
    const offered = [{ id: configured.signInId, name: 'Their provider' }];
    expect(await discover(`nobody@${workspace.domain}`)).toEqual(offered);
    expect(await discover(`Nobody@${workspace.domain.toUpperCase()}`)).toEqual(offered);
    expect(await discover(workspace.owner.email)).toEqual([]);
    expect(await discover(`nobody@sub.${workspace.domain}`)).toEqual([]);
  });

  it('is not looked for with what is no address', async () => {
    for (const body of [{}, { email: 'nobody' }, { email: ['a@example.com'] }]) {
      const answer = await identity.post('/api/auth/oidc/discover', body);
      expect(await outcome(answer)).toEqual([422, 'VALIDATION_FAILED']);
    }
  });

  it('makes a user of the workspace at the first sign-in, and knows them by their id at the next', async () => {
    const { sub, email } = person();
    const first = await signIn();
    expect([first.status, first.body]).toMatchObject([200, { tokenType: 'Bearer', expiresIn: 900 }]);
    expect(await me(first)).toMatchObject({
      email,
      name: 'Ada Lovelace',
      roles: ['member'],
      tenant: { id: workspace.owner.tenantId },
    });
    provider.person = { sub, email: `renamed@${workspace.domain}`, email_verified: false, name: 'Somebody' };
    const second = await signIn();
    expect(decodeJwt(second.body.accessToken).sub).toBe(decodeJwt(first.body.accessToken).sub);
    expect(await me(second)).toMatchObject({ email });
  });

  it('links a user who has the address, tells them, and keeps their roles', async () => {
    const email = `existing-${people}@${workspace.domain}`;
    const added = await invite(email);
    expect([added.status, added.body.status]).toEqual([201, 'invited']);
    await mailServer.mailTo(email);
    person(email.toUpperCase());
    const since = mailServer.mails.length;
    expect(await me(await signIn())).toMatchObject({ id: added.body.id, name: 'Grace', roles: ['viewer'] });
    const told = await mailServer.mailTo(email, since);
    expect(told.text).toContain('Your account is linked to an identity provider');
    expect((await signIn()).status).toBe(200);
    expect(mailServer.mails.slice(since).filter(({ to }) => to === email)).toHaveLength(1);
  });

  it('is in the audit trail: who was brought or linked, and by what they signed in', async () => {
    const { owner, domain } = workspace;
    const entriesOf = async (userId: string) =>
      (await auditOf(identity, owner, `&subject=${userId}`)).map(({ action, actor, address, detail }) => [
        action,
        actor.id === userId && actor.kind === 'user',
        address,
        detail.providerId ?? detail.method ?? detail.reason ?? null,
      ]);
    person();
    const newcomer = await me(await signIn());
    await signIn();
    const signedIn = ['sign_in.succeeded', true, '127.0.0.1', 'identity_provider'];
    expect(await entriesOf(newcomer.id)).toEqual([
      signedIn,
      signedIn,
      ['user.provisioned', true, '127.0.0.1', configured.id],
    ]);

    const email = `trail-${people}@${domain}`;
    const { id } = (await invite(email)).body;
    person(email);
    await signIn();
    expect((await entriesOf(id)).slice(0, 3)).toEqual([
      signedIn,
      ['user.invitation_accepted', true, '127.0.0.1', configured.id],
      ['provider_link.made', true, '127.0.0.1', configured.id],
    ]);

    await setStatus(id, 'disabled');
    expect((await atProvider()).learned).toEqual({ error: 'SINGLE_SIGN_ON_REFUSED', reason: 'user_disabled' });
    await entryOf(identity, owner, 'sign_in.failed');
    expect((await entriesOf(id))[0]).toEqual(['sign_in.failed', false, '127.0.0.1', 'disabled']);
    // What the provider says of a person is not in it.
    expect(JSON.stringify(await auditOf(identity, owner))).not.toMatch(/@|sub-\d/);
  });

  it('is in the audit trail with the second factor that followed', async () => {
    person();
    const { id } = await me(await signIn());
    await identity.query(workspace.owner.tenantId, 'UPDATE app_user SET mfa_enabled = true WHERE id = $1', [id]);
    const since = mailServer.mails.length;
    const { challengeId } = (await signIn()).body;
    const { text } = await mailServer.mailTo(provider.person?.email ?? '', since);
    const code = /\b\d{6}\b/.exec(text)?.[0];
    expect((await identity.post('/api/auth/mfa/verify', { challengeId, code })).status).toBe(200);
    const [entry] = await auditOf(identity, workspace.owner, `&subject=${id}&action=sign_in.succeeded`);
    expect(entry?.detail.method).toBe('identity_provider+mail_code');
  });

  it('asks an erased person in as another user', async () => {
    person();
    const before = await me(await signIn());
    expect((await identity.send('POST', `/api/admin/users/${before.id}/erase`, workspace.owner)).status).toBe(204);
    const after = await me(await signIn());
    expect(after.id).not.toBe(before.id);
  });

  it('makes one user of two first sign-ins at once', async () => {
    person();
    const [one, other] = await Promise.all([signIn(), signIn()]);
    expect([one.status, other.status]).toEqual([200, 200]);
    expect(decodeJwt(one.body.accessToken).sub).toBe(decodeJwt(other.body.accessToken).sub);
  });

  it('works in two tabs of one browser', async () => {
    person();
    const browser = new Browser(identity, tls.ca);
    const [first, second] = [await browser.start(configured.signInId), await browser.start(configured.signInId)];
    for (const url of [second, first]) {
      const { code } = await browser.comeBack(await browser.visit(url));
      expect((await browser.exchange(code ?? '')).status).toBe(200);
    }
  });

  it('tells the page that the provider refused', async () => {
    provider.person = undefined;
    expect((await atProvider()).learned).toEqual({ error: 'SINGLE_SIGN_ON_FAILED' });
  });

  it('opens a session that ends with the user', async () => {
    person(`admin-${people}@${workspace.domain}`);
    const session = await signIn();
    const { id } = await me(session);
    expect((await setStatus(id, 'disabled')).status).toBe(200);
    expect((await identity.post('/api/auth/refresh', { refreshToken: session.body.refreshToken })).status).toBe(401);
    expect((await atProvider()).learned).toEqual({ error: 'SINGLE_SIGN_ON_REFUSED', reason: 'user_disabled' });
    expect((await setStatus(id, 'active')).body.status).toBe('active');
    expect((await signIn()).status).toBe(200);
  });

  it('is a recent proof when the person has just been asked, which a session at the provider is not', async () => {
    person();
    const browser = new Browser(identity, tls.ca);
    const first = await signIn(undefined, browser);
    const asked = provider.asked;
    // The provider knows them by its cookie, and they are not asked again.
    const silent = await signIn(undefined, browser);
    expect([first.status, silent.status, provider.asked]).toEqual([200, 200, asked]);
    expect(await enrolling(silent)).toEqual(UNPROVEN);
    const fresh = await signIn({ fresh: true }, browser);
    expect(provider.asked).toBe(asked + 1);
    expect(await enrolling(fresh)).toEqual(PROVEN);
  });

  it('is proven again in the session, at the provider', async () => {
    person();
    const browser = new Browser(identity, tls.ca);
    const session = await signIn(undefined, browser);
    expect(await enrolling(session)).toEqual(UNPROVEN);
    const asked = provider.asked;
    const sent = await browser.startStepUp(configured.signInId, session.body.accessToken);
    expect(await browser.comeBack(await browser.visit(sent))).toEqual({ proof: 'noted' });
    expect(provider.asked).toBe(asked + 1);
    expect(await enrolling(session)).toEqual(PROVEN);
  });

  it('dates the proof by what a provider says that always says it', async () => {
    await provider.register([configured.redirectUri], { require_auth_time: true });
    person();
    provider.signedInSecondsAgo = 5;
    expect(await enrolling(await signIn())).toEqual(PROVEN);
    person();
    provider.signedInSecondsAgo = 3600;
    expect(await enrolling(await signIn())).toEqual(UNPROVEN);
    provider.signedInSecondsAgo = 0;
    await provider.register([configured.redirectUri]);
  });

  it('refuses a user who is disabled between the answer and the exchange', async () => {
    person();
    const { id } = await me(await signIn());
    const { browser, learned } = await atProvider();
    await setStatus(id, 'disabled');
    expect((await browser.exchange(learned.code ?? '')).body.code).toBe('SINGLE_SIGN_ON_EXPIRED');
  });
});

import { RevocationWatch } from '@crm/messaging';
import { reinstateTenant, suspendTenant, waitUntil } from '@crm/testing';
import { describe, expect, it, jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import { MailCodes } from '../src/sign-in/guess-limits.js';
import { type Answer, newEmail, outcome } from './identity.js';
import { Browser } from './single-sign-on/browser.js';
import { type Begun, EXPIRED, FAILED, refused, Stage } from './single-sign-on/stage.js';
import type { Settings } from './single-sign-on/workspace.js';

const stage = Stage.ofFile();
const { identity } = stage;

const HOUR = 3600;
const seconds = () => Math.floor(Date.now() / 1000);

/** Something that needs a recent proof. */
const protectedCall = ({ body }: Answer) => identity.send('POST', '/api/auth/mfa/authenticator', body, {});
const isProven = async (session: Answer) => (await protectedCall(session)).status === 201;
const begunFresh = () => stage.begun(undefined, undefined, undefined, { fresh: true });
const signIn = async (claims: object, begun?: () => Promise<Begun>) => {
  stage.provider.claims = { ...claims };
  return stage.exchanged(await (begun ?? (() => stage.begun()))());
};
const signInWithCode = async (claims: object) => {
  const code = '135790';
  const mailed = jest.spyOn(identity.get(MailCodes), 'generate').mockReturnValueOnce(code);
  const { challengeId } = (await signIn(claims)).body;
  expect(mailed).toHaveBeenCalledTimes(1);
  mailed.mockRestore();
  return identity.post('/api/auth/mfa/verify', { challengeId, code });
};
/** Has a second factor asked of the user to whom a session belongs. */
const enableSecondFactor = ({ body }: Answer) =>
  identity.query(stage.workspace.owner.tenantId, 'UPDATE app_user SET mfa_enabled = true WHERE id = $1', [
    decodeJwt(body.accessToken).sub,
  ]);
const provenAtOf = async ({ body }: Answer): Promise<Date | null> => {
  const { sid, tid } = decodeJwt(body.accessToken) as { sid: string; tid: string };
  const sql = 'SELECT proven_at AS "provenAt" FROM session WHERE id = $1';
  const [row] = await identity.query<{ provenAt: Date | null }>(tid, sql, [sid]);
  if (!row) throw new Error('Session not found');
  return row.provenAt;
};

describe('a session that was opened at a provider', () => {
  it.each<[string, () => Record<string, unknown>]>([
    ['does not say when', () => ({})],
    ['did so an hour ago', () => ({ auth_time: seconds() - HOUR })],
  ])('has no recent proof where the provider that authenticated the person %s', async (_what, claims) => {
    const session = await signIn(claims());
    expect(session.status).toBe(200);
    expect(await outcome(protectedCall(session))).toEqual([403, 'STEP_UP_REQUIRED']);
  });

  it('was proven at the time of the authentication, not at that of the token', async () => {
    const at = seconds() - 300;
    const session = await signIn({ auth_time: at });
    expect(await provenAtOf(session)).toEqual(new Date(at * 1000));
    expect(await isProven(session)).toBe(true);
  });

  it('is proven now, not later, where the clock of the provider is ahead', async () => {
    const session = await signIn({ auth_time: seconds() + 30 });
    expect((await provenAtOf(session))?.getTime()).toBeLessThanOrEqual(Date.now());
  });

  it.each<[string, unknown]>([
    ['is ten minutes ahead', seconds() + 600],
    ['is no number', String(seconds())],
  ])('is none where the time %s', async (_what, authTime) => {
    stage.provider.claims = { auth_time: authTime };
    expect(await stage.outcome()).toEqual(FAILED);
  });

  it('is not proven by the code of a mail that followed', async () => {
    const claims = {
      sub: 'with-mail-code',
      email: `with-mail-code@${stage.workspace.domain}`,
      auth_time: seconds() - HOUR,
    };
    await enableSecondFactor(await signIn(claims));
    const session = await signInWithCode(claims);
    expect([session.status, await isProven(session)]).toEqual([200, false]);
  });

  it('does not make the device known, whose guesses at the password would be its own', async () => {
    const { email } = await stage.colleague();
    const direct = await signIn({ sub: email, email });
    await enableSecondFactor(direct);
    for (const { status, headers } of [direct, await signInWithCode({ sub: email, email })]) {
      expect([status, headers.get('x-device-token')]).toEqual([200, null]);
    }
  });
});

describe('a sign-in at a provider that has to be fresh', () => {
  it('has the person asked, and the time said', async () => {
    const { sent } = await begunFresh();
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({ prompt: 'login', max_age: '600' });
    const ordinary = (await stage.begun()).sent.searchParams;
    expect([ordinary.get('prompt'), ordinary.get('max_age')]).toEqual([null, null]);
  });

  it('opens a session that is proven', async () => {
    expect(await isProven(await signIn({ auth_time: seconds() }, begunFresh))).toBe(true);
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['says no time', () => ({})],
    ['has authenticated the person an hour ago', () => ({ auth_time: seconds() - HOUR })],
  ])('is refused, and makes nobody, where the provider %s', async (_what, claims) => {
    stage.provider.claims = claims();
    const { browser, state } = await begunFresh();
    expect(await browser.comeBack(stage.callback(state))).toEqual(refused('not_recent'));
    const email = String(stage.provider.person.email);
    const claimed = await identity.queryAll('SELECT 1 FROM sign_in_email WHERE email = $1', [email]);
    expect(claimed).toEqual([]);
  });
});

describe('a step-up at a provider', () => {
  /** Someone with a session whose proof is too old, and the claims by which the provider knows them. */
  const stale = async (): Promise<{ session: Answer; person: Record<string, unknown> }> => {
    const name = newEmail().replace(/@.*/, '');
    const person = { sub: name, email: `${name}@${stage.workspace.domain}` };
    const session = await signIn(person);
    expect(await isProven(session)).toBe(false);
    return { session, person };
  };
  /** Goes to the provider, which says so. @returns what the page learns */
  const stepUp = async (
    { body }: Answer,
    claims: Record<string, unknown>,
    { at = stage.configured, meanwhile }: { at?: Settings; meanwhile?: () => Promise<unknown> } = {},
  ) => {
    const browser = new Browser(identity);
    const sent = await browser.startStepUp(at.signInId, body.accessToken);
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({ prompt: 'login', max_age: '600' });
    stage.provider.claims = claims;
    stage.provider.person = { nonce: sent.searchParams.get('nonce') };
    await meanwhile?.();
    return browser.comeBack(stage.callback(sent.searchParams.get('state') ?? '', { at }));
  };

  it('proves the session', async () => {
    const { session, person } = await stale();
    expect(await stepUp(session, { ...person, auth_time: seconds() })).toEqual({ proof: 'noted' });
    expect(await isProven(session)).toBe(true);
  });

  it('does not take back a proof that is younger', async () => {
    const { session, person } = await stale();
    await stepUp(session, { ...person, auth_time: seconds() });
    const before = await provenAtOf(session);
    expect(await stepUp(session, { ...person, auth_time: seconds() - 500 })).toEqual({ proof: 'noted' });
    expect(await provenAtOf(session)).toEqual(before);
  });

  it.each<[string, (person: Record<string, unknown>) => Record<string, unknown>, string]>([
    ['somebody else', () => ({ sub: 'somebody-else', auth_time: seconds() }), 'another_user'],
    [
      'somebody else with the address of the user',
      ({ email }) => ({ sub: 'x', email, auth_time: seconds() }),
      'another_user',
    ],
    ['the user, nobody knows when', (person) => person, 'not_recent'],
    ['the user, an hour ago', (person) => ({ ...person, auth_time: seconds() - HOUR }), 'not_recent'],
  ])('is refused where the provider has authenticated %s', async (_whom, claimsOf, reason) => {
    const { session, person } = await stale();
    expect(await stepUp(session, claimsOf(person))).toEqual(refused(reason));
    expect(await isProven(session)).toBe(false);
  });

  it('is completed in the browser that began it only, and once', async () => {
    const { session, person } = await stale();
    const browser = new Browser(identity);
    const sent = await browser.startStepUp(stage.configured.signInId, session.body.accessToken);
    const callback = stage.callback(sent.searchParams.get('state') ?? '');
    stage.provider.claims = { ...person, auth_time: seconds() };
    stage.provider.person = { nonce: sent.searchParams.get('nonce') };
    const victim = new Browser(identity);
    await victim.start(stage.configured.signInId);
    expect(await victim.comeBack(callback)).toEqual(EXPIRED);
    expect(await isProven(session)).toBe(false);
    expect(await browser.comeBack(callback)).toEqual({ proof: 'noted' });
    expect(await browser.comeBack(callback)).toEqual(EXPIRED);
  });

  it('proves no session that has ended meanwhile', async () => {
    const { session, person } = await stale();
    const signOutEverywhere = () => identity.send('DELETE', '/api/auth/sessions', session.body);
    const claims = { ...person, auth_time: seconds() };
    expect(await stepUp(session, claims, { meanwhile: signOutEverywhere })).toEqual(EXPIRED);
    const another = await stale();
    const signOut = () => identity.send('POST', '/api/auth/logout', another.session.body);
    const others = { ...another.person, auth_time: seconds() };
    expect(await stepUp(another.session, others, { meanwhile: signOut })).toEqual({ error: 'TOKEN_REVOKED' });
  });

  it('needs the second factor of the provider where the account has one', async () => {
    const at = await stage.add(stage.workspace, stage.provider, { secondFactorValues: ['mfa'] });
    const { session, person } = await stale();
    await enableSecondFactor(session);
    const claims = { ...person, auth_time: seconds() };
    expect(await stepUp(session, claims, { at })).toEqual(refused('second_factor_missing'));
    expect(await isProven(session)).toBe(false);
    expect(await stepUp(session, { ...claims, amr: ['pwd', 'mfa'] }, { at })).toEqual({ proof: 'noted' });
    expect(await isProven(session)).toBe(true);
  });
});

describe('the identity provider of a suspended workspace', () => {
  it('makes nobody a user of it, and the person is told', async () => {
    const { tenantId } = stage.workspace.owner;
    const email = `newcomer@${stage.workspace.domain}`;
    stage.provider.claims = { sub: 'newcomer', email };
    const users = () => identity.query(tenantId, 'SELECT id FROM app_user WHERE email = $1', [email]);
    const settles = (isSuspended: boolean) =>
      waitUntil(() => identity.get(RevocationWatch).isSuspended(tenantId) === isSuspended, { timeoutMs: 1_000 });
    await suspendTenant(tenantId);
    await settles(true);
    expect(await stage.outcome()).toEqual({ error: 'WORKSPACE_SUSPENDED' });
    expect(await users()).toEqual([]);
    await reinstateTenant(tenantId);
    await settles(false);
    expect(await stage.outcome()).toEqual({ code: expect.any(String) });
    expect(await users()).toHaveLength(1);
  });
});

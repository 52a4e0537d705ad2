import { Database } from '@crm/database';
import { waitUntil } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { confirm, enrol, TestAuthenticator } from './authenticators.js';
import { type Account, type Answer, TestIdentity, USERS } from './identity.js';
import { decide, installed, pkce, requestOf } from './oauth.js';
import { optionsFor, passkeyAccount } from './passkeys.js';
import { SoftwareAuthenticator } from './software-authenticator.js';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const WAITING = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/** What a change of the password does to the sessions, with the act begun before it commits. */
async function actWhileSessionEnds(
  { tenantId }: Account,
  act: () => Promise<{ status: number; body: { code: string } }>,
): Promise<{ status: number; body: { code: string } } | undefined> {
  const database = identity.get(Database);
  let acting: ReturnType<typeof act> | undefined;
  await database.transaction(tenantId, async (tx) => {
    await tx.query('SELECT 1 FROM app_user WHERE tenant_id = $1 FOR UPDATE', [tenantId]);
    acting = act();
    // In transactions of their own: what a transaction sees of other connections does not change.
    const isWaiting = async () => (await database.transaction(tenantId, (other) => other.query(WAITING))).length > 0;
    await waitUntil(isWaiting, { describe: 'the act to wait for the user' });
    await tx.query('DELETE FROM session WHERE tenant_id = $1', [tenantId]);
  });
  return acting;
}

const rows = (account: Account, sql: string) => identity.query(account.tenantId, sql);

describe('a session that ends while its user is changed', () => {
  it('lets no app act for the user', async () => {
    const app = await installed(identity);
    const request = await requestOf(identity, app, pkce().challenge);
    const answer = await actWhileSessionEnds(app.admin, () => decide(identity, app.admin, request));
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(app.admin, 'SELECT 1 FROM oauth_code')).toEqual([]);
  });

  it('adds no passkey', async () => {
    const account = await identity.account();
    const authenticator = new SoftwareAuthenticator(USERS.origins[0] ?? '');
    const { challengeId, publicKey } = await optionsFor(identity, '/api/auth/passkeys/options', account.accessToken);
    const credential = authenticator.create(publicKey);
    const answer = await actWhileSessionEnds(account, () =>
      identity.post('/api/auth/passkeys', { challengeId, credential }, account.accessToken),
    );
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(account, 'SELECT 1 FROM passkey')).toEqual([]);
  });

  it('removes no passkey', async () => {
    const { account, passkeyId } = await passkeyAccount(identity);
    const answer = await actWhileSessionEnds(account, () =>
      identity.request('DELETE', `/api/auth/passkeys/${passkeyId}`, { token: account.accessToken }),
    );
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(account, 'SELECT 1 FROM passkey')).toHaveLength(1);
  });

  it('begins no enrolment', async () => {
    const account = await identity.account();
    const answer = await actWhileSessionEnds(account, () =>
      identity.post('/api/auth/mfa/authenticator', {}, account.accessToken),
    );
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(account, 'SELECT 1 FROM authenticator')).toEqual([]);
  });

  it('removes no authenticator', async () => {
    const account = await identity.account();
    await enrol(identity, account);
    const answer = await actWhileSessionEnds(account, () =>
      identity.request('DELETE', '/api/auth/mfa/authenticator', { token: account.accessToken }),
    );
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(account, 'SELECT 1 FROM authenticator')).toHaveLength(1);
  });

  it('adds no authenticator', async () => {
    const account = await identity.account();
    const started: Answer = await identity.post('/api/auth/mfa/authenticator', {}, account.accessToken);
    const app = new TestAuthenticator(identity, account.tenantId, started.body.secret);
    const answer = await actWhileSessionEnds(account, () => confirm(identity, account, app.code()));
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(account, 'SELECT 1 FROM authenticator WHERE confirmed_at IS NOT NULL')).toEqual([]);
  });

  it('replaces no recovery codes', async () => {
    const account = await identity.account();
    await enrol(identity, account);
    const before = await rows(account, 'SELECT * FROM recovery_code');
    const answer = await actWhileSessionEnds(account, () =>
      identity.post('/api/auth/mfa/recovery-codes', undefined, account.accessToken),
    );
    expect(answer?.body.code).toBe('STEP_UP_REQUIRED');
    expect(await rows(account, 'SELECT * FROM recovery_code')).toEqual(before);
  });
});

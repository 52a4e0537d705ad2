import { Database } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashRecoveryCode } from '../src/sign-in/recovery-code/recovery-code.js';
import { protectedAccount } from './authenticators.js';
import { TestIdentity } from './identity.js';

/** As an earlier version has made them: 80 bits. */
const EARLIER_CODE = 'ABCD-EFGH-IJKL-MNOP';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await TestIdentity.start();
});
afterAll(() => identity?.close());

const signIn = async (email: string, code: string) => {
  const { challengeId } = (await identity.login(email)).body;
  return (await identity.post('/api/auth/mfa/verify', { challengeId, code })).status;
};

describe('recovery codes', () => {
  it('have 120 bits, and are accepted however they are written', async () => {
    const { account, recoveryCodes } = await protectedAccount(identity);
    // Five bits a character.
    for (const code of recoveryCodes) expect(code).toMatch(/^([A-Z2-7]{4}-){5}[A-Z2-7]{4}$/);
    const [first = '', second = '', third = ''] = recoveryCodes;
    expect(await signIn(account.email, first)).toBe(200);
    expect(await signIn(account.email, second.replaceAll('-', '').toLowerCase())).toBe(200);
    expect(await signIn(account.email, third.slice(0, 19))).toBe(401);
  });

  it('of an earlier version stay valid, once each', async () => {
    const { account } = await protectedAccount(identity);
    const { tenantId, userId, email } = account;
    const row = [tenantId, userId, hashRecoveryCode(userId, EARLIER_CODE)];
    await identity
      .get(Database)
      .transaction(tenantId, (tx) =>
        tx.query('INSERT INTO recovery_code (tenant_id, user_id, code_hash) VALUES ($1, $2, $3)', row),
      );
    expect(await signIn(email, EARLIER_CODE)).toBe(200);
    expect(await signIn(email, EARLIER_CODE)).toBe(401);
  });
});

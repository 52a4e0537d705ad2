import { describe, expect, it } from '@jest/globals';
import { entryOf } from './audit.js';
import { enrol } from './authenticators.js';
import { type Account, withMail } from './identity.js';
import { TestKeys } from './keys.js';
import { newAuthenticator, register, signIn } from './passkeys.js';
import { enter, joined, prove } from './persons.js';

const { identity, mailServer } = withMail();
const reset = (by: Account, userId: string) => identity.send('DELETE', `/api/tenant/users/${userId}/second-factor`, by);

describe('resetting the second factor of a member', () => {
  it('removes all that they have lost, ends their sessions, and tells them by mail', async () => {
    const { owner, admin, member } = await identity.team('admin', 'member');
    await enrol(identity, member);
    const passkey = newAuthenticator();
    expect((await register(identity, member, passkey)).status).toBe(201);
    const keys = await TestKeys.connect(identity);
    const { key } = await keys.make(member);
    const begun = await identity.login(member.email);
    expect(begun.body).toMatchObject({ mfaRequired: true });

    const notice = 'An administrator of your workspace has reset the second factor';
    const { answer } = await mailServer.sentBy(member.email, () => reset(admin, member.userId), notice);
    expect(answer.status).toBe(204);
    await identity.refuses(member.accessToken);
    expect((await identity.refresh(member.refreshToken)).status).toBe(401);
    expect((await signIn(identity, passkey)).status).toBe(401);
    const tables = ['authenticator', 'recovery_code', 'passkey', 'mfa_challenge'];
    for (const table of tables) {
      const rows = await identity.query(owner.tenantId, `SELECT 1 FROM ${table} WHERE user_id = $1`, [member.userId]);
      expect([table, rows]).toEqual([table, []]);
    }
    expect((await identity.signedIn(member.email)).userId).toBe(member.userId);
    expect(await entryOf(identity, owner, 'user.factor_reset')).toMatchObject({
      ...{ actor: { id: admin.userId }, subject: { id: member.userId } },
    });
    // What programs do with keys has nothing to do with what was lost.
    expect((await keys.current(await keys.exchange(key))).status).toBe(200);
    await keys.close();
  });

  it('leaves what the person has in another workspace', async () => {
    const [home, client] = [await identity.account(), await identity.account()];
    await prove(identity, home);
    const there = await joined(identity, home, client);
    await enrol(identity, await enter(identity, home));
    expect((await reset(client, there.userId)).status).toBe(204);
    expect((await identity.login(home.email)).body).toMatchObject({ mfaRequired: true });
  });
});

import { Database } from '@crm/database';
import { RevocationWatch } from '@crm/messaging';
import { reinstateTenant, suspendTenant, waitUntil } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Stage } from './single-sign-on/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.set();
});
afterAll(() => stage?.close());
beforeEach(() => stage.reset());

describe('the identity provider of a suspended workspace', () => {
  it('makes nobody a user of it, and the person is told', async () => {
    const { identity, provider, workspace } = stage;
    const { tenantId } = workspace.owner;
    const email = `newcomer@${workspace.domain}`;
    provider.claims = { sub: 'newcomer', email };
    const users = () =>
      identity
        .get(Database)
        .transaction(tenantId, (tx) => tx.query('SELECT id FROM app_user WHERE email = $1', [email]));
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

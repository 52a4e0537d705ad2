import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { client } from '../../scripts/demo/client.mjs';
import { api, newWorkspace, PASSWORD } from '../platform/accounts.js';
import { addresses } from '../platform/addresses.js';
import { inIdentity } from '../platform/identity-database.js';
import { createOperator, operatorToken } from '../platform/operators.js';
import { apiKeyOf } from './house.js';
import { type DocumentedRoute, documentedRoutes, inParallel, isOfOperators, nameOf, withParameters } from './routes.js';
import { REFUSALS } from './rules.js';
import { claimsOf } from './signer.js';

/** What issue 24 names, whatever the rules say of themselves. */
const NAMED: readonly string[] = [
  'POST /api/marketplace/developer/apps/{key}/webhook-secret',
  'POST /api/webhooks/subscriptions',
  'PATCH /api/webhooks/subscriptions/{id}',
  'DELETE /api/webhooks/subscriptions/{id}',
  'POST /api/webhooks/subscriptions/{id}/rotate-secret',
  'POST /api/admin/submissions/{id}/publish',
  'POST /api/admin/apps/{key}/{decision}',
  'PATCH /api/admin/tenants/{id}',
];

/** The session of a token was proven longer ago than any profile lets a proof count. */
async function ageProof(token: string): Promise<void> {
  const rows = await inIdentity(
    `UPDATE session SET proven_at = now() - interval '25 hours' WHERE id = $1 RETURNING id`,
    [claimsOf(token).sid],
  );
  expect(rows).toHaveLength(1);
}

describe('every route whose rule asks for a proof', () => {
  let routes: DocumentedRoute[];

  beforeAll(async () => {
    routes = (await documentedRoutes()).filter((route) => route.access?.proof || NAMED.includes(nameOf(route)));
  });

  /** Calls each route, and holds what it answers. */
  async function outcomes(asked: readonly DocumentedRoute[], token: string): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    await inParallel(asked, async (route) => {
      const url = addresses.services[route.service]?.url as string;
      const hasBody = route.method === 'POST' || route.method === 'PUT' || route.method === 'PATCH';
      const { status, body } = await client(url)(
        route.method,
        withParameters(route.path, () => randomUUID()),
        {
          token,
          ...(hasBody && { body: {} }),
        },
      );
      found.set(nameOf(route), `${status} ${body?.code} ${JSON.stringify(body?.proofs)}`);
    });
    return found;
  }

  async function holdToProof(asked: readonly DocumentedRoute[], token: string): Promise<void> {
    await ageProof(token);
    const refused = [...(await outcomes(asked, token))].filter(
      ([, text]) => text !== '403 STEP_UP_REQUIRED ["password"]',
    );
    expect(refused).toEqual([]);
    const url = addresses.services[asked[0]?.service === 'marketplace-admin' ? 'marketplace-admin' : 'identity']?.url;
    const { status } = await client(url as string)('POST', '/api/auth/step-up', {
      token,
      body: { password: PASSWORD },
    });
    expect(status).toBe(204);
    const passed = [...(await outcomes(asked, token))].filter(([, text]) =>
      REFUSALS.includes(text.split(' ')[1] ?? ''),
    );
    expect(passed).toEqual([]);
  }

  it('includes secrets, receivers of webhooks, publishing, revoking and plans', () => {
    const proven = new Set(routes.filter(({ access }) => access?.proof).map(nameOf));
    expect(NAMED.filter((name) => !proven.has(name))).toEqual([]);
  });

  it('refuses a session with an old proof, and accepts the same token once the password is proven', async () => {
    const { token } = await newWorkspace('enterprise');
    await holdToProof(
      routes.filter((route) => !isOfOperators(route)),
      token,
    );
  });

  it('lets an API key in by its scope, and the audit trail has what it did', async () => {
    const owner = await newWorkspace('enterprise');
    const { key } = await apiKeyOf(owner, ['webhooks']);
    await ageProof(owner.token);
    const body = { url: 'https://hooks.example.com/a/secret/path', events: ['lead.*'] };
    const refused = await api('POST', '/api/webhooks/subscriptions', { token: owner.token, body });
    expect([refused.status, refused.body.code]).toEqual([403, 'STEP_UP_REQUIRED']);
    const { body: added } = await api('POST', '/api/webhooks/subscriptions', { token: key, body, expect: 201 });
    const { body: trail } = await api('GET', `/api/admin/audit?subject=${added.id}`, { token: owner.token });
    expect(trail.data).toMatchObject([
      {
        action: 'webhook.added',
        actor: { kind: 'user', id: owner.userId },
        subject: { kind: 'subscription' },
        detail: { host: 'hooks.example.com', events: ['lead.*'] },
      },
    ]);
    expect(JSON.stringify(trail)).not.toContain('/a/secret');
  });

  it('of the operators does the same', async () => {
    const email = `administrator-${randomUUID()}@platform.test`;
    await createOperator(email, 'administrator');
    await holdToProof(routes.filter(isOfOperators), await operatorToken(email));
  });
});

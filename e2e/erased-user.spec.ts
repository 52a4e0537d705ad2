import { expect, it } from '@jest/globals';
import { client, eventually } from '../scripts/demo/client.mjs';
import { api, newUser, newWorkspace } from './platform/accounts.js';
import { addresses } from './platform/addresses.js';

/** A route of each service behind the gateway that every user may read. */
const READ_BY_ALL: readonly (readonly [service: string, path: string])[] = [
  ['identity', '/api/auth/me'],
  ['custom-objects', '/api/crm/leads'],
  ['marketplace-certification', '/api/marketplace/apps'],
  ['automation-hooks', '/api/crm/automations/workflows'],
];

it('the tokens of an erased user are refused by every service within a second', async () => {
  const owner = await newWorkspace();
  const { token, userId } = await newUser(owner, 'member');
  const statuses = () =>
    Promise.all(
      READ_BY_ALL.flatMap(([service, path]) =>
        [addresses.baseUrl, addresses.services[service]?.url as string].map(
          async (url) => (await client(url)('GET', path, { token })).status,
        ),
      ),
    );
  expect(new Set(await statuses())).toEqual(new Set([200]));
  await api('POST', `/api/admin/users/${userId}/erase`, { token: owner.token, expect: 204 });
  const refused = async () => (await statuses()).every((status) => status === 401);
  await eventually(refused, 'The refusal of the erased user', 1_000);
  const { body } = await api('GET', '/api/admin/audit?action=user.erased', { token: owner.token, expect: 200 });
  expect(body.data).toMatchObject([
    { actor: { id: owner.userId, name: 'Owner' }, subject: { id: userId, name: null } },
  ]);
});

import type { Principal } from '@crm/access';
import type { Plan } from '@crm/contracts';
import { expect, it } from '@jest/globals';
import { TenantRpc } from './tenant.rpc.js';
import type { TenantService } from './tenant.service.js';

it('only an operator sets the plan of a tenant, not the owner of one', async () => {
  const changed: Plan[] = [];
  const tenants = { setPlan: async (_operator: Principal, _tenantId: string, plan: Plan) => void changed.push(plan) };
  const handler = new TenantRpc(tenants as unknown as TenantService);
  const request = { tenantId: '0199aa00-0000-7000-8000-000000000001', plan: 'business' as const };
  const callAs = (kind: Principal['kind']) =>
    handler.setPlan(request, { kind, roles: ['owner'] } as unknown as Principal);
  for (const kind of ['user', 'app', 'embed', 'internal'] as const) {
    await expect(callAs(kind)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  }
  expect(changed).toEqual([]);
  await callAs('operator');
  expect(changed).toEqual(['business']);
});

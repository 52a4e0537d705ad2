import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Crm, type List, startCrm } from './crm-service.js';

let crm: Crm;
beforeAll(async () => {
  crm = await startCrm();
});
afterAll(() => crm.close());

it('counting stops at 10,000 unless an exact count is asked for', async () => {
  const { tenantId, call } = await crm.tenant();
  await crm.admin.query(
    `INSERT INTO company (tenant_id, id, name, search_text)
     SELECT $1, gen_random_uuid(), 'Company ' || n, 'company ' || n FROM generate_series(1, 10001) AS n`,
    [tenantId],
  );
  const list = async (query: string) => (await call<List>('GET', `/api/crm/companies?${query}`)).body;
  expect(await list('size=1')).toMatchObject({ total: 10_000, totalIsExact: false, hasMore: true });
  expect(await list('size=1&count=exact')).toMatchObject({ total: 10_001, totalIsExact: true });
  expect(await list('size=1&q=company%2010001')).toMatchObject({ total: 1, totalIsExact: true, hasMore: false });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { type CustomObjectsService, startCustomObjects, type Tenant } from './custom-objects-service.js';

const PATH = '/api/crm/custom/dossier/records';
const DOSSIER: DeclaredObject = {
  apiName: 'dossier',
  fields: [
    { apiName: 'title', type: 'text' },
    { apiName: 'notes', type: 'textarea' },
    { apiName: 'stage', type: 'picklist', options: ['open', 'shut'] },
    { apiName: 'rank', type: 'number' },
    { apiName: 'diagnosis', type: 'text', readRoles: ['doctor', 'admin'] },
    { apiName: 'therapy', type: 'text', readRoles: ['admin', 'doctor'] },
    { apiName: 'salary', type: 'text', readRoles: ['payroll'] },
  ],
};

type Body = Record<string, unknown> & { data: { id: string; title: string }[]; nextCursor: string };

describe('a search of records', () => {
  let app: CustomObjectsService;
  let tenant: Tenant;
  let doctor: string;
  let payroll: string;
  beforeAll(async () => {
    app = await startCustomObjects();
    tenant = await app.tenant('business', [DOSSIER]);
    doctor = await tenant.sign({ roles: ['member', 'doctor'] });
    payroll = await tenant.sign({ roles: ['member', 'payroll'] });
  });
  afterAll(() => app?.close());

  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, token: string, body?: object) =>
    app.service.request<Body>(method, path, { token, ...(body && { body }) });
  const create = async (body: object, token = tenant.admin) => {
    const answer = await call('POST', PATH, token, body);
    expect(answer.status).toBe(201);
    return answer.body.id as string;
  };
  const find = async (q: string, token: string, more = '') => {
    const { status, body } = await call('GET', `${PATH}?q=${encodeURIComponent(q)}${more}`, token);
    expect(status).toBe(200);
    return body;
  };
  const titles = async (q: string, token: string, more = '') =>
    (await find(q, token, more)).data.map(({ title }) => title);

  it('finds each value for those who can read it, and for nobody else', async () => {
    await create({ title: 'Müller', diagnosis: 'Scarlatina', therapy: 'Penicillin' });
    const paid = await create({ title: 'Maier' });
    expect((await call('PATCH', `${PATH}/${paid}`, payroll, { salary: 'Munificent' })).status).toBe(200);
    for (const token of [tenant.admin, doctor]) {
      expect(await titles('scarlatina', token)).toEqual(['Müller']);
      expect(await titles('PENICILL', token)).toEqual(['Müller']);
    }
    expect(await titles('munificent', payroll)).toEqual(['Maier']);
    for (const token of [tenant.member, payroll]) expect(await titles('scarlatina', token)).toEqual([]);
    for (const token of [tenant.member, tenant.admin, doctor]) expect(await titles('munificent', token)).toEqual([]);
    expect(await titles('muller', tenant.member)).toEqual(['Müller']);
    // One record, although two of its texts match.
    await create({ title: 'Twofold', diagnosis: 'Twofold' });
    expect(await find('twofold', doctor)).toMatchObject({ total: 1, data: [{ title: 'Twofold' }] });
  });

  it('follows changes and deletion', async () => {
    const id = await create({ title: 'Before', diagnosis: 'Measles', rank: 1 });
    await call('PATCH', `${PATH}/${id}`, doctor, { title: 'Afterwards', diagnosis: null });
    expect(await titles('before', tenant.admin)).toEqual([]);
    expect(await titles('measles', tenant.admin)).toEqual([]);
    expect(await titles('afterw', tenant.member)).toEqual(['Afterwards']);
    await call('PATCH', `${PATH}/${id}`, tenant.member, { rank: 2 });
    expect(await titles('afterw', tenant.member)).toEqual(['Afterwards']);
    expect((await call('DELETE', `${PATH}/${id}`, tenant.admin)).status).toBe(204);
    expect(await titles('afterw', tenant.member)).toEqual([]);
  });

  it('is one more condition beside a filter and an order', async () => {
    await create({ title: 'Ledger one', stage: 'open', rank: 2 });
    await create({ title: 'Ledger two', stage: 'shut', rank: 1 });
    await create({ title: 'Ledger three', stage: 'open', rank: 1 });
    expect(await titles('ledger', tenant.member)).toEqual(['Ledger three', 'Ledger two', 'Ledger one']);
    expect(await titles('ledger', tenant.member, '&filterField=stage&filterValue=open')).toEqual([
      'Ledger three',
      'Ledger one',
    ]);
    expect(await titles('ledger', tenant.member, '&sort=rank&filterField=stage&filterValue=open')).toEqual([
      'Ledger three',
      'Ledger one',
    ]);
    expect(await titles('er', tenant.member, '&sort=-title&filterField=stage&filterValue=shut')).toEqual([
      'Ledger two',
    ]);
    expect(await titles('ledger', tenant.member, '&sort=createdAt')).toEqual([
      'Ledger one',
      'Ledger two',
      'Ledger three',
    ]);
  });

  it('comes in pages, by number and by cursor, and is counted when that is asked for', async () => {
    for (let index = 0; index < 7; index += 1) await create({ title: `Paged ${index}` });
    const first = await find('paged', tenant.member, '&size=3');
    expect(first).toMatchObject({ total: 7, totalIsExact: true, hasMore: true });
    expect(first.data.map(({ title }) => title)).toEqual(['Paged 6', 'Paged 5', 'Paged 4']);
    const second = await find('paged', tenant.member, `&size=3&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ total: null, totalIsExact: false, hasMore: true });
    expect(second.data).toEqual((await find('paged', tenant.member, '&size=3&page=2')).data);
    expect(await find('paged', tenant.member, '&size=3&page=3&count=exact')).toMatchObject({
      total: 7,
      hasMore: false,
    });
    expect(await find('paged', tenant.member, '&count=none')).toMatchObject({ total: null, totalIsExact: false });
    expect(await find('paged 9', tenant.member)).toMatchObject({ total: 0, totalIsExact: true, data: [] });
  });

  it('takes what is special to patterns as it stands, and has no smallest length', async () => {
    await create({ title: '100% of C:\\dir_x' });
    for (const q of ['100%', '% of', 'c:\\dir', 'r_x', '0%', '%', '\\']) {
      expect(await titles(q, tenant.member)).toEqual(['100% of C:\\dir_x']);
    }
    expect(await titles('r%x', tenant.member)).toEqual([]);
    expect((await call('GET', `${PATH}?q=%00`, tenant.member)).status).toBe(400);
  });

  it('looks at the first 8,000 characters of the texts together, without those that folding removes', async () => {
    const start = `${' '.repeat(20_000)}a\u0301${' '.repeat(20_000)}`;
    await create({ title: 'Long', notes: `${start}word ${'x'.repeat(7_990)} needle` });
    await create({ title: 'Longer', notes: `word ${'x'.repeat(8_100)} needle` });
    expect(await titles('needle', tenant.member)).toEqual([]);
    expect(await titles('a word xxx', tenant.member)).toEqual(['Long']);
    await create({ title: 'Short enough', notes: `${start}word ${'x'.repeat(7_000)} needle` });
    expect(await titles('needle', tenant.member)).toEqual(['Short enough']);
  });
});

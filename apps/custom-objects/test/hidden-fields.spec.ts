import { randomUUID } from 'node:crypto';
import { Database } from '@crm/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DeclaredObject } from '../src/object/object-definition.js';
import { type CustomObjectsService, RECORDS, startCustomObjects, type Tenant } from './custom-objects-service.js';

const hidden = { readRoles: ['admin'] };

/** An object with fields that members write and do not read. Certification refuses the unique one. */
const VISIT: DeclaredObject = {
  apiName: 'site_visit',
  fields: [
    { apiName: 'title', type: 'text', is_unique: true },
    { apiName: 'badge', type: 'text', is_unique: true, ...hidden },
    { apiName: 'stage', type: 'picklist', options: ['secret_stage'], ...hidden },
    { apiName: 'tags', type: 'multi_select', options: ['secret_tag'], ...hidden },
    {
      apiName: 'score',
      label: 'Secret score',
      type: 'number',
      validationRules: [{ type: 'max', value: 77, message: 'Secret message' }],
      ...hidden,
    },
    { apiName: 'pin', type: 'text', validationRules: [{ type: 'regex', value: '^77$' }], ...hidden },
    { apiName: 'lead', label: 'Secret lead', type: 'reference', referenceTarget: 'lead', ...hidden },
    {
      apiName: 'parent',
      label: 'Secret parent',
      type: 'reference',
      referenceTarget: 'custom:site_visit',
      ...hidden,
    },
  ],
};

describe('a field that the caller cannot read', () => {
  let app: CustomObjectsService;
  let tenant: Tenant;
  beforeAll(async () => {
    app = await startCustomObjects();
    tenant = await app.tenant('business', [VISIT]);
  });
  afterAll(() => app?.close());

  const call: CustomObjectsService['call'] = (...request) => app.call(...request);

  it('does not reveal a guessed unique value by a conflict, alone or beside another one', async () => {
    const title = randomUUID();
    expect((await call('POST', RECORDS, tenant.admin, { title, badge: 'B-7' })).status).toBe(201);
    const answers = await Promise.all(
      ['B-7', 'B-8'].flatMap((badge) => [
        call('POST', RECORDS, tenant.member, { title, badge }),
        call('POST', RECORDS, tenant.member, { title: randomUUID(), badge }),
      ]),
    );
    for (const { status, body } of answers) {
      expect([status, body.code]).toEqual([403, 'FIELD_ACCESS_DENIED']);
      expect(body.errors).toEqual([expect.objectContaining({ pointer: '/badge' })]);
    }
    const { body: mine } = await call('POST', RECORDS, tenant.member, { title: randomUUID() });
    for (const badge of ['B-7', 'B-8', null]) {
      expect((await call('PATCH', `${RECORDS}/${mine.id}`, tenant.member, { badge })).status).toBe(403);
    }
    const { body: definition } = await call('GET', '/api/crm/custom/site_visit', tenant.member);
    expect(JSON.stringify(definition)).not.toContain('badge');
  });

  it('does not reveal the default of a unique field by a conflict', async () => {
    const withDefault: DeclaredObject = {
      apiName: 'site_visit',
      fields: [
        { apiName: 'title', type: 'text' },
        { apiName: 'badge', type: 'text', is_unique: true, default: 'first', writeRoles: ['admin'], ...hidden },
      ],
    };
    const other = await app.tenant('business', [withDefault]);
    const create = async (token: string) => (await call('POST', RECORDS, token, { title: 'x' })).status;
    expect(await create(other.member)).toBe(403);
    expect(await create(other.admin)).toBe(201);
    expect(await create(other.member)).toBe(403);
    expect(await create(other.admin)).toBe(409);
  });

  it.each([
    ['stage', 'guess', 'NOT_AN_OPTION'],
    ['tags', ['guess'], 'NOT_AN_OPTION'],
    ['score', 78, 'ABOVE_MAX'],
    ['pin', '78', 'PATTERN_MISMATCH'],
    ['lead', randomUUID(), 'REFERENCE_NOT_FOUND'],
    ['parent', randomUUID(), 'REFERENCE_NOT_FOUND'],
  ])('shows neither options, limits nor texts of its author when %s is refused', async (name, value, code) => {
    const body = { title: randomUUID(), [name]: value };
    const refused = await call('POST', RECORDS, tenant.member, body);
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([
      { pointer: expect.stringMatching(`^/${name}`), code, detail: expect.stringMatching(/^\w/) },
    ]);
    expect(JSON.stringify(refused.body.errors)).not.toMatch(/secret|77/i);
    if (code === 'REFERENCE_NOT_FOUND') return;
    // Whoever reads the field learns what would be accepted.
    const shown = await call('POST', RECORDS, tenant.admin, body);
    expect(JSON.stringify(shown.body.errors)).toMatch(/secret|77/i);
  });

  it('is part of a new entity tag when a new definition takes it away', async () => {
    const { body } = await call('POST', RECORDS, tenant.admin, { title: randomUUID() });
    const tag = async () => (await call('GET', `${RECORDS}/${body.id}`, tenant.member)).headers.get('etag');
    const before = await tag();
    await app.service.get(Database).transaction(tenant.id, async (tx) => {
      await tx.query('UPDATE custom_object SET revision = revision + 1');
    });
    expect(await tag()).not.toBe(before);
  });
});

import { rpc } from '@crm/contracts';
import { NatsConnection, Rpc } from '@crm/messaging';
import { testNats } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { app, type Tenant, text, useCustomObjects } from './custom-objects-service.js';

useCustomObjects();

const EMPLOYEE = {
  apiName: 'employee',
  label: 'Employee',
  pluralLabel: 'Employees',
  fields: [
    text('name'),
    text('salary', { readRoles: ['admin', 'hr'], writeRoles: ['hr'] }),
    text('desk', { writeRoles: ['office', 'member'] }),
    text('open', { readRoles: [] }),
  ],
};

let connection: NatsConnection;
let tenant: Tenant;
const installationId = '019d0000-0000-7000-8000-000000000001';
beforeAll(async () => {
  const { url, passwords } = testNats();
  connection = await NatsConnection.open({ url, user: 'identity', password: passwords.identity, service: 'identity' });
  tenant = await app.tenant('business', []);
  await app.objects.provision(tenant.id, { installationId, appKey: 'acme-hr', sandbox: false, objects: [EMPLOYEE] });
});
afterAll(() => connection?.close());

const fieldsOf = async (roles: string[], held: string[] = [], tenantId = tenant.id) =>
  (await new Rpc(connection).call(rpc.customObjects.listFieldsOfRoles, { tenantId, roles, held })).fields;

describe('the fields that roles open', () => {
  it('are those that name one of them to read or to write', async () => {
    expect(await fieldsOf(['hr'])).toEqual(['employee.salary']);
    expect(await fieldsOf(['office', 'hr'])).toEqual(['employee.desk', 'employee.salary']);
    expect(await fieldsOf(['sales'])).toEqual([]);
    expect(await fieldsOf(['hr'], [], (await app.tenant('business', [])).id)).toEqual([]);
  });

  it('are not those that the roles of before open for the same', async () => {
    // To write it admin is not enough.
    expect(await fieldsOf(['hr'], ['admin'])).toEqual(['employee.salary']);
    expect(await fieldsOf(['office'], ['member'])).toEqual([]);
    expect(await fieldsOf(['admin'], ['hr'])).toEqual([]);
  });

  it('are not those of an app that is gone', async () => {
    await app.objects.remove(tenant.id, installationId, false);
    expect(await fieldsOf(['hr'])).toEqual([]);
  });
});

import { randomBytes } from 'node:crypto';
import { client } from '../../scripts/demo/client.mjs';
import { examplePackage, REVIEW_PACKET } from '../../scripts/demo/packages.mjs';

const PASSWORD = 'correct-horse-battery-staple';

/**
 * A workspace with an app that embeds, some records, and a custom object.
 * @typedef {object} Publisher
 * @property {string} token of its owner
 * @property {{ clientId: string, clientSecret: string }} credentials of the app
 * @property {string} objectName of the custom object
 * @property {string} tenantId
 */

/**
 * @param {{ baseUrl: string, adminUrl: string }} addresses
 * @param {readonly string[]} allowedOrigins
 * @returns {Promise<Publisher>}
 */
export async function newPublisher({ baseUrl, adminUrl }, allowedOrigins) {
  const suffix = randomBytes(4).toString('hex');
  const [api, admin] = [client(baseUrl), client(adminUrl)];
  const email = `publisher-${suffix}@example.test`;
  const { body: registered } = await api('POST', '/api/auth/register', {
    body: { email, password: PASSWORD, name: 'Owner', workspace: { name: 'Publisher', plan: 'enterprise' } },
    expect: 201,
  });
  const { body: session } = await api('POST', '/api/auth/login', { body: { email, password: PASSWORD }, expect: 200 });
  const token = session.accessToken;
  const { body: operator } = await admin('POST', '/api/auth/login', {
    body: { email: 'operator@platform.test', password: PASSWORD },
    expect: 200,
  });

  const key = `embedding-${suffix}`;
  const scopes = ['leads', 'contacts', 'companies', 'pipeline', 'tasks', 'custom_objects'];
  const { manifest } = await examplePackage(key);
  const { body: submission } = await api('POST', '/api/marketplace/developer/apps/submit', {
    token,
    body: {
      manifest: {
        ...manifest,
        permissions: [...scopes, 'automations'].map((scope) => ({ scope, purpose: 'shows the CRM in the host' })),
        embed: { allowedOrigins, scopes, linkUsersBy: 'email' },
        // Nobody is at the example's address: retries for each lead would keep the platform busy.
        webhooks: [],
      },
      reviewPacket: REVIEW_PACKET,
    },
    expect: 201,
  });
  await admin('POST', `/api/admin/submissions/${submission.submissionId}/publish`, {
    token: operator.accessToken,
    body: { reason: 'Reviewed for the test' },
    expect: 200,
  });
  const { body: credentials } = await api('POST', `/api/marketplace/developer/apps/${key}/embed-credentials`, {
    token,
    expect: 201,
  });
  const { body: install } = await api('POST', '/api/marketplace/installs', {
    token,
    body: { appKey: key },
    expect: 201,
  });
  const objectName = install.objects[0].apiName;
  await addRecords(api, token, objectName);
  return { token, credentials, objectName, tenantId: registered.tenant.id };
}

/**
 * @param {ReturnType<typeof client>} api
 * @param {string} token
 * @param {string} objectName
 */
async function addRecords(api, token, objectName) {
  /** @param {string} path @param {object} body */
  const add = async (path, body) => (await api('POST', path, { token, body, expect: 201 })).body.id;
  const companyId = await add('/api/crm/companies', {
    name: 'Analytical Engines',
    website: 'https://engines.example.com',
  });
  const contactId = await add('/api/crm/contacts', { firstName: 'Mary', lastName: 'Somerville', companyId });
  for (const [firstName, lastName, status] of [
    ['Ada', 'Lovelace', 'new'],
    ['Charles', 'Babbage', 'contacted'],
    ['Sophie', 'Germain', 'new'],
  ]) {
    const email = `${firstName}@example.com`.toLowerCase();
    await add('/api/crm/leads', {
      firstName,
      lastName,
      status,
      email,
      companyName: 'Analytical Engines',
      phone: '+44 20 7946 0123',
    });
  }
  for (const [name, amount, stage] of [
    ['Difference engine', 48_000, 'proposal'],
    ['Maintenance contract', 9500, 'negotiation'],
    ['Spare cogs', 1200, 'qualification'],
    ['Punched cards', 640, 'qualification'],
  ]) {
    await add('/api/crm/opportunities', {
      name,
      amount,
      currency: 'EUR',
      stage,
      companyId,
      contactId,
      closeDate: '2027-03-31',
    });
  }
  await add('/api/crm/tasks', { title: 'Call Mary about the offer', dueAt: '2027-01-15T09:30:00Z' });
  await add(`/api/crm/custom/${objectName}/records`, { title: 'Roof of the town hall', hours: 3, hourly_rate: 80 });
}

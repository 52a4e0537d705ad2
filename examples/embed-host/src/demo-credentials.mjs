import { SETTINGS } from './settings.mjs';

/** The demo developer of `npm start`, in whose workspace the CRM is shown. */
const DEVELOPER = { email: 'dev@acme.test', password: 'correct-horse-battery-staple' };
const APP_KEY = 'embed-host-example';
const SCOPES = ['leads', 'contacts', 'companies', 'pipeline', 'tasks'];

const MANIFEST = {
  key: APP_KEY,
  name: 'Embedded CRM',
  version: '1.0.0',
  kind: 'event_service',
  permissions: SCOPES.map((scope) => ({ scope, purpose: 'shows the CRM in the host' })),
  webhooks: [{ events: ['lead.created'], url: 'https://hooks.host.example.com/leads', description: 'new leads' }],
  // Where the finished product runs. An origin on localhost never stands in a manifest.
  embed: { allowedOrigins: ['https://host.example.com'], scopes: SCOPES, linkUsersBy: 'explicit' },
};

const REVIEW_PACKET = {
  demoVideo: 'https://videos.host.example.com/tour',
  sandboxAttestation: { testedBy: 'QA', statement: 'Tried in a frame.' },
  securityQuestionnaire: { storesPersonalData: 'no', encryptsInTransit: 'yes' },
  testInstructions: 'Open the host, look at the leads.',
};

/** What there is to see in a workspace that is empty. */
const RECORDS = [
  [
    'leads',
    {
      firstName: 'Ada',
      lastName: 'Lovelace',
      email: 'ada@example.com',
      companyName: 'Analytical Engines',
      status: 'new',
    },
  ],
  ['leads', { firstName: 'Charles', lastName: 'Babbage', email: 'charles@example.com', status: 'contacted' }],
  ['opportunities', { name: 'Difference engine', amount: 48_000, currency: 'EUR', stage: 'proposal' }],
  ['opportunities', { name: 'Spare cogs', amount: 1200, currency: 'EUR', stage: 'qualification' }],
  ['tasks', { title: 'Call Mary about the offer' }],
];

/**
 * Does for the example what a developer does once by hand: hands in an app that embeds, and requests credentials that also allow
 * an origin on this machine. Such an app works in its developer's own workspace until it is reviewed.
 * @param {string} origin of the host, on localhost
 * @returns {Promise<import('@crm/sdk/embed/server').EmbedCredentials>}
 */
export async function demoCredentials(origin) {
  const { accessToken } = await call('POST', '/api/auth/login', DEVELOPER);
  const { data: apps } = await call('GET', '/api/marketplace/developer/apps', undefined, accessToken);
  if (!apps.some((/** @type {{ key: string }} */ { key }) => key === APP_KEY)) {
    const submission = { manifest: MANIFEST, reviewPacket: REVIEW_PACKET };
    await call('POST', '/api/marketplace/developer/apps/submit', submission, accessToken);
  }
  const { total } = await call('GET', '/api/crm/leads?size=1', undefined, accessToken);
  if (total === 0) {
    for (const [object, fields] of RECORDS) await call('POST', `/api/crm/${object}`, fields, accessToken);
  }
  const path = `/api/marketplace/developer/apps/${APP_KEY}/embed-credentials`;
  return call('POST', path, { developmentOrigins: [origin] }, accessToken);
}

/**
 * @param {string} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {string} [token]
 * @returns {Promise<any>} the answer
 */
async function call(method, path, body, token) {
  const response = await fetch(SETTINGS.apiUrl + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((cause) => {
    throw new Error(`${SETTINGS.apiUrl} does not answer. Is the platform running (npm start)?`, { cause });
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return answer;
}

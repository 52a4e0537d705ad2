import { EXAMPLES } from '../src/checks/examples.js';
import type { CertificationProbes, Manifest } from '../src/index.js';
import { baseManifest, type Fragment, manifestWith } from './base-manifest.js';

/** A small package that fails one check, and its passing twin. */
export interface Sample {
  check: string;
  what: string;
  fails: Fragment;
  passes: Fragment;
  /** Pointer of the first finding. */
  pointer: string;
  probes?: CertificationProbes;
  /** Review packets instead of manifests. */
  packets?: { fails: unknown; passes: unknown };
}

const field = (...fields: Fragment[]): Fragment => ({
  objects: [{ apiName: 'visit', fields: [{ apiName: 'title', type: 'text' }, ...fields] }],
});
const object = (...objects: Fragment[]): Fragment => ({ objects, automations: undefined });
const formula = (expression: string, ...fields: Fragment[]): Fragment =>
  field({ apiName: 'hours', type: 'number' }, ...fields, { apiName: 'total', type: 'formula', expression });
const automation = (trigger: Fragment, actions: Fragment[], more: Fragment = {}): Fragment => ({
  automations: [{ key: 'a', trigger, actions, ...more }],
});
const hook = (payload: Fragment[] | undefined, ...actions: Fragment[]): Fragment =>
  automation({ type: 'webhook_received', ...(payload && { payload }) }, actions);
const SUBJECT = [{ name: 'subject', type: 'text' }];
const webhook = (url: string, events = ['lead.created']): Fragment => ({ webhooks: [{ events, url }] });
const request = (url: string, more: Fragment = {}): Fragment => hook(SUBJECT, { type: 'http_request', url, ...more });
const scopes = (...names: string[]): Fragment => ({
  permissions: [...baseManifest.permissions, ...names.map((scope) => ({ scope, purpose: 'Needed.' }))],
});
const only = (...names: string[]): Fragment => ({ permissions: names.map((scope) => ({ scope, purpose: 'Needed.' })) });
const stream = (more: Fragment = {}): Fragment => ({
  connector: {
    streams: [
      {
        name: 's',
        url: 'https://api.example.com/',
        primaryKey: 'id',
        destinationObject: 'visit',
        mapping: { name: 'title' },
        ...more,
      },
    ],
  },
});
const connector = (more: Fragment): Fragment => ({ connector: { ...(stream().connector as Fragment), ...more } });
const tool = (more: Fragment): Fragment => ({
  assistant: {
    tools: [{ name: 'find', inputSchema: { type: 'object' }, scope: 'leads:read', readOnly: true, ...more }],
  },
});
const published = (fragment: Fragment): CertificationProbes => ({
  publishedManifest: async () => manifestWith(fragment) as unknown as Manifest,
});
const manyOrigins = (count: number) => Array.from({ length: count }, (_, i) => `https://host-${i}.example.com`);
const packet = {
  demoVideo: 'https://videos.example.com/1',
  sandboxAttestation: true,
  securityQuestionnaire: { contact: 'security@example.com' },
  testInstructions: 'Install it.',
};
/** A passing fragment for checks that have nothing to check. */
const UNCHANGED: Fragment = {};

export const SAMPLES: readonly Sample[] = [
  { check: 'MAN-001', what: 'unknown key', ...EXAMPLES['MAN-001'], pointer: '/webhook' },
  { check: 'MAN-001', what: 'missing key', fails: { name: undefined }, passes: UNCHANGED, pointer: '' },
  { check: 'MAN-001', what: 'wrong type', fails: { name: 7 }, passes: UNCHANGED, pointer: '/name' },
  { check: 'MAN-001', what: 'unknown kind', fails: { kind: 'industry' }, passes: UNCHANGED, pointer: '/kind' },
  {
    check: 'MAN-001',
    what: 'version',
    fails: { version: '1.0' },
    passes: { version: '1.0.0-rc.1+5' },
    pointer: '/version',
  },
  { check: 'MAN-001', what: 'key', fails: { key: 'Acme Visits' }, passes: { key: 'acme-visits-2' }, pointer: '/key' },
  {
    check: 'MAN-001',
    what: 'unknown key inside a field',
    fails: field({ apiName: 'a', type: 'text', readRole: [] }),
    passes: field({ apiName: 'a', type: 'text', readRoles: [] }),
    pointer: '/objects/0/fields/1/readRole',
  },
  {
    check: 'MAN-001',
    what: 'unknown type of action',
    fails: hook(SUBJECT, { type: 'create_records', object: 'visit', values: {} }),
    passes: hook(SUBJECT, { type: 'create_record', object: 'visit', values: {} }),
    pointer: '/automations/0/actions/0/type',
  },
  {
    check: 'MAN-001',
    what: 'action without a key that it needs',
    fails: hook(SUBJECT, { type: 'create_task' }),
    passes: hook(SUBJECT, { type: 'create_task', title: 'Call' }),
    pointer: '/automations/0/actions/0',
  },
  {
    check: 'MAN-001',
    what: 'key of another trigger',
    fails: automation({ type: 'webhook_received', cron: '0 * * * *' }, [{ type: 'wait', seconds: 1 }]),
    passes: automation({ type: 'schedule', cron: '0 * * * *' }, [{ type: 'wait', seconds: 1 }]),
    pointer: '/automations/0/trigger/cron',
  },
  {
    check: 'MAN-001',
    what: 'wrong key in a permission',
    fails: { permissions: [{ scope: 'leads', reason: 'a' }] },
    passes: { permissions: [{ scope: 'leads', purpose: 'a' }] },
    pointer: '/permissions/0/reason',
  },
  {
    check: 'MAN-002',
    what: 'key of another publisher',
    ...EXAMPLES['MAN-002'],
    pointer: '/key',
    probes: { keyOwnership: async (key) => (key === 'taken' ? 'other' : 'own') },
  },
  {
    check: 'MAN-003',
    what: 'version that was submitted before',
    ...EXAMPLES['MAN-003'],
    pointer: '/version',
    probes: { submittedVersions: async () => ['1.9.0', '1.10.0', '1.2.0-beta', 'no version'] },
  },
  {
    check: 'MAN-004',
    what: 'name field',
    fails: object({ apiName: 'visit', nameField: 'titel', fields: [{ apiName: 'title', type: 'text' }] }),
    passes: object({ apiName: 'visit', nameField: 'title', fields: [{ apiName: 'title', type: 'text' }] }),
    pointer: '/objects/0/nameField',
  },
  {
    check: 'MAN-004',
    what: 'reference to an object of the package',
    fails: field({ apiName: 'a', type: 'reference', referenceTarget: 'custom:visits' }),
    passes: field({ apiName: 'a', type: 'reference', referenceTarget: 'custom:visit' }),
    pointer: '/objects/0/fields/1/referenceTarget',
  },
  {
    check: 'MAN-004',
    what: 'reference to a core object',
    fails: field({ apiName: 'a', type: 'reference', referenceTarget: 'deal' }),
    passes: field({ apiName: 'a', type: 'reference', referenceTarget: 'opportunity' }),
    pointer: '/objects/0/fields/1/referenceTarget',
  },
  {
    check: 'MAN-004',
    what: 'role of a field',
    fails: field({ apiName: 'a', type: 'text', readRoles: ['admin', 'planer'] }),
    passes: field({ apiName: 'a', type: 'text', readRoles: ['admin', 'planner'] }),
    pointer: '/objects/0/fields/1/readRoles/1',
  },
  {
    check: 'MAN-004',
    what: 'role of every app',
    fails: field({ apiName: 'a', type: 'text', readRoles: ['admin', 'app'] }),
    passes: field({ apiName: 'a', type: 'text', readRoles: ['admin', 'app:acme-visits'] }),
    pointer: '/objects/0/fields/1/readRoles/1',
  },
  {
    check: 'MAN-004',
    what: 'role of an app with an impossible key',
    fails: field({ apiName: 'a', type: 'text', writeRoles: ['app:Acme'] }),
    passes: field({ apiName: 'a', type: 'text', writeRoles: ['app:acme.other_app'] }),
    pointer: '/objects/0/fields/1/writeRoles/0',
  },
  {
    check: 'MAN-004',
    what: 'role of an app',
    fails: { roles: [{ name: 'app:acme' }] },
    passes: { roles: [{ name: 'apprentice' }] },
    pointer: '/roles/0/name',
  },
  {
    check: 'MAN-004',
    what: 'built-in role',
    fails: { roles: [{ name: 'admin' }] },
    passes: UNCHANGED,
    pointer: '/roles/0/name',
  },
  {
    check: 'MAN-004',
    what: 'role declared twice',
    fails: { roles: [{ name: 'planner' }, { name: 'planner' }] },
    passes: UNCHANGED,
    pointer: '/roles/1/name',
  },
  ...['', ' planner', 'site\nplanner', 'planner\u0007'].map(
    (name): Sample => ({
      check: 'MAN-004',
      what: `role ${JSON.stringify(name)}`,
      fails: { roles: [{ name }] },
      passes: { roles: [{ name: 'Planer für Besuche' }] },
      pointer: '/roles/0/name',
    }),
  ),
  ...['everybody', '', 'a@b@c', 'role:', '0198c0de-0000-7000-8000'].map(
    (to): Sample => ({
      check: 'MAN-004',
      what: `recipient ${JSON.stringify(to)}`,
      fails: hook(SUBJECT, { type: 'send_email', to: ['role:admin', to], subject: 'a', text: 'b' }),
      passes: hook(SUBJECT, {
        type: 'send_email',
        to: ['a@example.com', '0198c0de-0000-7000-8000-000000000001', 'role:planner'],
        subject: 'a',
        text: 'b',
      }),
      pointer: '/automations/0/actions/0/to/1',
    }),
  ),
  {
    check: 'MAN-004',
    what: 'e-mail to nobody',
    fails: hook(SUBJECT, { type: 'send_email', to: [], subject: 'a', text: 'b' }),
    passes: hook(SUBJECT, { type: 'send_email', to: 'a@example.com', subject: 'a', text: 'b' }),
    pointer: '/automations/0/actions/0/to',
  },
  {
    check: 'MAN-004',
    what: 'object of an action',
    fails: hook(SUBJECT, { type: 'create_record', object: 'visits', values: {} }),
    passes: hook(SUBJECT, { type: 'create_record', object: 'custom:visit', values: {} }),
    pointer: '/automations/0/actions/0/object',
  },
  {
    check: 'MAN-004',
    what: 'core object by the name of a custom one',
    fails: hook(SUBJECT, { type: 'create_record', object: 'custom:lead', values: {} }),
    passes: hook(SUBJECT, { type: 'create_record', object: 'lead', values: {} }),
    pointer: '/automations/0/actions/0/object',
  },
  {
    check: 'MAN-004',
    what: 'field of an action',
    fails: hook(SUBJECT, { type: 'update_record', object: 'visit', id: '{{subject}}', values: { hour: 1 } }),
    passes: hook(SUBJECT, { type: 'update_record', object: 'visit', id: '{{subject}}', values: { hours: 1 } }),
    pointer: '/automations/0/actions/0/values/hour',
  },
  {
    check: 'MAN-004',
    what: 'field of a core object',
    fails: hook(SUBJECT, { type: 'create_record', object: 'lead', values: { lastname: 'a' } }),
    passes: hook(SUBJECT, { type: 'create_record', object: 'lead', values: { lastName: 'a' } }),
    pointer: '/automations/0/actions/0/values/lastname',
  },
  {
    check: 'MAN-004',
    what: 'role of an e-mail',
    fails: hook(SUBJECT, { type: 'send_email', to: ['role:admins'], subject: 'a', text: 'b' }),
    passes: hook(SUBJECT, { type: 'send_email', to: ['role:admin', 'a@example.com'], subject: 'a', text: 'b' }),
    pointer: '/automations/0/actions/0/to/0',
  },
  {
    check: 'MAN-005',
    what: 'industry app without objects and automations',
    fails: { objects: [], automations: undefined },
    passes: { automations: undefined },
    pointer: '/kind',
  },
  {
    check: 'MAN-005',
    what: 'connector',
    fails: { kind: 'data_connector' },
    passes: { kind: 'data_connector', ...stream() },
    pointer: '/kind',
  },
  {
    check: 'MAN-005',
    what: 'assistant',
    fails: { kind: 'ai_assistant' },
    passes: { kind: 'ai_assistant', ...tool({}) },
    pointer: '/kind',
  },
  {
    check: 'MAN-005',
    what: 'event service',
    fails: { kind: 'event_service' },
    passes: { kind: 'event_service', ...webhook('https://hooks.example.com/') },
    pointer: '/kind',
  },
  {
    check: 'SCP-001',
    what: 'unknown scope',
    ...EXAMPLES['SCP-001'],
    pointer: '/permissions/0/scope',
  },
  {
    check: 'SCP-001',
    what: 'unknown scope as a text',
    fails: { permissions: ['leads:write'] },
    passes: { permissions: ['leads:read'] },
    pointer: '/permissions/0',
  },
  {
    check: 'SCP-001',
    what: 'reserved scope',
    fails: only('admin'),
    passes: only('agent'),
    pointer: '/permissions/0/scope',
  },
  {
    check: 'SCP-001',
    what: 'scope of embedded sessions',
    fails: { embed: { allowedOrigins: [], scopes: ['everything'] } },
    passes: { embed: { allowedOrigins: [], scopes: ['leads', 'pipeline', 'agent'] } },
    pointer: '/embed/scopes/0',
  },
  {
    check: 'SCP-002',
    what: 'no purpose',
    ...EXAMPLES['SCP-002'],
    pointer: '/permissions/0',
  },
  {
    check: 'SCP-003',
    what: 'unused scope',
    ...EXAMPLES['SCP-003'],
    pointer: '/permissions/6/scope',
  },
  {
    check: 'SCP-004',
    what: 'new scope',
    ...EXAMPLES['SCP-004'],
    pointer: '/permissions/6/scope',
    probes: published({}),
  },
  {
    check: 'SCP-004',
    what: 'new event and host',
    fails: webhook('https://new.example.com/', ['lead.updated']),
    passes: webhook('https://old.example.com/2'),
    pointer: '/webhooks/0/events/0',
    probes: published(webhook('https://old.example.com/1')),
  },
  {
    check: 'SCP-004',
    what: 'domain instead of its events',
    fails: webhook('https://a.example.com/', ['deal.*']),
    passes: webhook('https://a.example.com/', ['deal.won']),
    pointer: '/webhooks/0/events/0',
    probes: published(webhook('https://a.example.com/', ['deal.won'])),
  },
  {
    check: 'SCP-004',
    what: 'new formula that exposes',
    fails: formula('hours', { apiName: 'band', type: 'formula', expression: 'hours > 5', exposes: true }),
    passes: formula('hours', { apiName: 'band', type: 'formula', expression: 'hours > 5' }),
    pointer: '/objects/0/fields/2',
    probes: published(formula('hours')),
  },
  {
    check: 'SCP-005',
    what: 'object',
    fails: { ...object({ apiName: 'visit', fields: [] }), ...only('tasks') },
    passes: { ...object({ apiName: 'visit', fields: [] }), ...only('custom_objects') },
    pointer: '/objects/0',
  },
  {
    check: 'SCP-005',
    what: 'webhook on leads',
    fails: { objects: undefined, automations: undefined, ...webhook('https://a.example.com/'), ...only('tasks') },
    passes: {
      objects: undefined,
      automations: undefined,
      ...webhook('https://a.example.com/'),
      permissions: ['leads:read'],
    },
    pointer: '/webhooks/0/events/0',
  },
  {
    check: 'SCP-005',
    what: 'webhook on every event of a domain',
    fails: {
      objects: undefined,
      automations: undefined,
      ...webhook('https://a.example.com/', ['app.*', 'webhook.*', 'deal.*']),
      ...only('leads'),
    },
    passes: {
      objects: undefined,
      automations: undefined,
      ...webhook('https://a.example.com/', ['app.*', 'webhook.*', 'deal.*']),
      ...only('pipeline'),
    },
    pointer: '/webhooks/0/events/2',
  },
  {
    check: 'SCP-005',
    what: 'action on a deal',
    fails: {
      ...hook(SUBJECT, { type: 'create_record', object: 'opportunity', values: {} }),
      objects: [],
      ...only('automations', 'pipeline:read'),
    },
    passes: {
      ...hook(SUBJECT, { type: 'create_record', object: 'opportunity', values: {} }),
      objects: [],
      ...only('automations', 'pipeline'),
    },
    pointer: '/automations/0/actions/0',
  },
  {
    check: 'SCP-005',
    what: 'task',
    fails: { ...hook(SUBJECT, { type: 'create_task', title: 'a' }), objects: [], ...only('automations') },
    passes: { ...hook(SUBJECT, { type: 'create_task', title: 'a' }), objects: [], ...only('automations', 'tasks') },
    pointer: '/automations/0/actions/0',
  },
  {
    check: 'SCP-005',
    what: 'automation',
    fails: { ...hook(SUBJECT, { type: 'wait', seconds: 1 }), objects: [], ...only('tasks') },
    passes: { ...hook(SUBJECT, { type: 'wait', seconds: 1 }), objects: [], ...only('automations') },
    pointer: '/automations/0',
  },
  {
    check: 'SCP-005',
    what: 'trigger on an event',
    fails: {
      ...automation({ type: 'event', event: 'deal.won' }, [{ type: 'wait', seconds: 1 }]),
      objects: [],
      ...only('automations'),
    },
    passes: {
      ...automation({ type: 'event', event: 'deal.won' }, [{ type: 'wait', seconds: 1 }]),
      objects: [],
      ...only('automations', 'pipeline:read'),
    },
    pointer: '/automations/0/trigger/event',
  },
  {
    check: 'SCP-005',
    what: 'tool and stream',
    fails: { ...tool({ scope: 'companies' }), ...stream({ destinationObject: 'company', mapping: { a: 'name' } }) },
    passes: {
      ...tool({ scope: 'companies' }),
      ...stream({ destinationObject: 'company', mapping: { a: 'name' } }),
      ...scopes('companies'),
    },
    pointer: '/connector/streams/0/destinationObject',
  },
  {
    check: 'NET-001',
    what: 'private address',
    ...EXAMPLES['NET-001'],
    pointer: '/webhooks/0/url',
  },
  {
    check: 'NET-001',
    what: 'plain http',
    fails: webhook('http://hooks.example.com/'),
    passes: webhook('https://hooks.example.com/'),
    pointer: '/webhooks/0/url',
  },
  {
    check: 'NET-001',
    what: 'address in another notation',
    fails: webhook('https://0x7f.1/'),
    passes: webhook('https://8.8.8.8/'),
    pointer: '/webhooks/0/url',
  },
  {
    check: 'NET-001',
    what: 'private name',
    fails: webhook('https://crm.internal./'),
    passes: webhook('https://crm.example.com./'),
    pointer: '/webhooks/0/url',
  },
  {
    check: 'NET-001',
    what: 'port',
    fails: webhook('https://hooks.example.com:8443/'),
    passes: webhook('https://hooks.example.com:443/'),
    pointer: '/webhooks/0/url',
  },
  {
    check: 'NET-001',
    what: 'target of an action',
    fails: request('https://localhost/'),
    passes: request('https://api.example.com/{{subject}}'),
    pointer: '/automations/0/actions/0/url',
  },
  {
    check: 'NET-001',
    what: 'host from a placeholder',
    fails: request('https://{{subject}}/'),
    passes: request('https://api.example.com/?q={{subject}}'),
    pointer: '/automations/0/actions/0/url',
  },
  {
    check: 'NET-001',
    what: 'length with its placeholders',
    fails: request(`https://api.example.com/{{${' '.repeat(700)}subject}}`),
    passes: request(`https://api.example.com/{{${' '.repeat(20)}subject}}`),
    pointer: '/automations/0/actions/0/url',
  },
  {
    check: 'NET-001',
    what: 'connector',
    fails: stream({ url: 'https://[::1]/' }),
    passes: stream(),
    pointer: '/connector/streams/0/url',
  },
  {
    check: 'NET-001',
    what: 'server of an assistant',
    fails: { assistant: { mcpServers: ['https://mcp.example.com/', { url: 'https://metadata.google.internal/' }] } },
    passes: { assistant: { mcpServers: ['https://mcp.example.com/', { url: 'https://8.8.4.4/' }] } },
    pointer: '/assistant/mcpServers/1/url',
  },
  {
    check: 'NET-001',
    what: 'name that leads to a private address',
    fails: webhook('https://inside.example.com/'),
    passes: webhook('https://outside.example.com/'),
    pointer: '/webhooks/0/url',
    probes: { resolveHost: async (host) => (host.startsWith('inside') ? ['1.1.1.1', '10.0.0.1'] : ['1.1.1.1']) },
  },
  {
    check: 'NET-003',
    what: 'name that does not resolve',
    ...EXAMPLES['NET-003'],
    pointer: '/webhooks/0/url',
    probes: {
      resolveHost: async (host) => {
        if (host.startsWith('gone')) throw new Error('ENOTFOUND');
        return ['1.1.1.1'];
      },
    },
  },
  ...[
    'https://*.example.com',
    'http://app.example.com',
    'https://app.example.com/',
    'https://APP.example.com',
    'app.example.com',
    '*',
    'https://app.example.com:443',
    'https://app.example.com;script-src',
    'https://app.example.com,evil.example.com',
    "https://app.example.com'",
    'https://app"example.com',
    'https://app.example.com!',
    'https://app$example.com',
    'https://app..example.com',
  ].map(
    (origin): Sample => ({
      check: 'NET-002',
      what: `origin ${origin}`,
      fails: { embed: { allowedOrigins: [origin] } },
      passes: {
        embed: {
          allowedOrigins: [
            'https://app.example.com',
            'https://app.example.com:8443',
            'https://my_app-2.xn--bcher-kva.example.',
            'https://localhost:3000',
            'https://[2606:4700::1111]',
          ],
        },
      },
      pointer: '/embed/allowedOrigins/0',
    }),
  ),
  {
    check: 'NET-002',
    what: 'too many origins',
    fails: { embed: { allowedOrigins: manyOrigins(51) } },
    passes: { embed: { allowedOrigins: manyOrigins(50) } },
    pointer: '/embed/allowedOrigins',
  },
  {
    check: 'NET-002',
    what: 'too long an origin',
    fails: { embed: { allowedOrigins: [`https://${'a'.repeat(254)}`] } },
    passes: { embed: { allowedOrigins: [`https://${'a'.repeat(253)}:65535`] } },
    pointer: '/embed/allowedOrigins/0',
  },
  ...[
    'https://*.example.com/callback',
    'https://app.example.com/*',
    'http://app.example.com/callback',
    'http://localhost:3000/callback',
    'com.example.app:/callback',
    'https://app.example.com/callback#token',
    'https://app.example.com/callback#',
    'https://App.example.com/callback',
    'https://app.example.com:443/callback',
    'https://app.example.com',
    'https://app.example.com/a/../callback',
    'https://user@app.example.com/callback',
    'https://app.example.com/{{tenant}}/callback',
    'https://app.example.com/callback?state=1',
    'callback',
    '',
    `https://app.example.com/${'a'.repeat(2100)}`,
  ].map(
    (uri): Sample => ({
      check: 'NET-004',
      what: `redirect URI ${uri.slice(0, 60)}`,
      fails: { oauth: { redirectUris: [uri] } },
      passes: {
        oauth: {
          redirectUris: [
            'https://app.example.com/callback',
            'https://app.example.com/',
            'https://app.example.com:8443/oauth/callback?region=eu',
          ],
        },
      },
      pointer: '/oauth/redirectUris/0',
    }),
  ),
  ...[[], Array.from({ length: 21 }, (_, i) => `https://app.example.com/${i}`)].map(
    (redirectUris): Sample => ({
      check: 'NET-004',
      what: `${redirectUris.length} redirect URIs`,
      fails: { oauth: { redirectUris } },
      passes: { oauth: { redirectUris: ['https://app.example.com/callback'] } },
      pointer: '/oauth/redirectUris',
    }),
  ),
  {
    check: 'NET-004',
    what: 'a redirect URI twice',
    fails: { oauth: { redirectUris: ['https://app.example.com/callback', 'https://app.example.com/callback'] } },
    passes: { oauth: { redirectUris: ['https://app.example.com/callback'] } },
    pointer: '/oauth/redirectUris/1',
  },
  ...['lead', 'id', 'null', 'sbx_visit', '2visits', 'Visit', 'site-visit'].map(
    (apiName): Sample => ({
      check: 'OBJ-001',
      what: `object ${apiName}`,
      fails: object({ apiName, fields: [] }),
      passes: object({ apiName: 'visit', fields: [] }),
      pointer: '/objects/0/apiName',
    }),
  ),
  ...['id', 'createdAt', 'NOT', 'version', 'a b', `a${'b'.repeat(40)}`].map(
    (apiName): Sample => ({
      check: 'OBJ-001',
      what: `field ${apiName}`,
      fails: field({ apiName, type: 'text' }),
      passes: field({ apiName: 'if', type: 'text' }),
      pointer: '/objects/0/fields/1/apiName',
    }),
  ),
  {
    check: 'OBJ-001',
    what: 'object twice',
    fails: object({ apiName: 'a', fields: [] }, { apiName: 'a', fields: [] }),
    passes: object({ apiName: 'a', fields: [] }, { apiName: 'b', fields: [] }),
    pointer: '/objects/1/apiName',
  },
  {
    check: 'OBJ-001',
    what: 'field twice',
    fails: field({ apiName: 'title', type: 'text' }),
    passes: field({ apiName: 'title2', type: 'text' }),
    pointer: '/objects/0/fields/1/apiName',
  },
  ...(
    [
      ['picklist without options', { type: 'picklist' }, { type: 'picklist', options: ['a'] }],
      ['reference without a target', { type: 'reference' }, { type: 'reference', referenceTarget: 'lead' }],
      [
        'rule that does not fit',
        { type: 'text', validationRules: [{ type: 'min', value: 1 }] },
        { type: 'number', validationRules: [{ type: 'min', value: 1 }] },
      ],
      [
        'pattern with look-ahead',
        { type: 'text', validationRules: [{ type: 'regex', value: '(?=a)b' }] },
        { type: 'text', validationRules: [{ type: 'regex', value: '^[a-z]+$' }] },
      ],
      [
        'default that is no option',
        { type: 'picklist', options: ['a'], default: 'b' },
        { type: 'picklist', options: ['a'], default: 'a' },
      ],
      [
        'required reference that is unset',
        { type: 'reference', referenceTarget: 'lead', required: true, onDelete: 'set_null' },
        { type: 'reference', referenceTarget: 'lead', required: true, onDelete: 'restrict' },
      ],
      [
        'index of a list of options',
        { type: 'multi_select', options: ['a'], indexed: true },
        { type: 'date', indexed: true },
      ],
      ['formula without an expression', { type: 'formula' }, { type: 'formula', expression: '1' }],
      ['expression of a text', { type: 'text', expression: '1' }, { type: 'text' }],
    ] as const
  ).map(
    ([what, bad, good]): Sample => ({
      check: 'OBJ-002',
      what,
      fails: field({ apiName: 'a', ...bad }),
      passes: field({ apiName: 'a', ...good }),
      pointer: expect1(what),
    }),
  ),
  ...(
    [
      ['syntax', 'hours *', 'hours * 2'],
      ['unknown field', 'hour * 2', 'hours * 2'],
      ['type', 'UPPER(hours)', 'UPPER(title)'],
      ['arity', 'ABS()', 'ABS(hours)'],
      ['cycle with itself', 'total + 1', 'hours + 1'],
      ['no type', 'NULL', 'IF(hours > 1, hours)'],
      ['single equals sign', 'hours = 2', 'hours == 2'],
    ] as const
  ).map(
    ([what, bad, good]): Sample => ({
      check: 'OBJ-003',
      what,
      fails: formula(bad),
      passes: formula(good),
      pointer: '/objects/0/fields/2/expression',
    }),
  ),
  {
    check: 'OBJ-003',
    what: 'cycle of two',
    fails: formula('other + 1', { apiName: 'other', type: 'formula', expression: 'total + 1' }),
    passes: formula('other + 1', { apiName: 'other', type: 'formula', expression: 'hours + 1' }),
    pointer: '/objects/0/fields/2/expression',
  },
  {
    check: 'OBJ-004',
    what: 'removed field',
    ...EXAMPLES['OBJ-004'],
    pointer: '/objects/0/fields',
    probes: published({}),
  },
  {
    check: 'OBJ-004',
    what: 'another type',
    fails: field({ apiName: 'hours', type: 'text' }),
    passes: field({ apiName: 'hours', type: 'currency' }),
    pointer: '/objects/0/fields/1',
    probes: published({}),
  },
  {
    check: 'OBJ-005',
    what: 'unique and not readable',
    ...EXAMPLES['OBJ-005'],
    pointer: '/objects/0/fields/1/readRoles',
  },
  {
    check: 'OBJ-005',
    what: 'unique and not readable by one of the roles that can write it',
    fails: field({
      apiName: 'a',
      type: 'text',
      is_unique: true,
      readRoles: ['admin', 'owner'],
      writeRoles: ['admin', 'member'],
    }),
    passes: field({
      apiName: 'a',
      type: 'text',
      is_unique: true,
      readRoles: ['owner', 'member', 'admin'],
      writeRoles: ['admin', 'member'],
    }),
    pointer: '/objects/0/fields/1/writeRoles/1',
  },
  {
    check: 'OBJ-005',
    what: 'unique with a default and not readable by everyone who creates records',
    fails: field({
      apiName: 'a',
      type: 'text',
      is_unique: true,
      default: 'x',
      readRoles: ['admin'],
      writeRoles: ['admin'],
    }),
    passes: field({ apiName: 'a', type: 'text', is_unique: true, default: 'x', writeRoles: ['admin'] }),
    pointer: '/objects/0/fields/1/readRoles',
  },
  {
    check: 'OBJ-005',
    what: 'required and not writable',
    fails: field({ apiName: 'a', type: 'text', required: true, writeRoles: ['admin'] }),
    passes: field({ apiName: 'a', type: 'text', required: true, writeRoles: ['admin'], default: 'x' }),
    pointer: '/objects/0/fields/1/writeRoles',
  },
  ...(
    [
      [
        'unknown key in a template',
        hook(SUBJECT, { type: 'create_task', title: '{{subjct}}' }),
        hook(SUBJECT, { type: 'create_task', title: '{{ subject }}' }),
        '/actions/0/title',
      ],
      [
        'placeholder that is not closed',
        hook(SUBJECT, { type: 'create_task', title: '{{subject' }),
        hook(SUBJECT, { type: 'create_task', title: '{subject' }),
        '/actions/0/title',
      ],
      [
        'empty placeholder',
        hook(SUBJECT, { type: 'create_task', title: '{{ }}' }),
        hook(undefined, { type: 'create_task', title: '{{anything}}' }),
        '/actions/0/title',
      ],
      [
        'step that runs later',
        hook(
          SUBJECT,
          { type: 'create_task', title: '{{made.id}}' },
          { key: 'made', type: 'create_record', object: 'visit', values: {} },
        ),
        hook(
          SUBJECT,
          { key: 'made', type: 'create_record', object: 'visit', values: {} },
          { type: 'create_task', title: '{{made.id}}' },
        ),
        '/actions/0/title',
      ],
      [
        'step twice',
        hook(SUBJECT, { key: 's', type: 'wait', seconds: 1 }, { key: 's', type: 'wait', seconds: 1 }),
        hook(SUBJECT, { key: 's', type: 'wait', seconds: 1 }, { key: 't', type: 'wait', seconds: 1 }),
        '/actions/1/key',
      ],
      [
        'step with the name of a payload key',
        hook(SUBJECT, { key: 'subject', type: 'wait', seconds: 1 }),
        hook(SUBJECT, { key: 's', type: 'wait', seconds: 1 }),
        '/actions/0/key',
      ],
      [
        'illegal key of a step',
        hook(SUBJECT, { key: 'a.b', type: 'wait', seconds: 1 }),
        hook(SUBJECT, { key: 'a_b', type: 'wait', seconds: 1 }),
        '/actions/0/key',
      ],
      [
        'placeholder as an object',
        hook(SUBJECT, { type: 'create_record', object: '{{subject}}', values: {} }),
        hook(SUBJECT, { type: 'create_record', object: 'visit', values: { title: ['{{subject}}'] } }),
        '/actions/0/object',
      ],
      [
        'placeholder as a field',
        hook(SUBJECT, { type: 'create_record', object: 'visit', values: { '{{subject}}': 1 } }),
        hook(SUBJECT, { type: 'create_record', object: 'visit', values: { title: 1 } }),
        '/actions/0/values/{{subject}}',
      ],
      [
        'placeholder as a header',
        request('https://a.example.com/', { headers: { '{{subject}}': 'a' } }),
        request('https://a.example.com/', { headers: { 'x-a': '{{subject}}' } }),
        '/actions/0/headers/{{subject}}',
      ],
      [
        'placeholder as a recipient',
        hook(SUBJECT, { type: 'send_email', to: '{{subject}}', subject: 'a', text: 'b' }),
        hook(SUBJECT, { type: 'send_email', to: 'role:admin', subject: '{{subject}}', text: '{{subject}}' }),
        '/actions/0/to',
      ],
      [
        'placeholder as an assignee',
        hook(SUBJECT, { type: 'create_task', title: 'a', assignee: '{{subject}}' }),
        hook(SUBJECT, { type: 'create_task', title: 'a', assignee: 'role:admin' }),
        '/actions/0/assignee',
      ],
      [
        'placeholder as a host',
        request('https://{{subject}}.example.com/'),
        request('https://a.example.com/{{subject}}?q={{subject}}'),
        '/actions/0/url',
      ],
      [
        'unknown key in a body',
        request('https://a.example.com/', { body: { a: [{ b: '{{nobody}}' }] } }),
        request('https://a.example.com/', { body: { a: [{ b: '{{subject}}' }] } }),
        '/actions/0/body/a/0/b',
      ],
      [
        'header with a line break',
        request('https://a.example.com/', { headers: { 'x-a': 'b\r\nc: d' } }),
        request('https://a.example.com/', { headers: { 'x-a': 'b' } }),
        '/actions/0/headers/x-a',
      ],
      [
        'name of a header',
        request('https://a.example.com/', { headers: { 'x a': 'b' } }),
        request('https://a.example.com/', { headers: { 'x-a': 'b' } }),
        '/actions/0/headers/x a',
      ],
      [
        'long pause',
        hook(SUBJECT, { type: 'wait', seconds: 1e9 }),
        hook(SUBJECT, { type: 'wait', seconds: 60 }),
        '/actions/0/seconds',
      ],
      ['no action', hook(SUBJECT), hook(SUBJECT, { type: 'wait', seconds: 1 }), '/actions'],
      [
        'condition',
        automation({ type: 'webhook_received' }, [{ type: 'wait', seconds: 1 }], { condition: 'a >' }),
        automation({ type: 'webhook_received' }, [{ type: 'wait', seconds: 1 }], { condition: 'a > 1' }),
        '/condition',
      ],
      [
        'condition against the declared type',
        automation(
          { type: 'webhook_received', payload: [{ name: 'a', type: 'text' }] },
          [{ type: 'wait', seconds: 1 }],
          { condition: 'a * 2 > 1' },
        ),
        automation(
          {
            type: 'webhook_received',
            payload: [
              { name: 'a', type: 'number' },
              { name: 'b', type: 'boolean' },
            ],
          },
          [{ type: 'wait', seconds: 1 }],
          { condition: 'a * 2 > 1 && b' },
        ),
        '/condition',
      ],
      [
        'condition against the type of an event',
        automation({ type: 'event', event: 'deal.won' }, [{ type: 'wait', seconds: 1 }], {
          condition: "amount == 'a'",
        }),
        automation({ type: 'event', event: 'deal.won' }, [{ type: 'wait', seconds: 1 }], {
          condition: "amount > 1000 && currency == 'EUR' && closeDate < TODAY() && LEN(status) > 0",
        }),
        '/condition',
      ],
      [
        'empty title',
        hook(SUBJECT, { type: 'create_task', title: '' }),
        hook(SUBJECT, { type: 'create_task', title: 'a' }),
        '/actions/0/title',
      ],
      [
        'task that is due in the past',
        hook(SUBJECT, { type: 'create_task', title: 'a', dueInDays: -1 }),
        hook(SUBJECT, { type: 'create_task', title: 'a', dueInDays: 0 }),
        '/actions/0/dueInDays',
      ],
      [
        'very many actions',
        hook(SUBJECT, ...Array.from({ length: 51 }, () => ({ type: 'wait', seconds: 1 }))),
        hook(SUBJECT, ...Array.from({ length: 50 }, () => ({ type: 'wait', seconds: 1 }))),
        '/actions',
      ],
      [
        'very many payload keys',
        hook(
          Array.from({ length: 201 }, (_, i) => ({ name: `k${i}`, type: 'text' })),
          { type: 'wait', seconds: 1 },
        ),
        hook(SUBJECT, { type: 'wait', seconds: 1 }),
        '/trigger/payload',
      ],
      [
        'step with the key by which a later one is known',
        hook(SUBJECT, { key: 'step2', type: 'wait', seconds: 1 }, { type: 'wait', seconds: 1 }),
        hook(SUBJECT, { key: 'step1', type: 'wait', seconds: 1 }, { type: 'wait', seconds: 1 }),
        '/actions/1',
      ],
      [
        'empty id',
        hook(SUBJECT, { type: 'update_record', object: 'visit', id: '', values: {} }),
        hook(SUBJECT, { type: 'update_record', object: 'visit', id: '{{subject}}', values: {} }),
        '/actions/0/id',
      ],
      [
        'very long id',
        hook(SUBJECT, { type: 'update_record', object: 'visit', id: 'a'.repeat(4001), values: {} }),
        hook(SUBJECT, { type: 'update_record', object: 'visit', id: 'a', values: {} }),
        '/actions/0/id',
      ],
      [
        'subject of two lines',
        hook(SUBJECT, { type: 'send_email', to: 'role:admin', subject: 'a\r\nBcc: b', text: 'b' }),
        hook(SUBJECT, { type: 'send_email', to: 'role:admin', subject: 'a', text: 'b\nc' }),
        '/actions/0/subject',
      ],
      [
        'no subject',
        hook(SUBJECT, { type: 'send_email', to: 'role:admin', subject: '', text: 'b' }),
        hook(SUBJECT, { type: 'send_email', to: 'role:admin', subject: 'a', text: 'b' }),
        '/actions/0/subject',
      ],
      [
        'control character in a header',
        request('https://a.example.com/', { headers: { 'x-a': 'b\u0007' } }),
        request('https://a.example.com/', { headers: { 'x-a': 'b\tc' } }),
        '/actions/0/headers/x-a',
      ],
      [
        'placeholder as a fragment',
        request('https://a.example.com/#{{subject}}'),
        request('https://a.example.com/{{subject}}#top'),
        '/actions/0/url',
      ],
      [
        'placeholder where there is no payload',
        automation({ type: 'schedule', cron: '0 7 * * *' }, [{ type: 'create_task', title: '{{subject}}' }]),
        automation({ type: 'schedule', cron: '0 7 * * *' }, [
          { key: 'made', type: 'create_record', object: 'visit', values: {} },
          { type: 'create_task', title: '{{made.id}}' },
        ]),
        '/actions/0/title',
      ],
      [
        'cron of a day that never comes',
        automation({ type: 'schedule', cron: '0 7 30 2 *' }, [{ type: 'wait', seconds: 1 }]),
        automation({ type: 'schedule', cron: '0 7 29 2 *' }, [{ type: 'wait', seconds: 1 }]),
        '/trigger/cron',
      ],
      [
        'cron',
        automation({ type: 'schedule', cron: '61 * * * *' }, [{ type: 'wait', seconds: 1 }]),
        automation({ type: 'schedule', cron: '*/5 8-18 * jan-jun mon,fri' }, [{ type: 'wait', seconds: 1 }]),
        '/trigger/cron',
      ],
      [
        'payload key twice',
        hook([...SUBJECT, ...SUBJECT], { type: 'wait', seconds: 1 }),
        hook(SUBJECT, { type: 'wait', seconds: 1 }),
        '/trigger/payload/1/name',
      ],
      [
        'key of an event',
        automation({ type: 'event', event: 'lead.created' }, [
          { type: 'create_task', title: '{{record.email}} {{surname}}' },
        ]),
        automation({ type: 'event', event: 'lead.created' }, [
          { type: 'create_task', title: '{{record.email}} {{lastName}}' },
        ]),
        '/actions/0/title',
      ],
    ] as const
  ).map(
    ([what, fails, passes, at]): Sample => ({ check: 'AUT-001', what, fails, passes, pointer: `/automations/0${at}` }),
  ),
  {
    check: 'AUT-001',
    what: 'key of two lines',
    fails: { automations: [{ ...baseManifest.automations[0], key: 'visit\nrequested' }] },
    passes: { automations: [{ ...baseManifest.automations[0], key: 'Visit requested' }] },
    pointer: '/automations/0/key',
  },
  {
    check: 'AUT-001',
    what: 'blank key',
    fails: { automations: [{ ...baseManifest.automations[0], key: ' ' }] },
    passes: UNCHANGED,
    pointer: '/automations/0/key',
  },
  {
    check: 'AUT-001',
    what: 'automation twice',
    fails: { automations: [baseManifest.automations[0], baseManifest.automations[0]] },
    passes: { automations: [baseManifest.automations[0], { ...baseManifest.automations[0], key: 'other' }] },
    pointer: '/automations/1/key',
  },
  {
    check: 'AUT-002',
    what: 'automation that starts itself',
    ...EXAMPLES['AUT-002'],
    pointer: '/automations/0',
  },
  {
    check: 'AUT-002',
    what: 'condition that reads nothing',
    fails: automation(
      { type: 'event', event: 'lead.updated' },
      [{ type: 'update_record', object: 'lead', id: 'x', values: {} }],
      { condition: 'TODAY() == TODAY() || TRUE' },
    ),
    passes: automation(
      { type: 'event', event: 'lead.updated' },
      [{ type: 'update_record', object: 'lead', id: 'x', values: {} }],
      { condition: "status == 'new'" },
    ),
    pointer: '/automations/0',
  },
  ...[
    ['always', 'TRUE', 'FALSE'],
    ['computed', '1 + 1 == 2', 'LEN("ab") > 2'],
    ['null', '!IF(FALSE, TRUE)', 'IF(FALSE, TRUE)'],
  ].map(([what, always, never]): Sample => {
    const onUpdate = (condition?: string) =>
      automation(
        { type: 'event', event: 'lead.updated' },
        [{ type: 'update_record', object: 'lead', id: 'x', values: {} }],
        { condition },
      );
    return {
      check: 'AUT-002',
      what: `condition that is constant: ${what}`,
      fails: onUpdate(always),
      passes: onUpdate(never),
      pointer: '/automations/0',
    };
  }),
  {
    check: 'AUT-002',
    what: 'condition that stops it',
    fails: automation({ type: 'event', event: 'deal.won' }, [
      { type: 'update_record', object: 'opportunity', id: 'x', values: { status: '{{record.status}}' } },
    ]),
    passes: automation(
      { type: 'event', event: 'deal.won' },
      [{ type: 'update_record', object: 'opportunity', id: 'x', values: { status: '{{record.status}}' } }],
      { condition: "status == 'open'" },
    ),
    pointer: '/automations/0',
  },
  {
    check: 'AUT-002',
    what: 'completing a task again',
    fails: automation({ type: 'event', event: 'task.completed' }, [
      { type: 'update_record', object: 'task', id: 'x', values: { status: 'completed' } },
    ]),
    passes: automation({ type: 'event', event: 'task.completed' }, [
      { type: 'update_record', object: 'task', id: 'x', values: { status: 'open' } },
    ]),
    pointer: '/automations/0',
  },
  {
    check: 'AUT-002',
    what: 'winning a deal again',
    fails: automation({ type: 'event', event: 'deal.won' }, [
      { type: 'update_record', object: 'opportunity', id: 'x', values: { status: 'won' } },
    ]),
    passes: automation({ type: 'event', event: 'deal.won' }, [
      { type: 'update_record', object: 'opportunity', id: 'x', values: { status: 7, name: 'a' } },
    ]),
    pointer: '/automations/0',
  },
  {
    check: 'AUT-002',
    what: 'updating what was updated',
    fails: automation({ type: 'event', event: 'contact.updated' }, [
      { type: 'update_record', object: 'contact', id: 'x', values: {} },
    ]),
    passes: automation({ type: 'event', event: 'contact.updated' }, [
      { type: 'update_record', object: 'nothing', id: 'x', values: {} },
      { type: 'create_record', object: 'contact', values: {} },
    ]),
    pointer: '/automations/0',
  },
  {
    check: 'AUT-002',
    what: 'circle of two',
    fails: {
      service: { produces: ['acme.next'] },
      automations: [
        {
          key: 'a',
          trigger: { type: 'event', event: 'task.created' },
          actions: [{ type: 'emit_event', name: 'acme.next' }],
        },
        { key: 'b', trigger: { type: 'event', event: 'acme.next' }, actions: [{ type: 'create_task', title: 'a' }] },
      ],
    },
    passes: {
      service: { produces: ['acme.next'] },
      automations: [
        {
          key: 'a',
          trigger: { type: 'event', event: 'task.completed' },
          actions: [{ type: 'emit_event', name: 'acme.next' }],
        },
        { key: 'b', trigger: { type: 'event', event: 'acme.next' }, actions: [{ type: 'create_task', title: 'a' }] },
      ],
    },
    pointer: '/automations/0',
  },
  {
    check: 'EVT-001',
    what: 'unknown event of a webhook',
    ...EXAMPLES['EVT-001'],
    pointer: '/webhooks/0/events/0',
  },
  {
    check: 'EVT-001',
    what: 'object name instead of the domain',
    fails: webhook('https://a.example.com/', ['opportunity.won']),
    passes: webhook('https://a.example.com/', ['deal.won']),
    pointer: '/webhooks/0/events/0',
  },
  {
    check: 'EVT-001',
    what: 'every event of a domain that does not exist',
    fails: webhook('https://a.example.com/', ['lead.created', 'opportunity.*']),
    passes: webhook('https://a.example.com/', ['lead.created', 'lead.*', 'deal.*']),
    pointer: '/webhooks/0/events/1',
  },
  {
    check: 'EVT-001',
    what: 'every event',
    fails: webhook('https://a.example.com/', ['*']),
    passes: webhook('https://a.example.com/', ['record.*']),
    pointer: '/webhooks/0/events/0',
  },
  {
    check: 'EVT-001',
    what: 'every event of a domain of the package',
    fails: { service: { produces: ['acme.done'], consumes: ['acme.*'] } },
    passes: { service: { produces: ['acme.done'], consumes: ['acme.done', 'task.*'] } },
    pointer: '/service/consumes/0',
  },
  {
    check: 'EVT-001',
    what: 'trigger on every event of a domain',
    fails: automation({ type: 'event', event: 'lead.*' }, [{ type: 'wait', seconds: 1 }]),
    passes: automation({ type: 'event', event: 'lead.updated' }, [{ type: 'wait', seconds: 1 }]),
    pointer: '/automations/0/trigger/event',
  },
  {
    check: 'EVT-001',
    what: 'unknown event of a trigger',
    fails: automation({ type: 'event', event: 'visit.created' }, [{ type: 'wait', seconds: 1 }]),
    passes: automation({ type: 'event', event: 'record.created' }, [{ type: 'wait', seconds: 1 }]),
    pointer: '/automations/0/trigger/event',
  },
  {
    check: 'EVT-001',
    what: 'event that the package does not produce',
    fails: hook(SUBJECT, { type: 'emit_event', name: 'acme.done' }),
    passes: { ...hook(SUBJECT, { type: 'emit_event', name: 'acme.done' }), service: { produces: ['acme.done'] } },
    pointer: '/automations/0/actions/0/name',
  },
  {
    check: 'EVT-001',
    what: 'name of an own event',
    fails: { service: { produces: ['Done'] } },
    passes: { service: { produces: ['acme.done'] } },
    pointer: '/service/produces/0',
  },
  {
    check: 'EVT-001',
    what: 'consumed event',
    fails: { service: { consumes: ['lead.seen'] } },
    passes: { service: { consumes: ['lead.updated'] } },
    pointer: '/service/consumes/0',
  },
  {
    check: 'CON-001',
    what: 'destination',
    ...EXAMPLES['CON-001'],
    pointer: '/connector/streams/0/destinationObject',
  },
  {
    check: 'CON-001',
    what: 'mapping',
    fails: stream({ mapping: { name: 'titel' } }),
    passes: stream({ mapping: { title: 'name' } }),
    pointer: '/connector/streams/0/mapping/name',
  },
  {
    check: 'CON-001',
    what: 'mapping into a formula',
    fails: { ...stream({ mapping: { a: 'total' } }), ...formula('1') },
    passes: { ...stream({ mapping: { a: 'title' } }), ...formula('1') },
    pointer: '/connector/streams/0/mapping/a',
  },
  {
    check: 'CON-001',
    what: 'one field from two',
    fails: stream({ mapping: { first: 'title', second: 'title' } }),
    passes: stream({ mapping: { first: 'title', second: 'hours' } }),
    pointer: '/connector/streams/0/mapping/second',
  },
  {
    check: 'CON-001',
    what: 'empty mapping',
    fails: stream({ mapping: {} }),
    passes: stream(),
    pointer: '/connector/streams/0/mapping',
  },
  {
    check: 'CON-001',
    what: 'source without a name',
    fails: stream({ mapping: { ' ': 'title' } }),
    passes: stream(),
    pointer: '/connector/streams/0/mapping/ ',
  },
  {
    check: 'CON-001',
    what: 'primary key',
    fails: stream({ primaryKey: [] }),
    passes: stream({ primaryKey: ['shop', 'id'] }),
    pointer: '/connector/streams/0/primaryKey',
  },
  {
    check: 'CON-001',
    what: 'cursor',
    fails: stream({ cursorField: '' }),
    passes: stream({ cursorField: 'updated_at' }),
    pointer: '/connector/streams/0/cursorField',
  },
  {
    check: 'CON-001',
    what: 'name',
    fails: stream({ name: ' ' }),
    passes: stream(),
    pointer: '/connector/streams/0/name',
  },
  {
    check: 'CON-001',
    what: 'page size',
    fails: connector({ pageSize: 0 }),
    passes: connector({ pageSize: 200 }),
    pointer: '/connector/pageSize',
  },
  {
    check: 'CON-001',
    what: 'retries',
    fails: connector({ maxRetries: 1000 }),
    passes: connector({ maxRetries: 5 }),
    pointer: '/connector/maxRetries',
  },
  {
    check: 'CON-001',
    what: 'schedule',
    fails: connector({ schedule: 'hourly' }),
    passes: connector({ schedule: '0 * * * *' }),
    pointer: '/connector/schedule',
  },
  {
    check: 'CON-001',
    what: 'no stream',
    fails: { connector: { streams: [] } },
    passes: stream(),
    pointer: '/connector/streams',
  },
  {
    check: 'AI-001',
    what: 'schema',
    ...EXAMPLES['AI-001'],
    pointer: '/assistant/tools/0/inputSchema',
  },
  {
    check: 'AI-001',
    what: 'schema of another type',
    fails: tool({ inputSchema: { type: 'string' } }),
    passes: tool({}),
    pointer: '/assistant/tools/0/inputSchema/type',
  },
  ...(
    [
      ['pattern', { type: 'string', pattern: '(' }, { type: 'string', pattern: '^[\\w-.]+$' }, '/pattern'],
      [
        'key of patterns',
        { patternProperties: { '[': {} } },
        { patternProperties: { '^x-': {} } },
        '/patternProperties',
      ],
      ['reference to nothing', { $ref: '#/$defs/b' }, { $ref: '#/$defs/a~1b' }, '/$ref'],
      ['anchor that is not there', { $ref: '#other' }, { $ref: '#here' }, '/$ref'],
      ['reference to no schema', { $ref: '#/type' }, { $ref: '#' }, '/$ref'],
      ['reference that is not encoded', { $ref: '#/%' }, { $ref: '#/%24defs/a~1b' }, '/$ref'],
      ['reference out of the package', { $ref: 'https://a.example.com/s' }, { $ref: '#/properties/x' }, '/$ref'],
      [
        'reference deep inside',
        { oneOf: [{}, { items: { $dynamicRef: '#nobody' } }] },
        // A value at a place for data is not a schema.
        { default: { $ref: '#nobody', pattern: '(' }, properties: { $ref: { type: 'string' } } },
        '/oneOf/1/items/$dynamicRef',
      ],
    ] as const
  ).map(([what, bad, good, at]): Sample => {
    const inputSchema = (x: object) => ({
      type: 'object',
      properties: { x, y: true },
      $defs: { 'a/b': { $anchor: 'here' } },
    });
    return {
      check: 'AI-001',
      what,
      fails: tool({ inputSchema: inputSchema(bad) }),
      passes: tool({ inputSchema: inputSchema(good) }),
      pointer: `/assistant/tools/0/inputSchema/properties/x${at}`,
    };
  }),
  ...(
    [
      ['absolute', 'https://acme.example.com/tool', 'https://acme.example.com/tool#/$defs/a'],
      ['relative', 'https://acme.example.com/tools/find', 'find#here'],
      ['to a name', 'urn:acme:find', 'urn:acme:find'],
      ['of a relative address', 'find.json', 'find.json#/$defs/a'],
      ['into a part with its own address', 'https://acme.example.com/tool', 'part#/$defs/inner'],
    ] as const
  ).map(([what, $id, $ref]): Sample => {
    const inputSchema = (own: string) => ({
      $id: own,
      type: 'object',
      properties: { x: { $ref } },
      $defs: { a: { $anchor: 'here' }, b: { $id: 'https://acme.example.com/part', $defs: { inner: true } } },
    });
    return {
      check: 'AI-001',
      what: `reference to itself, ${what}`,
      fails: tool({ inputSchema: inputSchema('https://other.example.com/x/y') }),
      passes: tool({ inputSchema: inputSchema($id) }),
      pointer: '/assistant/tools/0/inputSchema/properties/x/$ref',
    };
  }),
  {
    check: 'AI-001',
    what: 'reference to nothing in a part with its own address',
    fails: tool({
      inputSchema: { type: 'object', $defs: { a: { $id: 'part', $ref: '#/$defs/b' }, b: true } },
    }),
    passes: tool({
      inputSchema: { type: 'object', $defs: { a: { $id: 'part', $ref: '#/$defs/b', $defs: { b: true } } } },
    }),
    pointer: '/assistant/tools/0/inputSchema/$defs/a/$ref',
  },
  {
    check: 'AI-001',
    what: 'no scope',
    fails: tool({ scope: undefined }),
    passes: tool({}),
    pointer: '/assistant/tools/0',
  },
  {
    check: 'AI-001',
    what: 'unknown scope',
    fails: tool({ scope: 'lead:read' }),
    passes: tool({}),
    pointer: '/assistant/tools/0/scope',
  },
  {
    check: 'AI-001',
    what: 'writing without confirmation',
    fails: tool({ readOnly: false }),
    passes: tool({ readOnly: false, requiresConfirmation: true }),
    pointer: '/assistant/tools/0',
  },
  {
    check: 'AI-001',
    what: 'name',
    fails: tool({ name: 'find leads' }),
    passes: tool({ name: 'find_leads' }),
    pointer: '/assistant/tools/0/name',
  },
  { check: 'LST-001', what: 'no summary', ...EXAMPLES['LST-001'], pointer: '/listing/summary' },
  {
    check: 'LST-001',
    what: 'no publisher',
    fails: { publisher: undefined },
    passes: UNCHANGED,
    pointer: '/publisher/privacyUrl',
  },
  ...(
    [
      ['publisher', 'privacyUrl', 'javascript:alert(1)'],
      ['publisher', 'termsUrl', ' JavaScript:alert(1)'],
      ['publisher', 'website', 'data:text/html,a'],
      ['listing', 'icon', 'vbscript:a'],
      ['listing', 'icon', 'data:text/html,a'],
    ] as const
  ).map(
    ([section, key, url]): Sample => ({
      check: 'LST-001',
      what: `${key} ${url}`,
      fails: { [section]: { ...baseManifest[section], [key]: url } },
      passes: {
        publisher: { ...baseManifest.publisher, website: 'https://www.example.com/' },
        listing: { ...baseManifest.listing, icon: 'data:image/png;base64,AA==', screenshots: ['list.png'] },
      },
      pointer: `/${section}/${key}`,
    }),
  ),
  {
    check: 'LST-001',
    what: 'screenshot',
    fails: { listing: { ...baseManifest.listing, screenshots: ['https://a.example.com/', 'blob:a'] } },
    passes: { listing: { ...baseManifest.listing, screenshots: ['https://a.example.com/'] } },
    pointer: '/listing/screenshots/1',
  },
  ...(
    [
      ['missing component', { ...packet, testInstructions: undefined }, packet, '/testInstructions'],
      ['empty component', { ...packet, securityQuestionnaire: {} }, packet, '/securityQuestionnaire'],
      ['blank text', { ...packet, testInstructions: '  ' }, packet, '/testInstructions'],
      [
        'refused attestation',
        { ...packet, sandboxAttestation: false },
        { ...packet, sandboxAttestation: 'Tested.' },
        '/sandboxAttestation',
      ],
      ['video without https', { ...packet, demoVideo: 'http://videos.example.com/1' }, packet, '/demoVideo'],
      [
        'hash of another manifest',
        { ...packet, sandboxAttestation: { manifestSha256: 'a'.repeat(64) } },
        packet,
        '/sandboxAttestation/manifestSha256',
      ],
      [
        'hash of another manifest in a text',
        { ...packet, sandboxAttestation: `Tested ${'b'.repeat(64)}.` },
        packet,
        '/sandboxAttestation',
      ],
      ...[
        { statement: `Tested sha256_${'c'.repeat(64)}.` },
        [{ sha256: 'c'.repeat(64) }],
        { runs: [{ of: ['c'.repeat(64)] }] },
      ].map(
        (sandboxAttestation) =>
          [
            `hash of another manifest in ${JSON.stringify(sandboxAttestation).slice(0, 20)}`,
            { ...packet, sandboxAttestation },
            { ...packet, sandboxAttestation: { statement: `Video ${'c'.repeat(65)}.` } },
            `/sandboxAttestation${JSON.stringify(sandboxAttestation).includes('statement') ? '/statement' : Array.isArray(sandboxAttestation) ? '/0/sha256' : '/runs/0/of/0'}`,
          ] as const,
      ),
      ['no packet', undefined, packet, ''],
      ['list', [], packet, ''],
    ] as const
  ).map(
    ([what, fails, passes, at]): Sample => ({
      check: 'REV-001',
      what,
      fails: {},
      passes: {},
      pointer: at,
      packets: { fails: clean(fails), passes },
    }),
  ),
  ...(
    [
      ['private key', '-----BEGIN RSA PRIVATE KEY-----\nMIIE'],
      ['AWS key', 'AKIAIOSFODNN7EXAMPLE'],
      ['GitHub token', `ghp_${'a1'.repeat(18)}`],
      ['Slack token', 'xoxb-123456789012-abcdef'],
      ['Stripe key', `sk_${'live'}_${'a1'.repeat(12)}`],
      ['Google key', `AIza${'a'.repeat(35)}`],
      ['webhook secret', `whsec_${'a'.repeat(32)}`],
      ['webhook signing key', `whsk_${'a'.repeat(43)}=`],
      ['JSON Web Token', `eyJ${'a'.repeat(12)}.eyJ${'b'.repeat(12)}.${'c'.repeat(12)}`],
      ['password in a URL', 'postgres://app:hunter2@db.example.com/crm'],
      ['bearer token', `Bearer ${'a1'.repeat(12)}`],
    ] as const
  ).map(
    ([what, secret]): Sample => ({
      check: 'SEC-001',
      what,
      fails: { listing: { summary: 'a', description: `See ${secret}` } },
      passes: { listing: { summary: 'a', description: 'Ask for a token, an API key or a password.' } },
      pointer: '/listing/description',
    }),
  ),
  {
    check: 'SEC-001',
    what: 'header with a literal key',
    fails: request('https://a.example.com/', { headers: { 'X-Api-Key': 'abcdef0123456789' } }),
    passes: request('https://a.example.com/', { headers: { 'X-Api-Key': '{{subject}}' } }),
    pointer: '/automations/0/actions/0/headers/X-Api-Key',
  },
];

/** Where OBJ-002 points for each kind of problem. */
function expect1(what: string): string {
  const places: Record<string, string> = {
    'picklist without options': '/options',
    'reference without a target': '/referenceTarget',
    'rule that does not fit': '/validationRules/0',
    'pattern with look-ahead': '/validationRules/0/value',
    'default that is no option': '/default',
    'required reference that is unset': '/onDelete',
    'index of a list of options': '/indexed',
    'formula without an expression': '/expression',
    'expression of a text': '/expression',
  };
  return `/objects/0/fields/1${places[what] ?? ''}`;
}

function clean(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

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

type Row = [what: string, fails: Fragment, passes: Fragment, pointer?: string, probes?: CertificationProbes];

/** @param at what the pointers of all rows begin with */
const samples = (check: string, at: string, rows: readonly Row[]): Sample[] =>
  rows.map(([what, fails, passes, pointer = '', probes]) => {
    return { check, what, fails, passes, pointer: at + pointer, ...(probes && { probes }) };
  });

/** Rows whose two packages differ in one part. */
const twins = <Part>(
  make: (part: Part) => Fragment,
  rows: readonly [what: string, bad: Part, good: Part, pointer?: string][],
): Row[] => rows.map(([what, bad, good, pointer]) => [what, make(bad), make(good), pointer]);

/** The example that the page of the check shows. */
function example(check: keyof typeof EXAMPLES, what: string, pointer: string, probes?: CertificationProbes): Sample[] {
  const { fails, passes }: { fails: Fragment; passes: Fragment } = EXAMPLES[check];
  return samples(check, pointer, [[what, fails, passes, '', probes]]);
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
const on = (event: string, actions: Fragment[], more: Fragment = {}): Fragment =>
  automation({ type: 'event', event }, actions, more);
const hook = (payload: Fragment[] | undefined, ...actions: Fragment[]): Fragment =>
  automation({ type: 'webhook_received', ...(payload && { payload }) }, actions);
const SUBJECT = [{ name: 'subject', type: 'text' }];
const after = (...actions: Fragment[]): Fragment => hook(SUBJECT, ...actions);
const webhook = (url: string, ...events: string[]): Fragment => ({
  webhooks: [{ events: events.length > 0 ? events : ['lead.created'], url }],
});
const webhookOn = (...events: string[]): Fragment => webhook('https://a.example.com/', ...events);
const request = (url: string, more: Fragment = {}): Fragment => after({ type: 'http_request', url, ...more });
const header = (name: string, value: string): Fragment =>
  request('https://a.example.com/', { headers: { [name]: value } });

const WAIT = { type: 'wait', seconds: 1 };
const task = (title: string, more: Fragment = {}): Fragment => ({ type: 'create_task', title, ...more });
const create = (name: string, values: Fragment = {}): Fragment => ({ type: 'create_record', object: name, values });
const update = (name: string, values: Fragment = {}, id = 'x'): Fragment => ({
  type: 'update_record',
  object: name,
  id,
  values,
});
const mail = (to: unknown, more: Fragment = {}): Fragment => ({
  type: 'send_email',
  to,
  subject: 'a',
  text: 'b',
  ...more,
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
const origins = (...allowedOrigins: string[]): Fragment => ({ embed: { allowedOrigins } });
const redirects = (...redirectUris: string[]): Fragment => ({ oauth: { redirectUris } });
const published = (fragment: Fragment): CertificationProbes => ({
  publishedManifest: async () => manifestWith(fragment) as unknown as Manifest,
});
/** A passing fragment for checks that have nothing to check. */
const UNCHANGED: Fragment = {};

const TEXT = { apiName: 'a', type: 'text' };
const UNIQUE = { ...TEXT, is_unique: true };
const referenceTo = (referenceTarget: string): Fragment => field({ apiName: 'a', type: 'reference', referenceTarget });
const textWith = (more: Fragment): Fragment => field({ ...TEXT, ...more });
const fieldOf = (more: Fragment): Fragment => field({ apiName: 'a', ...more });
const RECIPIENTS = ['a@example.com', '0198c0de-0000-7000-8000-000000000001', 'role:planner'];

const MANIFEST: Sample[] = [
  ...example('MAN-001', 'unknown key', '/webhook'),
  ...samples('MAN-001', '', [
    ['missing key', { name: undefined }, UNCHANGED],
    ['wrong type', { name: 7 }, UNCHANGED, '/name'],
    ['unknown kind', { kind: 'industry' }, UNCHANGED, '/kind'],
    ['version', { version: '1.0' }, { version: '1.0.0-rc.1+5' }, '/version'],
    ['key', { key: 'Acme Visits' }, { key: 'acme-visits-2' }, '/key'],
    [
      'unknown key inside a field',
      field({ ...TEXT, readRole: [] }),
      field({ ...TEXT, readRoles: [] }),
      '/objects/0/fields/1/readRole',
    ],
    [
      'unknown type of action',
      after({ ...create('visit'), type: 'create_records' }),
      after(create('visit')),
      '/automations/0/actions/0/type',
    ],
    [
      'action without a key that it needs',
      after({ type: 'create_task' }),
      after(task('Call')),
      '/automations/0/actions/0',
    ],
    [
      'key of another trigger',
      automation({ type: 'webhook_received', cron: '0 * * * *' }, [WAIT]),
      automation({ type: 'schedule', cron: '0 * * * *' }, [WAIT]),
      '/automations/0/trigger/cron',
    ],
    [
      'wrong key in a permission',
      { permissions: [{ scope: 'leads', reason: 'a' }] },
      { permissions: [{ scope: 'leads', purpose: 'a' }] },
      '/permissions/0/reason',
    ],
  ]),
  ...example('MAN-002', 'key of another publisher', '/key', {
    keyOwnership: async (key) => (key === 'taken' ? 'other' : 'own'),
  }),
  ...example('MAN-003', 'version that was submitted before', '/version', {
    submittedVersions: async () => ['1.9.0', '1.10.0', '1.2.0-beta', 'no version'],
  }),
  ...samples('MAN-004', '', [
    [
      'name field',
      object({ apiName: 'visit', nameField: 'titel', fields: [{ apiName: 'title', type: 'text' }] }),
      object({ apiName: 'visit', nameField: 'title', fields: [{ apiName: 'title', type: 'text' }] }),
      '/objects/0/nameField',
    ],
    ['role of an app', { roles: [{ name: 'app:acme' }] }, { roles: [{ name: 'apprentice' }] }, '/roles/0/name'],
    ['built-in role', { roles: [{ name: 'admin' }] }, UNCHANGED, '/roles/0/name'],
    ['role declared twice', { roles: [{ name: 'planner' }, { name: 'planner' }] }, UNCHANGED, '/roles/1/name'],
    ...['', ' planner', 'site\nplanner', 'planner\u0007'].map(
      (name): Row => [
        `role ${JSON.stringify(name)}`,
        { roles: [{ name }] },
        { roles: [{ name: 'Planer für Besuche' }] },
        '/roles/0/name',
      ],
    ),
    ...['everybody', '', 'a@b@c', 'role:', '0198c0de-0000-7000-8000'].map(
      (to): Row => [
        `recipient ${JSON.stringify(to)}`,
        after(mail(['role:admin', to])),
        after(mail(RECIPIENTS)),
        '/automations/0/actions/0/to/1',
      ],
    ),
  ]),
  ...samples(
    'MAN-004',
    '/objects/0/fields/1/referenceTarget',
    twins(referenceTo, [
      ['reference to an object of the package', 'custom:visits', 'custom:visit'],
      ['reference to a core object', 'deal', 'opportunity'],
    ]),
  ),
  ...samples(
    'MAN-004',
    '/objects/0/fields/1/',
    twins(textWith, [
      ['role of a field', { readRoles: ['admin', 'planer'] }, { readRoles: ['admin', 'planner'] }, 'readRoles/1'],
      [
        'role of every app',
        { readRoles: ['admin', 'app'] },
        { readRoles: ['admin', 'app:acme-visits'] },
        'readRoles/1',
      ],
      [
        'role of an app with an impossible key',
        { writeRoles: ['app:Acme'] },
        { writeRoles: ['app:acme.other_app'] },
        'writeRoles/0',
      ],
    ]),
  ),
  ...samples(
    'MAN-004',
    '/automations/0/actions/0',
    twins<Fragment>(after, [
      ['e-mail to nobody', mail([]), mail('a@example.com'), '/to'],
      ['object of an action', create('visits'), create('custom:visit'), '/object'],
      ['core object by the name of a custom one', create('custom:lead'), create('lead'), '/object'],
      [
        'field of an action',
        update('visit', { hour: 1 }, '{{subject}}'),
        update('visit', { hours: 1 }, '{{subject}}'),
        '/values/hour',
      ],
      [
        'field of a core object',
        create('lead', { lastname: 'a' }),
        create('lead', { lastName: 'a' }),
        '/values/lastname',
      ],
      ['role of an e-mail', mail(['role:admins']), mail(['role:admin', 'a@example.com']), '/to/0'],
    ]),
  ),
  ...samples('MAN-005', '/kind', [
    ['industry app without content', { objects: [], automations: undefined }, { automations: undefined }],
    ['connector', { kind: 'data_connector' }, { kind: 'data_connector', ...stream() }],
    ['assistant', { kind: 'ai_assistant' }, { kind: 'ai_assistant', ...tool({}) }],
    ['event service', { kind: 'event_service' }, { kind: 'event_service', ...webhook('https://hooks.example.com/') }],
  ]),
];

const embedScopes = (...scopes: string[]): Fragment => ({ embed: { allowedOrigins: [], scopes } });

/** A package without objects and automations that needs scopes: with too few of them, and with those that it needs. */
const needing = (what: string, fragment: Fragment, few: string[], enough: string[], pointer: string): Row => [
  what,
  { ...fragment, ...only(...few) },
  { ...fragment, ...only(...enough) },
  pointer,
];
const NO_OBJECTS = { objects: undefined, automations: undefined };

const SCOPES: Sample[] = [
  ...example('SCP-001', 'unknown scope', '/permissions/0/scope'),
  ...samples('SCP-001', '', [
    ['unknown scope as a text', { permissions: ['leads:write'] }, { permissions: ['leads:read'] }, '/permissions/0'],
    ['reserved scope', only('admin'), only('agent'), '/permissions/0/scope'],
    [
      'scope of embedded sessions',
      embedScopes('everything'),
      embedScopes('leads', 'pipeline', 'agent'),
      '/embed/scopes/0',
    ],
  ]),
  ...example('SCP-002', 'no purpose', '/permissions/0'),
  ...example('SCP-003', 'unused scope', '/permissions/6/scope'),
  ...example('SCP-004', 'new scope', '/permissions/6/scope', published({})),
  ...samples('SCP-004', '', [
    [
      'new event and host',
      webhook('https://new.example.com/', 'lead.updated'),
      webhook('https://old.example.com/2'),
      '/webhooks/0/events/0',
      published(webhook('https://old.example.com/1')),
    ],
    [
      'domain instead of its events',
      webhookOn('deal.*'),
      webhookOn('deal.won'),
      '/webhooks/0/events/0',
      published(webhookOn('deal.won')),
    ],
    [
      'new formula that exposes',
      formula('hours', { apiName: 'band', type: 'formula', expression: 'hours > 5', exposes: true }),
      formula('hours', { apiName: 'band', type: 'formula', expression: 'hours > 5' }),
      '/objects/0/fields/2',
      published(formula('hours')),
    ],
  ]),
  ...samples('SCP-005', '', [
    needing('object', object({ apiName: 'visit', fields: [] }), ['tasks'], ['custom_objects'], '/objects/0'),
    [
      'webhook on leads',
      { ...NO_OBJECTS, ...webhookOn(), ...only('tasks') },
      { ...NO_OBJECTS, ...webhookOn(), permissions: ['leads:read'] },
      '/webhooks/0/events/0',
    ],
    needing(
      'webhook on every event of a domain',
      { ...NO_OBJECTS, ...webhookOn('app.*', 'webhook.*', 'deal.*') },
      ['leads'],
      ['pipeline'],
      '/webhooks/0/events/2',
    ),
    needing(
      'action on a deal',
      { ...after(create('opportunity')), objects: [] },
      ['automations', 'pipeline:read'],
      ['automations', 'pipeline'],
      '/automations/0/actions/0',
    ),
    needing(
      'task',
      { ...after(task('a')), objects: [] },
      ['automations'],
      ['automations', 'tasks'],
      '/automations/0/actions/0',
    ),
    needing('automation', { ...after(WAIT), objects: [] }, ['tasks'], ['automations'], '/automations/0'),
    needing(
      'trigger',
      { ...on('deal.won', [WAIT]), objects: [] },
      ['automations'],
      ['automations', 'pipeline:read'],
      '/automations/0/trigger/event',
    ),
    [
      'tool and stream',
      { ...tool({ scope: 'companies' }), ...stream({ destinationObject: 'company', mapping: { a: 'name' } }) },
      {
        ...tool({ scope: 'companies' }),
        ...stream({ destinationObject: 'company', mapping: { a: 'name' } }),
        permissions: [...baseManifest.permissions, { scope: 'companies', purpose: 'Needed.' }],
      },
      '/connector/streams/0/destinationObject',
    ],
  ]),
];

const NETWORK: Sample[] = [
  ...example('NET-001', 'private address', '/webhooks/0/url'),
  ...samples(
    'NET-001',
    '/webhooks/0/url',
    twins<string>(webhook, [
      ['plain http', 'http://hooks.example.com/', 'https://hooks.example.com/'],
      ['address in another notation', 'https://0x7f.1/', 'https://8.8.8.8/'],
      ['private name', 'https://crm.internal./', 'https://crm.example.com./'],
      ['port', 'https://hooks.example.com:8443/', 'https://hooks.example.com:443/'],
    ]),
  ),
  ...samples(
    'NET-001',
    '/automations/0/actions/0/url',
    twins<string>(request, [
      ['target of an action', 'https://localhost/', 'https://api.example.com/{{subject}}'],
      ['host from a placeholder', 'https://{{subject}}/', 'https://api.example.com/?q={{subject}}'],
      [
        'length with its placeholders',
        `https://api.example.com/{{${' '.repeat(700)}subject}}`,
        `https://api.example.com/{{${' '.repeat(20)}subject}}`,
      ],
    ]),
  ),
  ...samples('NET-001', '', [
    ['connector', stream({ url: 'https://[::1]/' }), stream(), '/connector/streams/0/url'],
    [
      'server of an assistant',
      { assistant: { mcpServers: ['https://mcp.example.com/', { url: 'https://metadata.google.internal/' }] } },
      { assistant: { mcpServers: ['https://mcp.example.com/', { url: 'https://8.8.4.4/' }] } },
      '/assistant/mcpServers/1/url',
    ],
    [
      'name that leads to a private address',
      webhook('https://inside.example.com/'),
      webhook('https://outside.example.com/'),
      '/webhooks/0/url',
      { resolveHost: async (host) => (host.startsWith('inside') ? ['1.1.1.1', '10.0.0.1'] : ['1.1.1.1']) },
    ],
  ]),
  ...example('NET-003', 'name that does not resolve', '/webhooks/0/url', {
    resolveHost: async (host) => {
      if (host.startsWith('gone')) throw new Error('ENOTFOUND');
      return ['1.1.1.1'];
    },
  }),
  ...samples('NET-002', '/embed/allowedOrigins', [
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
    ].map((origin): Row => [`origin ${origin}`, origins(origin), EXAMPLES['NET-002'].passes, '/0']),
    [
      'too many origins',
      origins(...Array.from({ length: 51 }, (_, i) => `https://host-${i}.example.com`)),
      origins(...Array.from({ length: 50 }, (_, i) => `https://host-${i}.example.com`)),
    ],
    ['too long an origin', origins(`https://${'a'.repeat(254)}`), origins(`https://${'a'.repeat(253)}:65535`), '/0'],
  ]),
  ...samples('NET-004', '/oauth/redirectUris', [
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
    ].map((uri): Row => [`redirect URI ${uri.slice(0, 60)}`, redirects(uri), EXAMPLES['NET-004'].passes, '/0']),
    ...[[], Array.from({ length: 21 }, (_, i) => `https://app.example.com/${i}`)].map(
      (uris): Row => [
        `${uris.length} redirect URIs`,
        redirects(...uris),
        redirects('https://app.example.com/callback'),
      ],
    ),
    [
      'a redirect URI twice',
      redirects('https://app.example.com/callback', 'https://app.example.com/callback'),
      redirects('https://app.example.com/callback'),
      '/1',
    ],
  ]),
];

const empty = (apiName: string): Fragment => ({ apiName, fields: [] });

const OBJECTS: Sample[] = [
  ...samples('OBJ-001', '', [
    ...['lead', 'id', 'null', 'sbx_visit', '2visits', 'Visit', 'site-visit'].map(
      (name): Row => [`object ${name}`, object(empty(name)), object(empty('visit')), '/objects/0/apiName'],
    ),
    ...['id', 'createdAt', 'NOT', 'version', 'a b', `a${'b'.repeat(40)}`].map(
      (apiName): Row => [
        `field ${apiName}`,
        field({ apiName, type: 'text' }),
        field({ apiName: 'if', type: 'text' }),
        '/objects/0/fields/1/apiName',
      ],
    ),
    ['object twice', object(empty('a'), empty('a')), object(empty('a'), empty('b')), '/objects/1/apiName'],
    [
      'field twice',
      field({ apiName: 'title', type: 'text' }),
      field({ apiName: 'title2', type: 'text' }),
      '/objects/0/fields/1/apiName',
    ],
  ]),
  ...samples(
    'OBJ-002',
    '/objects/0/fields/1/',
    twins(fieldOf, [
      ['picklist without options', { type: 'picklist' }, { type: 'picklist', options: ['a'] }, 'options'],
      [
        'reference without a target',
        { type: 'reference' },
        { type: 'reference', referenceTarget: 'lead' },
        'referenceTarget',
      ],
      [
        'rule that does not fit',
        { type: 'text', validationRules: [{ type: 'min', value: 1 }] },
        { type: 'number', validationRules: [{ type: 'min', value: 1 }] },
        'validationRules/0',
      ],
      [
        'pattern with look-ahead',
        { type: 'text', validationRules: [{ type: 'regex', value: '(?=a)b' }] },
        { type: 'text', validationRules: [{ type: 'regex', value: '^[a-z]+$' }] },
        'validationRules/0/value',
      ],
      [
        'default that is no option',
        { type: 'picklist', options: ['a'], default: 'b' },
        { type: 'picklist', options: ['a'], default: 'a' },
        'default',
      ],
      [
        'required reference that is unset',
        { type: 'reference', referenceTarget: 'lead', required: true, onDelete: 'set_null' },
        { type: 'reference', referenceTarget: 'lead', required: true, onDelete: 'restrict' },
        'onDelete',
      ],
      [
        'index of a list of options',
        { type: 'multi_select', options: ['a'], indexed: true },
        { type: 'date', indexed: true },
        'indexed',
      ],
      ['formula without an expression', { type: 'formula' }, { type: 'formula', expression: '1' }, 'expression'],
      ['expression of a text', { type: 'text', expression: '1' }, { type: 'text' }, 'expression'],
    ]),
  ),
  ...samples('OBJ-003', '/objects/0/fields/2/expression', [
    ...twins<string>(formula, [
      ['syntax', 'hours *', 'hours * 2'],
      ['unknown field', 'hour * 2', 'hours * 2'],
      ['type', 'UPPER(hours)', 'UPPER(title)'],
      ['arity', 'ABS()', 'ABS(hours)'],
      ['cycle with itself', 'total + 1', 'hours + 1'],
      ['no type', 'NULL', 'IF(hours > 1, hours)'],
      ['single equals sign', 'hours = 2', 'hours == 2'],
    ]),
    [
      'cycle of two',
      formula('other + 1', { apiName: 'other', type: 'formula', expression: 'total + 1' }),
      formula('other + 1', { apiName: 'other', type: 'formula', expression: 'hours + 1' }),
    ],
  ]),
  ...example('OBJ-004', 'removed field', '/objects/0/fields', published({})),
  ...samples('OBJ-004', '/objects/0/fields/1', [
    [
      'another type',
      field({ apiName: 'hours', type: 'text' }),
      field({ apiName: 'hours', type: 'currency' }),
      '',
      published({}),
    ],
  ]),
  ...example('OBJ-005', 'unique and not readable', '/objects/0/fields/1/readRoles'),
  ...samples('OBJ-005', '/objects/0/fields/1/', [
    [
      'unique and not readable by one of the roles that can write it',
      field({ ...UNIQUE, readRoles: ['admin', 'owner'], writeRoles: ['admin', 'member'] }),
      field({ ...UNIQUE, readRoles: ['owner', 'member', 'admin'], writeRoles: ['admin', 'member'] }),
      'writeRoles/1',
    ],
    [
      'unique with a default and not readable by everyone who creates records',
      field({ ...UNIQUE, default: 'x', readRoles: ['admin'], writeRoles: ['admin'] }),
      field({ ...UNIQUE, default: 'x', writeRoles: ['admin'] }),
      'readRoles',
    ],
    [
      'required and not writable',
      field({ ...TEXT, required: true, writeRoles: ['admin'] }),
      field({ ...TEXT, required: true, writeRoles: ['admin'], default: 'x' }),
      'writeRoles',
    ],
  ]),
];

const MADE = { key: 'made', ...create('visit') };
const DAILY = { type: 'schedule', cron: '0 7 * * *' };
const onHook = (condition: string, payload?: Fragment[]): Fragment =>
  automation({ type: 'webhook_received', ...(payload && { payload }) }, [WAIT], { condition });
const scheduled = (cron: string): Fragment => automation({ type: 'schedule', cron }, [WAIT]);
const waits = (count: number): Fragment => after(...Array.from({ length: count }, () => WAIT));
const keyed = (key: string, ...more: Fragment[]): Fragment => after({ key, ...WAIT }, ...more);
const BASE_AUTOMATION = baseManifest.automations[0];
const whenUpdated = (condition?: string): Fragment => on('lead.updated', [update('lead')], { condition });
const DEAL_UPDATE = update('opportunity', { status: '{{record.status}}' });
const emitting = (event: string): Fragment => ({
  service: { produces: ['acme.next'] },
  automations: [
    { key: 'a', trigger: { type: 'event', event }, actions: [{ type: 'emit_event', name: 'acme.next' }] },
    { key: 'b', trigger: { type: 'event', event: 'acme.next' }, actions: [task('a')] },
  ],
});

const AUTOMATIONS: Sample[] = [
  ...samples('AUT-001', '/automations/0', [
    ['unknown key in a template', after(task('{{subjct}}')), after(task('{{ subject }}')), '/actions/0/title'],
    ['placeholder that is not closed', after(task('{{subject')), after(task('{subject')), '/actions/0/title'],
    ['empty placeholder', after(task('{{ }}')), hook(undefined, task('{{anything}}')), '/actions/0/title'],
    ['step that runs later', after(task('{{made.id}}'), MADE), after(MADE, task('{{made.id}}')), '/actions/0/title'],
    ['step twice', keyed('s', { key: 's', ...WAIT }), keyed('s', { key: 't', ...WAIT }), '/actions/1/key'],
    ['step with the name of a payload key', keyed('subject'), keyed('s'), '/actions/0/key'],
    ['illegal key of a step', keyed('a.b'), keyed('a_b'), '/actions/0/key'],
    [
      'placeholder as an object',
      after(create('{{subject}}')),
      after(create('visit', { title: ['{{subject}}'] })),
      '/actions/0/object',
    ],
    [
      'placeholder as a field',
      after(create('visit', { '{{subject}}': 1 })),
      after(create('visit', { title: 1 })),
      '/actions/0/values/{{subject}}',
    ],
    [
      'placeholder as a header',
      header('{{subject}}', 'a'),
      header('x-a', '{{subject}}'),
      '/actions/0/headers/{{subject}}',
    ],
    [
      'placeholder as a recipient',
      after(mail('{{subject}}')),
      after(mail('role:admin', { subject: '{{subject}}', text: '{{subject}}' })),
      '/actions/0/to',
    ],
    [
      'placeholder as an assignee',
      after(task('a', { assignee: '{{subject}}' })),
      after(task('a', { assignee: 'role:admin' })),
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
    ['header with a line break', header('x-a', 'b\r\nc: d'), header('x-a', 'b'), '/actions/0/headers/x-a'],
    ['name of a header', header('x a', 'b'), header('x-a', 'b'), '/actions/0/headers/x a'],
    ['long pause', after({ type: 'wait', seconds: 1e9 }), after({ type: 'wait', seconds: 60 }), '/actions/0/seconds'],
    ['no action', after(), after(WAIT), '/actions'],
    ['condition', onHook('a >'), onHook('a > 1'), '/condition'],
    [
      'condition against the declared type',
      onHook('a * 2 > 1', [{ name: 'a', type: 'text' }]),
      onHook('a * 2 > 1 && b', [
        { name: 'a', type: 'number' },
        { name: 'b', type: 'boolean' },
      ]),
      '/condition',
    ],
    [
      'condition against the type of an event',
      on('deal.won', [WAIT], { condition: "amount == 'a'" }),
      on('deal.won', [WAIT], {
        condition: "amount > 1000 && currency == 'EUR' && closeDate < TODAY() && LEN(status) > 0",
      }),
      '/condition',
    ],
    ['empty title', after(task('')), after(task('a')), '/actions/0/title'],
    [
      'task that is due in the past',
      after(task('a', { dueInDays: -1 })),
      after(task('a', { dueInDays: 0 })),
      '/actions/0/dueInDays',
    ],
    ['very many actions', waits(51), waits(50), '/actions'],
    [
      'very many payload keys',
      hook(
        Array.from({ length: 201 }, (_, i) => ({ name: `k${i}`, type: 'text' })),
        WAIT,
      ),
      after(WAIT),
      '/trigger/payload',
    ],
    ['step with the key by which a later one is known', keyed('step2', WAIT), keyed('step1', WAIT), '/actions/1'],
    ['empty id', after(update('visit', {}, '')), after(update('visit', {}, '{{subject}}')), '/actions/0/id'],
    ['very long id', after(update('visit', {}, 'a'.repeat(4001))), after(update('visit', {}, 'a')), '/actions/0/id'],
    [
      'subject of two lines',
      after(mail('role:admin', { subject: 'a\r\nBcc: b' })),
      after(mail('role:admin', { text: 'b\nc' })),
      '/actions/0/subject',
    ],
    ['no subject', after(mail('role:admin', { subject: '' })), after(mail('role:admin')), '/actions/0/subject'],
    ['control character in a header', header('x-a', 'b\u0007'), header('x-a', 'b\tc'), '/actions/0/headers/x-a'],
    [
      'placeholder as a fragment',
      request('https://a.example.com/#{{subject}}'),
      request('https://a.example.com/{{subject}}#top'),
      '/actions/0/url',
    ],
    [
      'placeholder where there is no payload',
      automation(DAILY, [task('{{subject}}')]),
      automation(DAILY, [MADE, task('{{made.id}}')]),
      '/actions/0/title',
    ],
    ['cron of a day that never comes', scheduled('0 7 30 2 *'), scheduled('0 7 29 2 *'), '/trigger/cron'],
    ['cron', scheduled('61 * * * *'), scheduled('*/5 8-18 * jan-jun mon,fri'), '/trigger/cron'],
    ['payload key twice', hook([...SUBJECT, ...SUBJECT], WAIT), after(WAIT), '/trigger/payload/1/name'],
    [
      'key of an event',
      on('lead.created', [task('{{record.email}} {{surname}}')]),
      on('lead.created', [task('{{record.email}} {{lastName}}')]),
      '/actions/0/title',
    ],
  ]),
  ...samples('AUT-001', '/automations/', [
    [
      'key of two lines',
      { automations: [{ ...BASE_AUTOMATION, key: 'visit\nrequested' }] },
      { automations: [{ ...BASE_AUTOMATION, key: 'Visit requested' }] },
      '0/key',
    ],
    ['blank key', { automations: [{ ...BASE_AUTOMATION, key: ' ' }] }, UNCHANGED, '0/key'],
    [
      'automation twice',
      { automations: [BASE_AUTOMATION, BASE_AUTOMATION] },
      { automations: [BASE_AUTOMATION, { ...BASE_AUTOMATION, key: 'other' }] },
      '1/key',
    ],
  ]),
  ...example('AUT-002', 'automation that starts itself', '/automations/0'),
  ...samples('AUT-002', '/automations/0', [
    ['condition that reads nothing', whenUpdated('TODAY() == TODAY() || TRUE'), whenUpdated("status == 'new'")],
    ['condition that is constant: always', whenUpdated('TRUE'), whenUpdated('FALSE')],
    ['condition that is constant: computed', whenUpdated('1 + 1 == 2'), whenUpdated('LEN("ab") > 2')],
    ['condition that is constant: null', whenUpdated('!IF(FALSE, TRUE)'), whenUpdated('IF(FALSE, TRUE)')],
    [
      'condition that stops it',
      on('deal.won', [DEAL_UPDATE]),
      on('deal.won', [DEAL_UPDATE], { condition: "status == 'open'" }),
    ],
    [
      'completing a task again',
      on('task.completed', [update('task', { status: 'completed' })]),
      on('task.completed', [update('task', { status: 'open' })]),
    ],
    [
      'winning a deal again',
      on('deal.won', [update('opportunity', { status: 'won' })]),
      on('deal.won', [update('opportunity', { status: 7, name: 'a' })]),
    ],
    [
      'updating what was updated',
      on('contact.updated', [update('contact')]),
      on('contact.updated', [update('nothing'), create('contact')]),
    ],
    ['circle of two', emitting('task.created'), emitting('task.completed')],
  ]),
];

const service = (section: { produces?: string[]; consumes?: string[] }): Fragment => ({ service: section });
const DONE = after({ type: 'emit_event', name: 'acme.done' });

const EVENTS: Sample[] = [
  ...example('EVT-001', 'unknown event of a webhook', '/webhooks/0/events/0'),
  ...samples('EVT-001', '/', [
    ['object name instead of the domain', webhookOn('opportunity.won'), webhookOn('deal.won'), 'webhooks/0/events/0'],
    [
      'every event of a domain that does not exist',
      webhookOn('lead.created', 'opportunity.*'),
      webhookOn('lead.created', 'lead.*', 'deal.*'),
      'webhooks/0/events/1',
    ],
    ['every event', webhookOn('*'), webhookOn('record.*'), 'webhooks/0/events/0'],
    [
      'every event of a domain of the package',
      service({ produces: ['acme.done'], consumes: ['acme.*'] }),
      service({ produces: ['acme.done'], consumes: ['acme.done', 'task.*'] }),
      'service/consumes/0',
    ],
    [
      'trigger on every event of a domain',
      on('lead.*', [WAIT]),
      on('lead.updated', [WAIT]),
      'automations/0/trigger/event',
    ],
    [
      'unknown event of a trigger',
      on('visit.created', [WAIT]),
      on('record.created', [WAIT]),
      'automations/0/trigger/event',
    ],
    [
      'event that the package does not produce',
      DONE,
      { ...DONE, ...service({ produces: ['acme.done'] }) },
      'automations/0/actions/0/name',
    ],
    [
      'name of an own event',
      service({ produces: ['Done'] }),
      service({ produces: ['acme.done'] }),
      'service/produces/0',
    ],
    [
      'consumed event',
      service({ consumes: ['lead.seen'] }),
      service({ consumes: ['lead.updated'] }),
      'service/consumes/0',
    ],
  ]),
];

const CONNECTORS: Sample[] = [
  ...example('CON-001', 'destination', '/connector/streams/0/destinationObject'),
  ...samples('CON-001', '/connector/streams/0', [
    ['mapping', stream({ mapping: { name: 'titel' } }), stream({ mapping: { title: 'name' } }), '/mapping/name'],
    [
      'mapping into a formula',
      { ...stream({ mapping: { a: 'total' } }), ...formula('1') },
      { ...stream({ mapping: { a: 'title' } }), ...formula('1') },
      '/mapping/a',
    ],
    [
      'one field from two',
      stream({ mapping: { first: 'title', second: 'title' } }),
      stream({ mapping: { first: 'title', second: 'hours' } }),
      '/mapping/second',
    ],
    ['empty mapping', stream({ mapping: {} }), stream(), '/mapping'],
    ['source without a name', stream({ mapping: { ' ': 'title' } }), stream(), '/mapping/ '],
    ['primary key', stream({ primaryKey: [] }), stream({ primaryKey: ['shop', 'id'] }), '/primaryKey'],
    ['cursor', stream({ cursorField: '' }), stream({ cursorField: 'updated_at' }), '/cursorField'],
    ['name', stream({ name: ' ' }), stream(), '/name'],
  ]),
  ...samples('CON-001', '/connector/', [
    ['page size', connector({ pageSize: 0 }), connector({ pageSize: 200 }), 'pageSize'],
    ['retries', connector({ maxRetries: 1000 }), connector({ maxRetries: 5 }), 'maxRetries'],
    ['schedule', connector({ schedule: 'hourly' }), connector({ schedule: '0 * * * *' }), 'schedule'],
    ['no stream', { connector: { streams: [] } }, stream(), 'streams'],
  ]),
];

const withProperty = (x: object): Fragment =>
  tool({ inputSchema: { type: 'object', properties: { x, y: true }, $defs: { 'a/b': { $anchor: 'here' } } } });
const referring = ($id: string, $ref: string): Fragment =>
  tool({
    inputSchema: {
      $id,
      type: 'object',
      properties: { x: { $ref } },
      $defs: { a: { $anchor: 'here' }, b: { $id: 'https://acme.example.com/part', $defs: { inner: true } } },
    },
  });
const PART = { $id: 'part', $ref: '#/$defs/b' };

const TOOLS: Sample[] = [
  ...example('AI-001', 'schema', '/assistant/tools/0/inputSchema'),
  ...samples('AI-001', '/assistant/tools/0', [
    ['schema of another type', tool({ inputSchema: { type: 'string' } }), tool({}), '/inputSchema/type'],
    [
      'reference to nothing in a part with its own address',
      tool({ inputSchema: { type: 'object', $defs: { a: PART, b: true } } }),
      tool({ inputSchema: { type: 'object', $defs: { a: { ...PART, $defs: { b: true } } } } }),
      '/inputSchema/$defs/a/$ref',
    ],
    ['no scope', tool({ scope: undefined }), tool({})],
    ['unknown scope', tool({ scope: 'lead:read' }), tool({}), '/scope'],
    ['writing without confirmation', tool({ readOnly: false }), tool({ readOnly: false, requiresConfirmation: true })],
    ['name', tool({ name: 'find leads' }), tool({ name: 'find_leads' }), '/name'],
  ]),
  ...samples(
    'AI-001',
    '/assistant/tools/0/inputSchema/properties/x',
    twins<object>(withProperty, [
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
    ]),
  ),
  ...(
    [
      ['absolute', 'https://acme.example.com/tool', 'https://acme.example.com/tool#/$defs/a'],
      ['relative', 'https://acme.example.com/tools/find', 'find#here'],
      ['to a name', 'urn:acme:find', 'urn:acme:find'],
      ['of a relative address', 'find.json', 'find.json#/$defs/a'],
      ['into a part with its own address', 'https://acme.example.com/tool', 'part#/$defs/inner'],
    ] as const
  ).flatMap(([what, $id, $ref]) =>
    samples('AI-001', '/assistant/tools/0/inputSchema/properties/x/$ref', [
      [`reference to itself, ${what}`, referring('https://other.example.com/x/y', $ref), referring($id, $ref)],
    ]),
  ),
];

const listing = (more: Fragment): Fragment => ({ listing: { ...baseManifest.listing, ...more } });
const publisher = (more: Fragment): Fragment => ({ publisher: { ...baseManifest.publisher, ...more } });
const LINKS = {
  ...publisher({ website: 'https://www.example.com/' }),
  ...listing({ icon: 'data:image/png;base64,AA==', screenshots: ['list.png'] }),
};

const LISTINGS: Sample[] = [
  ...example('LST-001', 'no summary', '/listing/summary'),
  ...samples('LST-001', '/', [
    ['no publisher', { publisher: undefined }, UNCHANGED, 'publisher/privacyUrl'],
    ['privacyUrl', publisher({ privacyUrl: 'javascript:alert(1)' }), LINKS, 'publisher/privacyUrl'],
    ['termsUrl', publisher({ termsUrl: ' JavaScript:alert(1)' }), LINKS, 'publisher/termsUrl'],
    ['website', publisher({ website: 'data:text/html,a' }), LINKS, 'publisher/website'],
    ['icon', listing({ icon: 'vbscript:a' }), LINKS, 'listing/icon'],
    ['icon that is a page', listing({ icon: 'data:text/html,a' }), LINKS, 'listing/icon'],
    [
      'screenshot',
      listing({ screenshots: ['https://a.example.com/', 'blob:a'] }),
      listing({ screenshots: ['https://a.example.com/'] }),
      'listing/screenshots/1',
    ],
  ]),
];

const PACKET: Fragment = EXAMPLES['REV-001'].passes;
const attested = (sandboxAttestation: unknown): Fragment => ({ ...PACKET, sandboxAttestation });
const without = (name: string): Fragment => Object.fromEntries(Object.entries(PACKET).filter(([key]) => key !== name));
const OTHER_HASH = 'c'.repeat(64);
const NO_HASH = attested({ statement: `Video ${'c'.repeat(65)}.` });

const PACKETS: Sample[] = (
  [
    ['missing component', without('testInstructions'), PACKET, 'testInstructions'],
    ['empty component', { ...PACKET, securityQuestionnaire: {} }, PACKET, 'securityQuestionnaire'],
    ['blank text', { ...PACKET, testInstructions: '  ' }, PACKET, 'testInstructions'],
    ['refused attestation', attested(false), attested('Tested.'), 'sandboxAttestation'],
    ['video without https', { ...PACKET, demoVideo: 'http://videos.example.com/1' }, PACKET, 'demoVideo'],
    ['hash of another manifest', attested({ manifestSha256: OTHER_HASH }), PACKET, 'sandboxAttestation/manifestSha256'],
    ['such a hash in a text', attested(`Tested ${OTHER_HASH}.`), PACKET, 'sandboxAttestation'],
    [
      'such a hash in a statement',
      attested({ statement: `Tested sha256_${OTHER_HASH}.` }),
      NO_HASH,
      'sandboxAttestation/statement',
    ],
    ['such a hash in a list', attested([{ sha256: OTHER_HASH }]), NO_HASH, 'sandboxAttestation/0/sha256'],
    ['such a hash deep inside', attested({ runs: [{ of: [OTHER_HASH] }] }), NO_HASH, 'sandboxAttestation/runs/0/of/0'],
    ['no packet', undefined, PACKET, ''],
    ['list', [], PACKET, ''],
  ] as const
).map(([what, fails, passes, at]) => {
  return { check: 'REV-001', what, fails: {}, passes: {}, pointer: at && `/${at}`, packets: { fails, passes } };
});

const described = (text: string): Fragment => ({ listing: { summary: 'a', description: `See ${text}` } });

const SECRETS: Sample[] = [
  ...example('SEC-001', 'private key', '/listing/description'),
  ...samples(
    'SEC-001',
    '/listing/description',
    (
      [
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
    ).map(([what, secret]): Row => [what, described(secret), EXAMPLES['SEC-001'].passes]),
  ),
  ...samples('SEC-001', '/automations/0/actions/0/headers/X-Api-Key', [
    ['header with a literal key', header('X-Api-Key', 'abcdef0123456789'), header('X-Api-Key', '{{subject}}')],
  ]),
];

export const SAMPLES: readonly Sample[] = [
  ...MANIFEST,
  ...SCOPES,
  ...NETWORK,
  ...OBJECTS,
  ...AUTOMATIONS,
  ...EVENTS,
  ...CONNECTORS,
  ...TOOLS,
  ...LISTINGS,
  ...PACKETS,
  ...SECRETS,
];

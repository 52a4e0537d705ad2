import { EXAMPLES } from '../src/checks/examples.js';
import type { CertificationProbes, Manifest } from '../src/index.js';
import { baseManifest, type Fragment, fields, manifestWith, origins, redirects } from './base-manifest.js';

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

type Twins<Part> = readonly [what: string, bad: Part, good: Part, pointer?: string][];

/** Samples whose two packages differ in one part. */
const twins = <Part>(check: string, at: string, make: (part: Part) => Fragment, rows: Twins<Part>): Sample[] =>
  rows.flatMap(([what, bad, good, pointer]) => samples(check, at, [[what, make(bad), make(good), pointer]]));

type Bad<Part> = readonly [what: string, bad: Part, pointer?: string][];

/** Samples with the same passing package. */
const against = <Part>(check: string, at: string, good: Fragment, make: (part: Part) => Fragment, rows: Bad<Part>) =>
  rows.flatMap(([what, bad, pointer]) => samples(check, at, [[what, make(bad), good, pointer]]));

/** Names a sample after its part. */
const named = (kind: string, ...parts: string[]) =>
  parts.map((part): [string, string] => [`${kind} ${JSON.stringify(part).slice(0, 60)}`, part]);

/** The example that the page of the check shows. */
function example(check: keyof typeof EXAMPLES, what: string, pointer: string, probes?: CertificationProbes): Sample[] {
  const { fails, passes }: { fails: Fragment; passes: Fragment } = EXAMPLES[check];
  return samples(check, pointer, [[what, fails, passes, '', probes]]);
}

const TITLE = { apiName: 'title', type: 'text' };
const field = (...others: Fragment[]): Fragment => fields(TITLE, ...others);
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
const A = 'https://a.example.com/';
const webhookOn = (...events: string[]): Fragment => webhook(A, ...events);
const request = (url: string, more: Fragment = {}): Fragment => after({ type: 'http_request', url, ...more });
const header = (name: string, value: string): Fragment => request(A, { headers: { [name]: value } });

const WAIT = { type: 'wait', seconds: 1 };
const task = (title: string, more: Fragment = {}): Fragment => ({ type: 'create_task', title, ...more });
const create = (name: string, values: Fragment = {}): Fragment => ({ type: 'create_record', object: name, values });
const update = (name: string, values: Fragment = {}, id = 'x'): Fragment => {
  return { type: 'update_record', object: name, id, values };
};
const updateVisit = (values: Fragment): Fragment => update('visit', values, '{{subject}}');
const mail = (to: unknown, more: Fragment = {}): Fragment => {
  return { type: 'send_email', to, subject: 'a', text: 'b', ...more };
};

const only = (...names: string[]): Fragment => ({ permissions: names.map((scope) => ({ scope, purpose: 'Needed.' })) });
const STREAM = {
  name: 's',
  url: 'https://api.example.com/',
  primaryKey: 'id',
  destinationObject: 'visit',
  mapping: { name: 'title' },
};
const stream = (more: Fragment = {}): Fragment => ({ connector: { streams: [{ ...STREAM, ...more }] } });
const connector = (more: Fragment): Fragment => ({ connector: { streams: [STREAM], ...more } });
const TOOL = { name: 'find', inputSchema: { type: 'object' }, scope: 'leads:read', readOnly: true };
const tool = (more: Fragment): Fragment => ({ assistant: { tools: [{ ...TOOL, ...more }] } });
const published = (fragment: Fragment): CertificationProbes => ({
  publishedManifest: async () => manifestWith(fragment) as unknown as Manifest,
});
/** A passing fragment for checks that have nothing to check. */
const UNCHANGED: Fragment = {};

const TEXT = { apiName: 'a', type: 'text' };
const UNIQUE = { ...TEXT, is_unique: true };
const textWith = (more: Fragment): Fragment => field({ ...TEXT, ...more });
const fieldOf = (more: Fragment): Fragment => field({ apiName: 'a', ...more });
const empty = (apiName: string, ...fields: Fragment[]): Fragment => ({ apiName, fields });
const referenceTo = (referenceTarget: string): Fragment => ({ type: 'reference', referenceTarget });
const roleNamed = (...names: string[]): Fragment => ({ roles: names.map((name) => ({ name })) });
const permission = (more: unknown): Fragment => ({ permissions: [more] });
const RECIPIENTS = ['a@example.com', '0198c0de-0000-7000-8000-000000000001', 'role:planner'];

const MANIFEST: Sample[] = [
  ...example('MAN-001', 'unknown key', '/webhook'),
  ...samples('MAN-001', '', [
    ['missing key', { name: undefined }, UNCHANGED],
    ['wrong type', { name: 7 }, UNCHANGED, '/name'],
    ['unknown kind', { kind: 'industry' }, UNCHANGED, '/kind'],
    ['version', { version: '1.0' }, { version: '1.0.0-rc.1+5' }, '/version'],
    ['key', { key: 'Acme Visits' }, { key: 'acme-visits-2' }, '/key'],
  ]),
  ...against('MAN-001', '/roles/0/name', roleNamed('field-planner_2'), roleNamed, [
    ...named('role', 'HR', 'sales team', `a${'b'.repeat(40)}`, '2nd'),
  ]),
  ...twins('MAN-001', '/objects/0/fields/1', textWith, [
    ['unknown key inside a field', { readRole: [] }, { readRoles: [] }, '/readRole'],
  ]),
  ...twins<Fragment>('MAN-001', '/automations/0/actions/0', after, [
    ['unknown type of action', { ...create('visit'), type: 'create_records' }, create('visit'), '/type'],
    ['action without a key that it needs', { type: 'create_task' }, task('Call')],
  ]),
  ...twins(
    'MAN-001',
    '/automations/0/trigger/cron',
    (type: string) => automation({ type, cron: '0 * * * *' }, [WAIT]),
    [['key of another trigger', 'webhook_received', 'schedule']],
  ),
  ...twins('MAN-001', '/permissions/0/reason', permission, [
    ['wrong key in a permission', { scope: 'leads', reason: 'a' }, { scope: 'leads', purpose: 'a' }],
  ]),
  ...example('MAN-002', 'key of another publisher', '/key', {
    keyOwnership: async (key) => (key === 'taken' ? 'other' : 'own'),
  }),
  ...example('MAN-003', 'version that was submitted before', '/version', {
    submittedVersions: async () => ['1.9.0', '1.10.0', '1.2.0-beta', 'no version'],
  }),
  ...twins('MAN-004', '/objects/0/nameField', (nameField: string) => object({ ...empty('visit', TITLE), nameField }), [
    ['name field', 'titel', 'title'],
  ]),
  ...samples('MAN-004', '/roles', [
    ['role of an app', roleNamed('app:acme'), roleNamed('apprentice'), '/0/name'],
    ['built-in role', roleNamed('admin'), UNCHANGED, '/0/name'],
    ['role declared twice', roleNamed('planner', 'planner'), UNCHANGED, '/1/name'],
  ]),
  ...against('MAN-004', '/roles/0/name', roleNamed('Planer für Besuche'), roleNamed, [
    ...named('role', '', ' planner', 'site\nplanner', 'planner\u0007'),
  ]),
  ...against(
    'MAN-004',
    '/automations/0/actions/0/to/1',
    after(mail(RECIPIENTS)),
    (to) => after(mail(['role:admin', to])),
    [...named('recipient', 'everybody', '', 'a@b@c', 'role:', '0198c0de-0000-7000-8000')],
  ),
  ...twins('MAN-004', '/objects/0/fields/1/', textWith, [
    ['role of a field', { readRoles: ['admin', 'planer'] }, { readRoles: ['admin', 'planner'] }, 'readRoles/1'],
    ['role of every app', { readRoles: ['admin', 'app'] }, { readRoles: ['admin', 'app:acme-visits'] }, 'readRoles/1'],
    ['role of an impossible app', { writeRoles: ['app:Acme'] }, { writeRoles: ['app:acme.other_app'] }, 'writeRoles/0'],
  ]),
  ...twins('MAN-004', '/objects/0/fields/1/referenceTarget', (to: string) => fieldOf(referenceTo(to)), [
    ['reference to an object of the package', 'custom:visits', 'custom:visit'],
    ['reference to a core object', 'deal', 'opportunity'],
  ]),
  ...twins<Fragment>('MAN-004', '/automations/0/actions/0', after, [
    ['e-mail to nobody', mail([]), mail('a@example.com'), '/to'],
    ['object of an action', create('visits'), create('custom:visit'), '/object'],
    ['core object by the name of a custom one', create('custom:lead'), create('lead'), '/object'],
    ['field of an action', updateVisit({ hour: 1 }), updateVisit({ hours: 1 }), '/values/hour'],
    [
      'field of a core object',
      create('lead', { lastname: 'a' }),
      create('lead', { lastName: 'a' }),
      '/values/lastname',
    ],
    ['role of an e-mail', mail(['role:admins']), mail(['role:admin', 'a@example.com']), '/to/0'],
  ]),
  ...samples('MAN-005', '/kind', [
    ['industry app without content', { objects: [], automations: undefined }, { automations: undefined }],
    ['connector', { kind: 'data_connector' }, { kind: 'data_connector', ...stream() }],
    ['assistant', { kind: 'ai_assistant' }, { kind: 'ai_assistant', ...tool({}) }],
    ['event service', { kind: 'event_service' }, { kind: 'event_service', ...webhook('https://hooks.example.com/') }],
  ]),
];

/** A package without objects and automations that needs scopes: with too few of them, and with those that it needs. */
const needing = (what: string, fragment: Fragment, few: string[], enough: string[], pointer: string): Row => [
  what,
  { ...fragment, ...only(...few) },
  { ...fragment, ...only(...enough) },
  pointer,
];
const NO_OBJECTS = { objects: undefined, automations: undefined };
const doing = (action: Fragment): Fragment => ({ ...after(action), objects: [] });
const COMPANIES = {
  ...tool({ scope: 'companies' }),
  ...stream({ destinationObject: 'company', mapping: { a: 'name' } }),
};

const SCOPES: Sample[] = [
  ...example('SCP-001', 'unknown scope', '/permissions/0/scope'),
  ...twins('SCP-001', '/permissions/0', permission, [['unknown scope as a text', 'leads:write', 'leads:read']]),
  ...twins('SCP-001', '/permissions/0/scope', only, [['reserved scope', 'admin', 'agent']]),
  ...twins(
    'SCP-001',
    '/embed/scopes/0',
    (scopes: string[]) => ({ embed: { allowedOrigins: ['https://app.example.com'], scopes } }),
    [['scope of embedded sessions', ['everything'], ['leads', 'pipeline', 'agent']]],
  ),
  ...example('SCP-002', 'no purpose', '/permissions/0'),
  ...example('SCP-003', 'unused scope', '/permissions/6/scope'),
  ...example('SCP-004', 'new scope', '/permissions/6/scope', published({})),
  ...samples('SCP-004', '/webhooks/0/events/0', [
    [
      'new event and host',
      webhook('https://new.example.com/', 'lead.updated'),
      webhook('https://old.example.com/2'),
      '',
      published(webhook('https://old.example.com/1')),
    ],
    ['domain instead of its events', webhookOn('deal.*'), webhookOn('deal.won'), '', published(webhookOn('deal.won'))],
  ]),
  ...samples('SCP-004', '/objects/0/fields/2', [
    [
      'new formula that exposes',
      formula('hours', { apiName: 'band', type: 'formula', expression: 'hours > 5', exposes: true }),
      formula('hours', { apiName: 'band', type: 'formula', expression: 'hours > 5' }),
      '',
      published(formula('hours')),
    ],
  ]),
  ...samples('SCP-005', '', [
    needing('object', object(empty('visit')), ['tasks'], ['custom_objects'], '/objects/0'),
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
      'webhook on users',
      { ...NO_OBJECTS, ...webhookOn('app.*', 'user.created') },
      ['webhooks'],
      ['users:read'],
      '/webhooks/0/events/1',
    ),
    needing(
      'trigger on users',
      { ...on('user.disabled', [WAIT]), objects: [] },
      ['automations'],
      ['automations', 'users:read'],
      '/automations/0/trigger/event',
    ),
    needing(
      'action on a deal',
      doing(create('opportunity')),
      ['automations', 'pipeline:read'],
      ['automations', 'pipeline'],
      '/automations/0/actions/0',
    ),
    needing('task', doing(task('a')), ['automations'], ['automations', 'tasks'], '/automations/0/actions/0'),
    needing('automation', doing(WAIT), ['tasks'], ['automations'], '/automations/0'),
    needing(
      'trigger',
      { ...on('deal.won', [WAIT]), objects: [] },
      ['automations'],
      ['automations', 'pipeline:read'],
      '/automations/0/trigger/event',
    ),
    [
      'tool and stream',
      COMPANIES,
      { ...COMPANIES, permissions: [...baseManifest.permissions, { scope: 'companies', purpose: 'Needed.' }] },
      '/connector/streams/0/destinationObject',
    ],
  ]),
];

const manyOrigins = (count: number) =>
  origins(...Array.from({ length: count }, (_, i) => `https://host-${i}.example.com`));
const CALLBACK = 'https://app.example.com/callback';
const padded = (spaces: number) => `https://api.example.com/{{${' '.repeat(spaces)}subject}}`;

const NETWORK: Sample[] = [
  ...example('NET-001', 'private address', '/webhooks/0/url'),
  ...twins('NET-001', '/webhooks/0/url', webhook, [
    ['plain http', 'http://hooks.example.com/', 'https://hooks.example.com/'],
    ['address in another notation', 'https://0x7f.1/', 'https://8.8.8.8/'],
    ['private name', 'https://crm.internal./', 'https://crm.example.com./'],
    ['port', 'https://hooks.example.com:8443/', 'https://hooks.example.com:443/'],
  ]),
  ...twins('NET-001', '/automations/0/actions/0/url', request, [
    ['target of an action', 'https://localhost/', 'https://api.example.com/{{subject}}'],
    ['host from a placeholder', 'https://{{subject}}/', 'https://api.example.com/?q={{subject}}'],
    ['length with its placeholders', padded(700), padded(20)],
  ]),
  ...samples('NET-001', '/connector/streams/0/url', [['connector', stream({ url: 'https://[::1]/' }), stream()]]),
  ...twins(
    'NET-001',
    '/assistant/mcpServers/1/url',
    (url: string) => ({ assistant: { mcpServers: ['https://mcp.example.com/', { url }] } }),
    [['server of an assistant', 'https://metadata.google.internal/', 'https://8.8.4.4/']],
  ),
  ...samples('NET-001', '/webhooks/0/url', [
    [
      'name that leads to a private address',
      webhook('https://inside.example.com/'),
      webhook('https://outside.example.com/'),
      '',
      { resolveHost: async (host) => (host.startsWith('inside') ? ['1.1.1.1', '10.0.0.1'] : ['1.1.1.1']) },
    ],
  ]),
  ...example('NET-003', 'name that does not resolve', '/webhooks/0/url', {
    resolveHost: async (host) => {
      if (host.startsWith('gone')) throw new Error('ENOTFOUND');
      return ['1.1.1.1'];
    },
  }),
  ...against('NET-002', '/embed/allowedOrigins/0', EXAMPLES['NET-002'].passes, origins, [
    ...named('origin', 'https://*.example.com', 'http://app.example.com', 'https://app.example.com/'),
    ...named('origin', 'https://APP.example.com', 'app.example.com', '*', 'https://app.example.com:443'),
    ...named('origin', 'https://app.example.com;script-src', 'https://app.example.com,evil.example.com'),
    ...named('origin', "https://app.example.com'", 'https://app"example.com', 'https://app.example.com!'),
    ...named('origin', 'https://app$example.com', 'https://app..example.com'),
    ...named('origin', 'https://10.0.0.1', 'https://127.0.0.1', 'https://169.254.169.254', 'https://[::1]'),
    ...named('origin', 'https://localhost', 'https://intranet', 'https://crm.corp', 'https://nas.local'),
  ]),
  ...twins('NET-002', '/embed/allowedOrigins', manyOrigins, [
    ['too many origins', 51, 50],
    ['no origin', 0, 1],
  ]),
  ...twins('NET-002', '/embed/allowedOrigins/0', origins, [
    ['too long an origin', `https://aa.${'a.'.repeat(124)}com`, `https://${'a.'.repeat(125)}com:65535`],
    ['the address of a private host', 'https://192.168.1.1', 'https://8.8.4.4'],
  ]),
  ...against('NET-004', '/oauth/redirectUris/0', EXAMPLES['NET-004'].passes, redirects, [
    ...named('redirect URI', 'https://*.example.com/callback', 'https://app.example.com/*', 'callback', ''),
    ...named('redirect URI', 'http://app.example.com/callback', 'http://localhost:3000/callback'),
    ...named('redirect URI', 'com.example.app:/callback', `${CALLBACK}#token`, `${CALLBACK}#`, `${CALLBACK}?state=1`),
    ...named('redirect URI', 'https://App.example.com/callback', 'https://app.example.com:443/callback'),
    ...named('redirect URI', 'https://app.example.com', 'https://app.example.com/a/../callback'),
    ...named('redirect URI', 'https://user@app.example.com/callback', 'https://app.example.com/{{tenant}}/callback'),
    ...named('redirect URI', `https://app.example.com/${'a'.repeat(2100)}`),
  ]),
  ...against('NET-004', '/oauth/redirectUris', redirects(CALLBACK), (uris: string[]) => redirects(...uris), [
    ['no redirect URI', []],
    ['too many redirect URIs', Array.from({ length: 21 }, (_, i) => `https://app.example.com/${i}`)],
    ['a redirect URI twice', [CALLBACK, CALLBACK], '/1'],
  ]),
];

const LEAD = referenceTo('lead');
const ruled = (type: string, rule: string, value: unknown): Fragment => {
  return { type, validationRules: [{ type: rule, value }] };
};
const visible = (more: Fragment): Fragment => field({ ...UNIQUE, ...more });
const band = (more: Fragment): Fragment => formula('other + 1', { apiName: 'other', type: 'formula', ...more });

const hiddenReference = (more: Fragment): Fragment => ({ ...LEAD, readRoles: ['admin'], ...more });
const throughBand = (more: Fragment): Fragment =>
  field(
    { apiName: 'rate', type: 'number', readRoles: ['admin'] },
    { apiName: 'doubled', type: 'formula', expression: 'rate * 2' },
    { apiName: 'shown', type: 'formula', expression: 'doubled + 1', exposes: true, ...more },
  );

const OBJECTS: Sample[] = [
  ...against('OBJ-001', '/objects/0/apiName', object(empty('visit')), (name) => object(empty(name)), [
    ...named('object', 'lead', 'id', 'null', 'sbx_visit', '2visits', 'Visit', 'site-visit'),
  ]),
  ...against(
    'OBJ-001',
    '/objects/0/fields/1/apiName',
    textWith({ apiName: 'if' }),
    (apiName) => textWith({ apiName }),
    [...named('field', 'id', 'createdAt', 'NOT', 'version'), ...named('field', 'a b', `a${'b'.repeat(40)}`)],
  ),
  ...samples('OBJ-001', '/objects/0/fields/1/apiName', [
    [
      'added member that the app has not published',
      textWith({ apiName: 'expanded' }),
      textWith({ apiName: 'deleted' }),
      '',
      published(textWith({ apiName: 'deleted' })),
    ],
    ['added member of a new app', textWith({ apiName: 'object' }), textWith({ apiName: 'other' }), '', published({})],
    ['keyword; an added member may have been published', textWith({ apiName: 'not' }), textWith({ apiName: 'object' })],
  ]),
  ...twins('OBJ-001', '/objects/1/apiName', (name: string) => object(empty('a'), empty(name)), [
    ['object twice', 'a', 'b'],
  ]),
  ...twins('OBJ-001', '/objects/0/fields/1/apiName', (apiName: string) => textWith({ apiName }), [
    ['field twice', 'title', 'title2'],
  ]),
  ...twins('OBJ-002', '/objects/0/fields/1/', fieldOf, [
    ['picklist without options', { type: 'picklist' }, { type: 'picklist', options: ['a'] }, 'options'],
    ['reference without a target', { type: 'reference' }, LEAD, 'referenceTarget'],
    ['rule that does not fit', ruled('text', 'min', 1), ruled('number', 'min', 1), 'validationRules/0'],
    [
      'pattern with look-ahead',
      ruled('text', 'regex', '(?=a)b'),
      ruled('text', 'regex', '^[a-z]+$'),
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
      { ...LEAD, required: true, onDelete: 'set_null' },
      { ...LEAD, required: true, onDelete: 'restrict' },
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
  ...twins('OBJ-003', '/objects/0/fields/2/expression', formula, [
    ['syntax', 'hours *', 'hours * 2'],
    ['unknown field', 'hour * 2', 'hours * 2'],
    ['type', 'UPPER(hours)', 'UPPER(title)'],
    ['arity', 'ABS()', 'ABS(hours)'],
    ['cycle with itself', 'total + 1', 'hours + 1'],
    ['no type', 'NULL', 'IF(hours > 1, hours)'],
    ['single equals sign', 'hours = 2', 'hours == 2'],
  ]),
  ...twins('OBJ-003', '/objects/0/fields/2/expression', band, [
    ['cycle of two', { expression: 'total + 1' }, { expression: 'hours + 1' }],
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
  ...twins('OBJ-005', '/objects/0/fields/1/', visible, [
    [
      'unique and not readable by one of the roles that can write it',
      { readRoles: ['admin', 'owner'], writeRoles: ['admin', 'member'] },
      { readRoles: ['owner', 'member', 'admin'], writeRoles: ['admin', 'member'] },
      'writeRoles/1',
    ],
    [
      'unique with a default and not readable by everyone who creates records',
      { default: 'x', readRoles: ['admin'], writeRoles: ['admin'] },
      { default: 'x', writeRoles: ['admin'] },
      'readRoles',
    ],
  ]),
  ...example('OBJ-007', 'cascade on a hidden reference', '/objects/0/fields/1/onDelete'),
  ...twins('OBJ-007', '/objects/0/fields/1/', fieldOf, [
    ['restrict', hiddenReference({ onDelete: 'restrict' }), hiddenReference({}), 'onDelete'],
    ['required, which is restrict', hiddenReference({ required: true }), { ...LEAD, required: true }, 'required'],
    [
      'cascade on a list of several roles',
      hiddenReference({ onDelete: 'cascade' }),
      { ...LEAD, onDelete: 'cascade' },
      'onDelete',
    ],
  ]),
  ...example('OBJ-008', 'exposing formula', '/objects/0/fields/2/exposes'),
  ...twins('OBJ-008', '/objects/0/fields/3/exposes', throughBand, [
    ['through a formula that exposes nothing itself', {}, { readRoles: ['admin'] }],
    ['read by more roles than the field', { readRoles: ['admin', 'member'] }, { exposes: false }],
  ]),
  ...twins('OBJ-005', '/objects/0/fields/1/writeRoles', textWith, [
    [
      'required and not writable',
      { required: true, writeRoles: ['admin'] },
      { required: true, writeRoles: ['admin'], default: 'x' },
    ],
  ]),
];

const MADE = { key: 'made', ...create('visit') };
const DAILY = { type: 'schedule', cron: '0 7 * * *' };
const onHook = (condition: string, payload?: Fragment[]): Fragment =>
  automation({ type: 'webhook_received', ...(payload && { payload }) }, [WAIT], { condition });
const onDeal = (condition: string): Fragment => on('deal.won', [WAIT], { condition });
const scheduled = (cron: string): Fragment => automation({ type: 'schedule', cron }, [WAIT]);
const waits = (count: number): Fragment => after(...Array.from({ length: count }, () => WAIT));
const keyed = (key: string, ...more: Fragment[]): Fragment => after({ key, ...WAIT }, ...more);
const typed = (...fields: [name: string, type: string][]): Fragment[] => fields.map(([name, type]) => ({ name, type }));
const inVisit = (name: string): Fragment => create('visit', { [name]: 1 });
const toAdmin = (more: Fragment = {}): Fragment => mail('role:admin', more);
const BASE_AUTOMATION = baseManifest.automations[0];
const declared = (...automations: Fragment[]): Fragment => ({ automations });
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
  ...twins('AUT-001', '/automations/0/actions/0/title', (title: string) => after(task(title)), [
    ['unknown key in a template', '{{subjct}}', '{{ subject }}'],
    ['placeholder that is not closed', '{{subject', '{subject'],
    ['empty title', '', 'a'],
  ]),
  ...twins('AUT-001', '/automations/0/actions/0', (more: Fragment) => after(task('a', more)), [
    ['placeholder as an assignee', { assignee: '{{subject}}' }, { assignee: 'role:admin' }, '/assignee'],
    ['task that is due in the past', { dueInDays: -1 }, { dueInDays: 0 }, '/dueInDays'],
  ]),
  ...twins<Fragment>('AUT-001', '/automations/0/actions/0/', after, [
    ['placeholder as an object', create('{{subject}}'), create('visit', { title: ['{{subject}}'] }), 'object'],
    ['placeholder as a field', inVisit('{{subject}}'), inVisit('title'), 'values/{{subject}}'],
    ['long pause', { type: 'wait', seconds: 1e9 }, { type: 'wait', seconds: 60 }, 'seconds'],
    ['empty id', update('visit', {}, ''), update('visit', {}, '{{subject}}'), 'id'],
    ['very long id', update('visit', {}, 'a'.repeat(4001)), update('visit', {}, 'a'), 'id'],
    ['placeholder as a recipient', mail('{{subject}}'), toAdmin({ subject: '{{subject}}', text: '{{subject}}' }), 'to'],
    ['subject of two lines', toAdmin({ subject: 'a\r\nBcc: b' }), toAdmin({ text: 'b\nc' }), 'subject'],
    ['no subject', toAdmin({ subject: '' }), toAdmin(), 'subject'],
  ]),
  ...twins('AUT-001', '/automations/0/actions/0/url', request, [
    ['placeholder as a host', 'https://{{subject}}.example.com/', `${A}{{subject}}?q={{subject}}`],
    ['placeholder as a fragment', `${A}#{{subject}}`, `${A}{{subject}}#top`],
  ]),
  ...twins('AUT-001', '/automations/0/actions/0/body/a/0/b', (b: string) => request(A, { body: { a: [{ b }] } }), [
    ['unknown key in a body', '{{nobody}}', '{{subject}}'],
  ]),
  ...samples('AUT-001', '/automations/0/actions/0/headers/', [
    ['placeholder as a header', header('{{subject}}', 'a'), header('x-a', '{{subject}}'), '{{subject}}'],
    ['header with a line break', header('x-a', 'b\r\nc: d'), header('x-a', 'b'), 'x-a'],
    ['name of a header', header('x a', 'b'), header('x-a', 'b'), 'x a'],
    ['control character in a header', header('x-a', 'b\u0007'), header('x-a', 'b\tc'), 'x-a'],
  ]),
  ...samples('AUT-001', '/automations/0/actions', [
    ['empty placeholder', after(task('{{ }}')), hook(undefined, task('{{anything}}')), '/0/title'],
    ['step that runs later', after(task('{{made.id}}'), MADE), after(MADE, task('{{made.id}}')), '/0/title'],
    ['step twice', keyed('s', { key: 's', ...WAIT }), keyed('s', { key: 't', ...WAIT }), '/1/key'],
    ['step with the name of a payload key', keyed('subject'), keyed('s'), '/0/key'],
    ['illegal key of a step', keyed('a.b'), keyed('a_b'), '/0/key'],
    ['no action', after(), after(WAIT)],
    ['very many actions', waits(51), waits(50)],
    ['step with the key by which a later one is known', keyed('step2', WAIT), keyed('step1', WAIT), '/1'],
    [
      'placeholder where there is no payload',
      automation(DAILY, [task('{{subject}}')]),
      automation(DAILY, [MADE, task('{{made.id}}')]),
      '/0/title',
    ],
    [
      'key of an event',
      on('lead.created', [task('{{record.email}} {{surname}}')]),
      on('lead.created', [task('{{record.email}} {{lastName}}')]),
      '/0/title',
    ],
  ]),
  ...samples('AUT-001', '/automations/0/condition', [
    ['condition', onHook('a >'), onHook('a > 1')],
    [
      'condition against the declared type',
      onHook('a * 2 > 1', typed(['a', 'text'])),
      onHook('a * 2 > 1 && b', typed(['a', 'number'], ['b', 'boolean'])),
    ],
    [
      'condition against the type of an event',
      onDeal("amount == 'a'"),
      onDeal("amount > 1000 && currency == 'EUR' && closeDate < TODAY() && LEN(status) > 0"),
    ],
  ]),
  ...against('AUT-001', '/automations/0/trigger/payload', after(WAIT), (payload: Fragment[]) => hook(payload, WAIT), [
    ['very many payload keys', Array.from({ length: 201 }, (_, i) => ({ name: `k${i}`, type: 'text' }))],
    ['payload key twice', [...SUBJECT, ...SUBJECT], '/1/name'],
  ]),
  ...twins('AUT-001', '/automations/0/trigger/cron', scheduled, [
    ['cron of a day that never comes', '0 7 30 2 *', '0 7 29 2 *'],
    ['cron', '61 * * * *', '*/5 8-18 * jan-jun mon,fri'],
  ]),
  ...twins('AUT-001', '/automations/0/key', (key: string) => declared({ ...BASE_AUTOMATION, key }), [
    ['key of two lines', 'visit\nrequested', 'Visit requested'],
    ['blank key', ' ', BASE_AUTOMATION.key],
  ]),
  ...twins('AUT-001', '/automations/1/key', (key: string) => declared(BASE_AUTOMATION, { ...BASE_AUTOMATION, key }), [
    ['automation twice', BASE_AUTOMATION.key, 'other'],
  ]),
  ...example('AUT-002', 'automation that starts itself', '/automations/0'),
  ...twins('AUT-002', '/automations/0', whenUpdated, [
    ['condition that reads nothing', 'TODAY() == TODAY() || TRUE', "status == 'new'"],
    ['condition that is constant: always', 'TRUE', 'FALSE'],
    ['condition that is constant: computed', '1 + 1 == 2', 'LEN("ab") > 2'],
    ['condition that is constant: null', '!IF(FALSE, TRUE)', 'IF(FALSE, TRUE)'],
  ]),
  ...twins('AUT-002', '/automations/0', (more: Fragment) => on('deal.won', [DEAL_UPDATE], more), [
    ['condition that stops it', {}, { condition: "status == 'open'" }],
  ]),
  ...twins('AUT-002', '/automations/0', (values: Fragment) => on('task.completed', [update('task', values)]), [
    ['completing a task again', { status: 'completed' }, { status: 'open' }],
  ]),
  ...twins('AUT-002', '/automations/0', (values: Fragment) => on('deal.won', [update('opportunity', values)]), [
    ['winning a deal again', { status: 'won' }, { status: 7, name: 'a' }],
    ['moving a deal to a stage', { stage: 'a' }, { amount: 1 }],
  ]),
  ...twins('AUT-002', '/automations/0', (actions: Fragment[]) => on('contact.updated', actions), [
    ['updating what was updated', [update('contact')], [update('nothing'), create('contact')]],
  ]),
  ...twins('AUT-002', '/automations/0', emitting, [['circle of two', 'task.created', 'task.completed']]),
  ...example('AUT-003', 'action that is not executed', '/automations/0/actions/0/type'),
  ...twins('AUT-003', '/automations/0/actions/1/type', (action: Fragment) => after(WAIT, action), [
    ['event of an app', { type: 'emit_event', name: 'acme.done' }, create('visit', { title: '{{subject}}' })],
  ]),
  ...twins('AUT-003', '/automations/0/trigger/type', (trigger: Fragment) => automation(trigger, [WAIT]), [
    ['schedule', DAILY, { type: 'event', event: 'lead.created' }],
  ]),
];

const service = (section: { produces?: string[]; consumes?: string[] }): Fragment => ({ service: section });
const OWN = service({ produces: ['acme.done'] });
const DONE = after({ type: 'emit_event', name: 'acme.done' });

const EVENTS: Sample[] = [
  ...example('EVT-001', 'unknown event of a webhook', '/webhooks/0/events/0'),
  ...twins('EVT-001', '/webhooks/0/events/', (events: string[]) => webhookOn(...events), [
    ['object name instead of the domain', ['opportunity.won'], ['deal.won'], '0'],
    ['every event', ['*'], ['record.*'], '0'],
    [
      'every event of a domain that does not exist',
      ['lead.created', 'opportunity.*'],
      ['lead.created', 'lead.*', 'deal.*'],
      '1',
    ],
  ]),
  ...twins('EVT-001', '/service/', service, [
    ['name of an own event', { produces: ['Done'] }, { produces: ['acme.done'] }, 'produces/0'],
    ['consumed event', { consumes: ['lead.seen'] }, { consumes: ['lead.updated'] }, 'consumes/0'],
    [
      'every event of a domain of the package',
      { produces: ['acme.done'], consumes: ['acme.*'] },
      { produces: ['acme.done'], consumes: ['acme.done', 'task.*'] },
      'consumes/0',
    ],
  ]),
  ...twins('EVT-001', '/automations/0/trigger/event', (event: string) => on(event, [WAIT]), [
    ['trigger on every event of a domain', 'lead.*', 'lead.updated'],
    ['unknown event of a trigger', 'visit.created', 'record.created'],
  ]),
  ...twins<Fragment>('EVT-001', '/automations/0/trigger/event', (more) => ({ ...OWN, ...more }), [
    ['trigger on an event of the package', on('acme.done', [WAIT]), on('deal.won', [WAIT])],
  ]),
  ...twins('EVT-001', '/webhooks/0/events/1', (event: string) => ({ ...OWN, ...webhookOn('deal.won', event) }), [
    ['webhook on an event of the package', 'acme.done', 'deal.lost'],
  ]),
  ...twins('EVT-001', '/automations/0/actions/0/name', (more: Fragment) => ({ ...DONE, ...more }), [
    ['event that the package does not produce', {}, service({ produces: ['acme.done'] })],
  ]),
];

const CONNECTORS: Sample[] = [
  ...example('CON-001', 'destination', '/connector/streams/0/destinationObject'),
  ...twins('CON-001', '/connector/streams/0/', stream, [
    ['mapping', { mapping: { name: 'titel' } }, { mapping: { title: 'name' } }, 'mapping/name'],
    [
      'one field from two',
      { mapping: { first: 'title', second: 'title' } },
      { mapping: { first: 'title', second: 'hours' } },
      'mapping/second',
    ],
    ['empty mapping', { mapping: {} }, {}, 'mapping'],
    ['source without a name', { mapping: { ' ': 'title' } }, {}, 'mapping/ '],
    ['primary key', { primaryKey: [] }, { primaryKey: ['shop', 'id'] }, 'primaryKey'],
    ['cursor', { cursorField: '' }, { cursorField: 'updated_at' }, 'cursorField'],
    ['name', { name: ' ' }, {}, 'name'],
  ]),
  ...twins(
    'CON-001',
    '/connector/streams/0/mapping/a',
    (a: string) => ({ ...stream({ mapping: { a } }), ...formula('1') }),
    [['mapping into a formula', 'total', 'title']],
  ),
  ...twins('CON-001', '/connector/', connector, [
    ['page size', { pageSize: 0 }, { pageSize: 200 }, 'pageSize'],
    ['retries', { maxRetries: 1000 }, { maxRetries: 5 }, 'maxRetries'],
    ['schedule', { schedule: 'hourly' }, { schedule: '0 * * * *' }, 'schedule'],
    ['no stream', { streams: [] }, {}, 'streams'],
  ]),
];

const schemaOf = (inputSchema: Fragment): Fragment => tool({ inputSchema: { type: 'object', ...inputSchema } });
const withProperty = (x: object): Fragment =>
  schemaOf({ properties: { x, y: true }, $defs: { 'a/b': { $anchor: 'here' } } });
const referring = ($ref: string, $id: string): Fragment =>
  schemaOf({
    $id,
    properties: { x: { $ref } },
    $defs: { a: { $anchor: 'here' }, b: { $id: 'https://acme.example.com/part', $defs: { inner: true } } },
  });
const ELSEWHERE = 'https://other.example.com/x/y';
const ACME_TOOL = 'https://acme.example.com/tool';
const PART = { $id: 'part', $ref: '#/$defs/b' };

const TOOLS: Sample[] = [
  ...example('AI-001', 'schema', '/assistant/tools/0/inputSchema'),
  ...twins('AI-001', '/assistant/tools/0', tool, [
    ['schema of another type', { inputSchema: { type: 'string' } }, {}, '/inputSchema/type'],
    ['no scope', { scope: undefined }, {}],
    ['unknown scope', { scope: 'lead:read' }, {}, '/scope'],
    ['writing without confirmation', { readOnly: false }, { readOnly: false, requiresConfirmation: true }],
    ['name', { name: 'find leads' }, { name: 'find_leads' }, '/name'],
  ]),
  ...twins('AI-001', '/assistant/tools/0/inputSchema/$defs/a/$ref', ($defs: Fragment) => schemaOf({ $defs }), [
    [
      'reference to nothing in a part with its own address',
      { a: PART, b: true },
      { a: { ...PART, $defs: { b: true } } },
    ],
  ]),
  ...twins<object>('AI-001', '/assistant/tools/0/inputSchema/properties/x', withProperty, [
    ['pattern', { type: 'string', pattern: '(' }, { type: 'string', pattern: '^[\\w-.]+$' }, '/pattern'],
    ['key of patterns', { patternProperties: { '[': {} } }, { patternProperties: { '^x-': {} } }, '/patternProperties'],
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
  ...[
    ['absolute', `${ACME_TOOL}#/$defs/a`, ACME_TOOL],
    ['relative', 'find#here', 'https://acme.example.com/tools/find'],
    ['to a name', 'urn:acme:find', 'urn:acme:find'],
    ['of a relative address', 'find.json#/$defs/a', 'find.json'],
    ['into a part with its own address', 'part#/$defs/inner', ACME_TOOL],
  ].flatMap(([what, $ref = '', $id = '']) =>
    twins('AI-001', '/assistant/tools/0/inputSchema/properties/x/$ref', (id) => referring($ref, id), [
      [`reference to itself, ${what}`, ELSEWHERE, $id],
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
  ...samples('LST-001', '/publisher/privacyUrl', [['no publisher', { publisher: undefined }, UNCHANGED]]),
  ...against('LST-001', '/publisher/', LINKS, publisher, [
    ['privacyUrl', { privacyUrl: 'javascript:alert(1)' }, 'privacyUrl'],
    ['termsUrl', { termsUrl: ' JavaScript:alert(1)' }, 'termsUrl'],
    ['website', { website: 'data:text/html,a' }, 'website'],
  ]),
  ...against('LST-001', '/listing/icon', LINKS, (icon: string) => listing({ icon }), [
    ['icon', 'vbscript:a'],
    ['icon that is a page', 'data:text/html,a'],
  ]),
  ...twins('LST-001', '/listing/screenshots/1', (screenshots: string[]) => listing({ screenshots }), [
    ['screenshot', [A, 'blob:a'], [A]],
  ]),
];

const PACKET: Fragment = EXAMPLES['REV-001'].passes;
const attested = (sandboxAttestation: unknown): Fragment => ({ ...PACKET, sandboxAttestation });
const without = (name: string): Fragment => Object.fromEntries(Object.entries(PACKET).filter(([key]) => key !== name));
const OTHER = 'c'.repeat(64);
const STATEMENT = { statement: `Tested sha256_${OTHER}.` };
const NO_HASH = attested({ statement: `Video ${'c'.repeat(65)}.` });

const PACKETS: Sample[] = (
  [
    ['missing component', without('testInstructions'), PACKET, 'testInstructions'],
    ['empty component', { ...PACKET, securityQuestionnaire: {} }, PACKET, 'securityQuestionnaire'],
    ['blank text', { ...PACKET, testInstructions: '  ' }, PACKET, 'testInstructions'],
    ['refused attestation', attested(false), attested('Tested.'), 'sandboxAttestation'],
    ['video without https', { ...PACKET, demoVideo: 'http://videos.example.com/1' }, PACKET, 'demoVideo'],
    ['hash of another manifest', attested({ manifestSha256: OTHER }), PACKET, 'sandboxAttestation/manifestSha256'],
    ['such a hash in a text', attested(`Tested ${OTHER}.`), PACKET, 'sandboxAttestation'],
    ['such a hash in a statement', attested(STATEMENT), NO_HASH, 'sandboxAttestation/statement'],
    ['such a hash in a list', attested([{ sha256: OTHER }]), NO_HASH, 'sandboxAttestation/0/sha256'],
    ['such a hash deep inside', attested({ runs: [{ of: [OTHER] }] }), NO_HASH, 'sandboxAttestation/runs/0/of/0'],
    ['no packet', undefined, PACKET, ''],
    ['list', [], PACKET, ''],
  ] as const
).map(([what, fails, passes, at]) => {
  return { check: 'REV-001', what, fails: {}, passes: {}, pointer: at && `/${at}`, packets: { fails, passes } };
});

const described = (text: string): Fragment => ({ listing: { summary: 'a', description: `See ${text}` } });

const SECRETS: Sample[] = [
  ...example('SEC-001', 'private key', '/listing/description'),
  ...against('SEC-001', '/listing/description', EXAMPLES['SEC-001'].passes, described, [
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
  ]),
  ...twins('SEC-001', '/automations/0/actions/0/headers/X-Api-Key', (value: string) => header('X-Api-Key', value), [
    ['header with a literal key', 'abcdef0123456789', '{{subject}}'],
  ]),
];

export const SAMPLES: readonly Sample[] = [
  ...[...MANIFEST, ...SCOPES, ...NETWORK, ...OBJECTS, ...AUTOMATIONS, ...EVENTS, ...CONNECTORS],
  ...[...TOOLS, ...LISTINGS, ...PACKETS, ...SECRETS],
];

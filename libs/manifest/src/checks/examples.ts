type Json = Readonly<Record<string, unknown>>;

const scope = (name: string, purpose = 'Needed.'): Json => ({ scope: name, purpose });
const BEYOND_USE = [
  scope('custom_objects', 'Keeps the visits.'),
  scope('automations', 'Creates visits.'),
  scope('tasks', 'Creates reminders.'),
  scope('leads', 'Reads and creates leads.'),
  scope('pipeline', 'Follows deals.'),
  scope('contacts', 'Knows whom to visit.'),
  scope('companies'),
];

const TITLE = { apiName: 'title', type: 'text' };
const object = (apiName: string, ...fields: Json[]): Json => ({ objects: [{ apiName, fields }] });
const visit = (...fields: Json[]): Json => object('visit', TITLE, ...fields);
const named = (nameField: string): Json => ({ objects: [{ apiName: 'visit', nameField, fields: [TITLE] }] });
const total = (expression: string): Json =>
  visit({ apiName: 'hours', type: 'number' }, { apiName: 'total', type: 'formula', expression });
const UNIQUE = { apiName: 'a', type: 'text', is_unique: true, readRoles: ['admin'] };

const hiddenReference = (onDelete: string): Json => ({
  apiName: 'contact',
  type: 'reference',
  referenceTarget: 'contact',
  onDelete,
  readRoles: ['admin'],
});
const RATE = { apiName: 'rate', type: 'number', readRoles: ['admin'] };
const exposing = (expression: string): Json => ({ apiName: 'shown', type: 'formula', expression, exposes: true });

const webhook = (url: string, event = 'lead.created'): Json => ({ webhooks: [{ events: [event], url }] });
const automation = (trigger: Json, action: Json): Json => ({ automations: [{ key: 'a', trigger, actions: [action] }] });
const task = (title: string): Json => ({ type: 'create_task', title });
const HOOK = { type: 'webhook_received', payload: [{ name: 'subject', type: 'text' }] };
const CREATED = { type: 'event', event: 'record.created' };

const stream = (destinationObject: string): Json => ({
  connector: {
    streams: [
      {
        name: 's',
        url: 'https://api.example.com/',
        primaryKey: 'id',
        destinationObject,
        mapping: { name: 'title' },
      },
    ],
  },
});
const tool = (inputSchema: Json): Json => ({
  assistant: { tools: [{ name: 'find', inputSchema, scope: 'leads:read', readOnly: true }] },
});

const ORIGINS = [
  'https://app.example.com',
  'https://app.example.com:8443',
  'https://my_app-2.xn--bcher-kva.com.',
  'https://[2606:4700::1111]',
];
const REDIRECT_URIS = [
  'https://app.example.com/callback',
  'https://app.example.com/',
  'https://app.example.com:8443/oauth/callback?region=eu',
];
const PACKET = {
  demoVideo: 'https://videos.example.com/1',
  sandboxAttestation: true,
  securityQuestionnaire: { contact: 'security@example.com' },
};

/**
 * What the page of a check shows: a fragment of a package that fails it and its passing twin. The tests run each of them.
 */
export const EXAMPLES = {
  'MAN-001': { fails: { webhook: [] }, passes: { webhooks: [] } },
  'MAN-002': { fails: { key: 'taken' }, passes: { key: 'mine' } },
  'MAN-003': { fails: { version: '1.10.0' }, passes: { version: '1.10.1' } },
  'MAN-004': { fails: named('titel'), passes: named('title') },
  'MAN-005': { fails: { objects: [] }, passes: {} },
  'SCP-001': { fails: { permissions: [scope('lead')] }, passes: { permissions: [scope('leads')] } },
  'SCP-002': { fails: { permissions: ['leads'] }, passes: { permissions: [scope('leads', 'Scores them.')] } },
  'SCP-003': { fails: { permissions: BEYOND_USE }, passes: {} },
  'SCP-004': { fails: { permissions: BEYOND_USE }, passes: {} },
  'SCP-005': {
    fails: { ...object('visit'), permissions: [scope('tasks')] },
    passes: { ...object('visit'), permissions: [scope('custom_objects')] },
  },
  'NET-001': { fails: webhook('https://10.0.0.1/'), passes: webhook('https://hooks.example.com/') },
  'NET-003': { fails: webhook('https://gone.example.com/'), passes: webhook('https://here.example.com/') },
  'NET-002': {
    fails: { embed: { allowedOrigins: ['https://*.example.com'] } },
    passes: { embed: { allowedOrigins: ORIGINS } },
  },
  'NET-004': {
    fails: { oauth: { redirectUris: ['https://*.example.com/callback'] } },
    passes: { oauth: { redirectUris: REDIRECT_URIS } },
  },
  'OBJ-001': { fails: object('lead'), passes: object('visit') },
  'OBJ-002': {
    fails: visit({ apiName: 'a', type: 'picklist' }),
    passes: visit({ apiName: 'a', type: 'picklist', options: ['a'] }),
  },
  'OBJ-003': { fails: total('hours *'), passes: total('hours * 2') },
  'OBJ-004': { fails: visit(), passes: { ...visit(), release: { breaking: ['Hours are no longer kept.'] } } },
  'OBJ-005': { fails: visit(UNIQUE), passes: visit({ ...UNIQUE, writeRoles: ['admin'] }) },
  'OBJ-007': { fails: visit(hiddenReference('cascade')), passes: visit(hiddenReference('set_null')) },
  'OBJ-008': { fails: visit(RATE, exposing('rate * 2')), passes: visit(RATE, exposing('LEN(title)')) },
  'AUT-001': { fails: automation(HOOK, task('{{subjct}}')), passes: automation(HOOK, task('{{ subject }}')) },
  'AUT-002': {
    fails: automation(CREATED, { type: 'create_record', object: 'visit', values: {} }),
    passes: automation(CREATED, task('a')),
  },
  'AUT-003': {
    fails: automation(HOOK, { type: 'send_email', to: 'role:admin', subject: 'New visit', text: '{{subject}}' }),
    passes: automation(HOOK, task('{{subject}}')),
  },
  'EVT-001': { fails: webhook('https://a.example.com/', 'lead.create'), passes: webhook('https://a.example.com/') },
  'CON-001': { fails: stream('visits'), passes: stream('custom:visit') },
  'AI-001': {
    fails: tool({ type: 'objekt' }),
    passes: tool({ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }),
  },
  'LST-001': { fails: { listing: {} }, passes: {} },
  'REV-001': { fails: PACKET, passes: { ...PACKET, testInstructions: 'Install it.' } },
  'SEC-001': {
    fails: { listing: { summary: 'a', description: 'See -----BEGIN RSA PRIVATE KEY-----\nMIIE' } },
    passes: { listing: { summary: 'a', description: 'Ask for a token, an API key or a password.' } },
  },
} satisfies Readonly<Record<string, { fails: object; passes: object }>>;

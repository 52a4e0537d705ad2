/**
 * What the page of a check shows: a fragment of a package that fails it and its passing twin. The tests run each of them.
 */
export const EXAMPLES = {
  'MAN-001': { fails: { webhook: [] }, passes: { webhooks: [] } },
  'MAN-002': { fails: { key: 'taken' }, passes: { key: 'mine' } },
  'MAN-003': { fails: { version: '1.10.0' }, passes: { version: '1.10.1' } },
  'MAN-004': {
    fails: { objects: [{ apiName: 'visit', nameField: 'titel', fields: [{ apiName: 'title', type: 'text' }] }] },
    passes: { objects: [{ apiName: 'visit', nameField: 'title', fields: [{ apiName: 'title', type: 'text' }] }] },
  },
  'MAN-005': { fails: { objects: [] }, passes: {} },
  'SCP-001': {
    fails: { permissions: [{ scope: 'lead', purpose: 'Needed.' }] },
    passes: { permissions: [{ scope: 'leads', purpose: 'Needed.' }] },
  },
  'SCP-002': {
    fails: { permissions: ['leads'] },
    passes: { permissions: [{ scope: 'leads', purpose: 'Scores them.' }] },
  },
  'SCP-003': {
    fails: {
      permissions: [
        { scope: 'custom_objects', purpose: 'Keeps the visits.' },
        { scope: 'automations', purpose: 'Creates visits.' },
        { scope: 'tasks', purpose: 'Creates reminders.' },
        { scope: 'leads', purpose: 'Reads and creates leads.' },
        { scope: 'pipeline', purpose: 'Follows deals.' },
        { scope: 'contacts', purpose: 'Knows whom to visit.' },
        { scope: 'companies', purpose: 'Needed.' },
      ],
    },
    passes: {},
  },
  'SCP-004': {
    fails: {
      permissions: [
        { scope: 'custom_objects', purpose: 'Keeps the visits.' },
        { scope: 'automations', purpose: 'Creates visits.' },
        { scope: 'tasks', purpose: 'Creates reminders.' },
        { scope: 'leads', purpose: 'Reads and creates leads.' },
        { scope: 'pipeline', purpose: 'Follows deals.' },
        { scope: 'contacts', purpose: 'Knows whom to visit.' },
        { scope: 'companies', purpose: 'Needed.' },
      ],
    },
    passes: {},
  },
  'SCP-005': {
    fails: { objects: [{ apiName: 'visit', fields: [] }], permissions: [{ scope: 'tasks', purpose: 'Needed.' }] },
    passes: {
      objects: [{ apiName: 'visit', fields: [] }],
      permissions: [{ scope: 'custom_objects', purpose: 'Needed.' }],
    },
  },
  'NET-001': {
    fails: { webhooks: [{ events: ['lead.created'], url: 'https://10.0.0.1/' }] },
    passes: { webhooks: [{ events: ['lead.created'], url: 'https://hooks.example.com/' }] },
  },
  'NET-003': {
    fails: { webhooks: [{ events: ['lead.created'], url: 'https://gone.example.com/' }] },
    passes: { webhooks: [{ events: ['lead.created'], url: 'https://here.example.com/' }] },
  },
  'NET-002': {
    fails: { embed: { allowedOrigins: ['https://*.example.com'] } },
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
  },
  'NET-004': {
    fails: { oauth: { redirectUris: ['https://*.example.com/callback'] } },
    passes: {
      oauth: {
        redirectUris: [
          'https://app.example.com/callback',
          'https://app.example.com/',
          'https://app.example.com:8443/oauth/callback?region=eu',
        ],
      },
    },
  },
  'OBJ-001': {
    fails: { objects: [{ apiName: 'lead', fields: [] }] },
    passes: { objects: [{ apiName: 'visit', fields: [] }] },
  },
  'OBJ-002': {
    fails: {
      objects: [
        {
          apiName: 'visit',
          fields: [
            { apiName: 'title', type: 'text' },
            { apiName: 'a', type: 'picklist' },
          ],
        },
      ],
    },
    passes: {
      objects: [
        {
          apiName: 'visit',
          fields: [
            { apiName: 'title', type: 'text' },
            { apiName: 'a', type: 'picklist', options: ['a'] },
          ],
        },
      ],
    },
  },
  'OBJ-003': {
    fails: {
      objects: [
        {
          apiName: 'visit',
          fields: [
            { apiName: 'title', type: 'text' },
            { apiName: 'hours', type: 'number' },
            { apiName: 'total', type: 'formula', expression: 'hours *' },
          ],
        },
      ],
    },
    passes: {
      objects: [
        {
          apiName: 'visit',
          fields: [
            { apiName: 'title', type: 'text' },
            { apiName: 'hours', type: 'number' },
            { apiName: 'total', type: 'formula', expression: 'hours * 2' },
          ],
        },
      ],
    },
  },
  'OBJ-004': {
    fails: { objects: [{ apiName: 'visit', fields: [{ apiName: 'title', type: 'text' }] }] },
    passes: {
      objects: [{ apiName: 'visit', fields: [{ apiName: 'title', type: 'text' }] }],
      release: { breaking: ['Hours are no longer kept.'] },
    },
  },
  'OBJ-005': {
    fails: {
      objects: [
        {
          apiName: 'visit',
          fields: [
            { apiName: 'title', type: 'text' },
            { apiName: 'a', type: 'text', is_unique: true, readRoles: ['admin'] },
          ],
        },
      ],
    },
    passes: {
      objects: [
        {
          apiName: 'visit',
          fields: [
            { apiName: 'title', type: 'text' },
            { apiName: 'a', type: 'text', is_unique: true, readRoles: ['admin'], writeRoles: ['admin'] },
          ],
        },
      ],
    },
  },
  'AUT-001': {
    fails: {
      automations: [
        {
          key: 'a',
          trigger: { type: 'webhook_received', payload: [{ name: 'subject', type: 'text' }] },
          actions: [{ type: 'create_task', title: '{{subjct}}' }],
        },
      ],
    },
    passes: {
      automations: [
        {
          key: 'a',
          trigger: { type: 'webhook_received', payload: [{ name: 'subject', type: 'text' }] },
          actions: [{ type: 'create_task', title: '{{ subject }}' }],
        },
      ],
    },
  },
  'AUT-002': {
    fails: {
      automations: [
        {
          key: 'a',
          trigger: { type: 'event', event: 'record.created' },
          actions: [{ type: 'create_record', object: 'visit', values: {} }],
        },
      ],
    },
    passes: {
      automations: [
        {
          key: 'a',
          trigger: { type: 'event', event: 'record.created' },
          actions: [{ type: 'create_task', title: 'a' }],
        },
      ],
    },
  },
  'EVT-001': {
    fails: { webhooks: [{ events: ['lead.create'], url: 'https://a.example.com/' }] },
    passes: { webhooks: [{ events: ['lead.created'], url: 'https://a.example.com/' }] },
  },
  'CON-001': {
    fails: {
      connector: {
        streams: [
          {
            name: 's',
            url: 'https://api.example.com/',
            primaryKey: 'id',
            destinationObject: 'visits',
            mapping: { name: 'title' },
          },
        ],
      },
    },
    passes: {
      connector: {
        streams: [
          {
            name: 's',
            url: 'https://api.example.com/',
            primaryKey: 'id',
            destinationObject: 'custom:visit',
            mapping: { name: 'title' },
          },
        ],
      },
    },
  },
  'AI-001': {
    fails: {
      assistant: { tools: [{ name: 'find', inputSchema: { type: 'objekt' }, scope: 'leads:read', readOnly: true }] },
    },
    passes: {
      assistant: {
        tools: [
          {
            name: 'find',
            inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' },
            scope: 'leads:read',
            readOnly: true,
          },
        ],
      },
    },
  },
  'LST-001': { fails: { listing: {} }, passes: {} },
  'REV-001': {
    fails: {
      demoVideo: 'https://videos.example.com/1',
      sandboxAttestation: true,
      securityQuestionnaire: { contact: 'security@example.com' },
    },
    passes: {
      demoVideo: 'https://videos.example.com/1',
      sandboxAttestation: true,
      securityQuestionnaire: { contact: 'security@example.com' },
      testInstructions: 'Install it.',
    },
  },
  'SEC-001': {
    fails: { listing: { summary: 'a', description: 'See -----BEGIN RSA PRIVATE KEY-----\nMIIE' } },
    passes: { listing: { summary: 'a', description: 'Ask for a token, an API key or a password.' } },
  },
} as const satisfies Readonly<Record<string, { fails: object; passes: object }>>;

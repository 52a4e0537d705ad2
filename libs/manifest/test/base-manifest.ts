/** A package that passes every check that needs no probe; samples replace sections of it. */
export const baseManifest = {
  manifestVersion: 1,
  key: 'acme-visits',
  name: 'Acme Visits',
  version: '1.1.0',
  kind: 'industry_app',
  publisher: {
    name: 'Acme',
    supportEmail: 'support@acme.example.com',
    privacyUrl: 'https://acme.example.com/privacy',
    termsUrl: 'https://acme.example.com/terms',
  },
  listing: { summary: 'Visits to the sites of customers.' },
  permissions: [
    { scope: 'custom_objects', purpose: 'Keeps the visits.' },
    { scope: 'automations', purpose: 'Creates visits.' },
    { scope: 'tasks', purpose: 'Creates reminders.' },
    { scope: 'leads', purpose: 'Reads and creates leads.' },
    { scope: 'pipeline', purpose: 'Follows deals.' },
    { scope: 'contacts', purpose: 'Knows whom to visit.' },
  ],
  roles: [{ name: 'planner', label: 'Planner' }],
  objects: [
    {
      apiName: 'visit',
      nameField: 'title',
      fields: [
        { apiName: 'title', type: 'text', required: true },
        { apiName: 'hours', type: 'number' },
      ],
    },
  ],
  automations: [
    {
      key: 'requested',
      trigger: { type: 'webhook_received', payload: [{ name: 'subject', type: 'text' }] },
      actions: [
        { type: 'create_record', object: 'visit', values: { title: '{{subject}}' } },
        { type: 'create_task', title: 'Confirm {{subject}}' },
        { type: 'create_record', object: 'lead', values: { lastName: '{{subject}}' } },
        { type: 'create_record', object: 'contact', values: { lastName: '{{subject}}' } },
        { type: 'create_record', object: 'opportunity', values: { name: '{{subject}}' } },
      ],
    },
  ],
} as const;

/** What a sample changes: sections by name, `undefined` to remove one. */
export type Fragment = Record<string, unknown>;

/** The base package with some sections replaced by those of a fragment. */
export function manifestWith(fragment: Fragment): Record<string, unknown> {
  return JSON.parse(JSON.stringify({ ...baseManifest, ...fragment }));
}

// Fragments of one section each.
export const fields = (...list: Fragment[]): Fragment => ({ objects: [{ apiName: 'visit', fields: list }] });
export const text = (more: Fragment): Fragment => fields({ apiName: 'a', type: 'text', ...more });
export const scopes = (...permissions: unknown[]): Fragment => ({ permissions });
export const origins = (...allowedOrigins: string[]): Fragment => ({ embed: { allowedOrigins } });
export const redirects = (...redirectUris: string[]): Fragment => ({ oauth: { redirectUris } });

/** What is changed, two versions of a package, and what is found. */
export type Change = [what: string, before: Fragment, after: Fragment, expected: string[]];

/** Changes of one part of a package. @param at what everything that is found begins with */
export const changes = <Part>(
  at: string,
  make: (part: Part) => Fragment,
  rows: readonly [what: string, before: Part, after: Part, ...expected: string[]][],
): Change[] =>
  rows.map(([what, before, after, ...expected]) => [what, make(before), make(after), expected.map((one) => at + one)]);

import { describe, expect, it } from '@jest/globals';
import { type Difference, type Manifest, manifestDifference, summariseDifference } from '../src/index.js';
import { type Fragment, manifestWith } from './base-manifest.js';

const asManifest = (fragment: Fragment): Manifest => manifestWith(fragment) as unknown as Manifest;
const differences = (before: Fragment, after: Fragment): Difference[] =>
  manifestDifference(asManifest(before), asManifest(after));
/** What each entry is about, what happened to it, and what it calls for. */
const found = (before: Fragment, after: Fragment): string[] =>
  differences(before, after).map(({ path, kind, attention }) => `${path} ${kind} ${attention}`);

const HOOKS = '/webhooks/https:~1~1a.example.com~1';
const FIELD = '/objects/visit/fields/a';
const fields = (...list: Fragment[]): Fragment => ({ objects: [{ apiName: 'visit', fields: list }] });
const text = (more: Fragment): Fragment => fields({ apiName: 'a', type: 'text', ...more });
const withField = (more: Fragment): Fragment =>
  fields({ apiName: 'a', type: 'text' }, { apiName: 'b', type: 'text', ...more });
const formula = (expression: string, more: Fragment = {}): Fragment => text({ type: 'formula', expression, ...more });
const ruled = (type: string, value: unknown): Fragment => text({ validationRules: [{ type, value }] });
/** A formula that everyone can read, by way of one that only administrators can. */
const exposedBy = (expression: string): Fragment =>
  fields(
    { apiName: 'secret', type: 'number', readRoles: ['admin'] },
    { apiName: 'way', type: 'formula', expression, readRoles: ['admin'] },
    { apiName: 'band', type: 'formula', expression: 'way', exposes: true },
  );
const hook = (...actions: Fragment[]): Fragment => ({
  automations: [{ key: 'a', trigger: { type: 'webhook_received' }, actions }],
});
const webhooks = (...list: [url: string, ...events: string[]][]): Fragment => ({
  webhooks: list.map(([url, ...events]) => ({ url, events })),
});
const tool = (more: Fragment): Fragment => ({
  assistant: { tools: [{ name: 'find', inputSchema: { type: 'object' }, ...more }] },
});
const scopes = (...permissions: unknown[]): Fragment => ({ permissions });
const readers = (...readRoles: string[]): Fragment => text({ readRoles });
const origins = (...allowedOrigins: string[]): Fragment => ({ embed: { allowedOrigins } });
const redirects = (...redirectUris: string[]): Fragment => ({ oauth: { redirectUris } });
const listing = (more: Fragment): Fragment => ({ listing: more });
const A = 'https://a.example.com/1';
const OPTIONAL = { scope: 'leads', optional: true };

describe('manifestDifference', () => {
  it.each<[string, Fragment, Fragment]>([
    ['equal packages', {}, {}],
    ['another order of permissions', scopes('leads', 'tasks'), scopes('tasks', 'leads')],
    ['a permission in the short form', scopes('leads'), scopes({ scope: 'leads' })],
    ['a default that is written', text({}), text({ required: false, readRoles: [] })],
    ['another order of roles', readers('admin', 'owner'), readers('owner', 'admin')],
    ['another order of members', { roles: [{ name: 'a', label: 'A' }] }, { roles: [{ label: 'A', name: 'a' }] }],
    ['a section without content', { webhooks: [] }, {}],
  ])('finds nothing in %s', (_what, before, after) => {
    expect(found(before, after)).toEqual([]);
  });

  it.each<[string, Fragment, Fragment, string[]]>([
    ['a new scope', scopes('leads'), scopes('leads', 'agent'), ['/permissions/agent added access']],
    [
      'read in the place of the full scope',
      scopes('leads'),
      scopes('leads:read'),
      ['/permissions/leads:read added behaviour', '/permissions/leads removed behaviour'],
    ],
    [
      'the full scope in the place of read',
      scopes('leads:read'),
      scopes('leads'),
      ['/permissions/leads added access', '/permissions/leads:read removed behaviour'],
    ],
    [
      'a scope that a tenant can no longer decline',
      scopes(OPTIONAL),
      scopes('leads'),
      ['/permissions/leads/optional removed access'],
    ],
    [
      'read of a scope that a tenant could decline',
      scopes(OPTIONAL),
      scopes('leads:read', OPTIONAL),
      ['/permissions/leads:read added access'],
    ],
    [
      'a scope that a tenant can decline now',
      scopes('leads'),
      scopes(OPTIONAL),
      ['/permissions/leads/optional added behaviour'],
    ],
    [
      'another purpose',
      scopes({ scope: 'leads', purpose: 'x' }),
      scopes({ scope: 'leads', purpose: 'y' }),
      ['/permissions/leads/purpose changed text'],
    ],
    ['a role gone', { roles: [{ name: 'a' }] }, { roles: [] }, ['/roles/a removed loss']],
    [
      'one of two roles gone',
      { roles: [{ name: 'a' }, { name: 'b' }] },
      { roles: [{ name: 'a' }] },
      ['/roles/b removed loss'],
    ],
    [
      'an object gone',
      fields(),
      { objects: [{ apiName: 'other', fields: [] }] },
      ['/objects/other added behaviour', '/objects/visit removed loss'],
    ],
    ['a new field', text({}), withField({}), ['/objects/visit/fields/b added behaviour']],
    ['a new required field', text({}), withField({ required: true }), ['/objects/visit/fields/b added loss']],
    ['another type', text({}), text({ type: 'number' }), [`${FIELD}/type changed loss`]],
    ['a type of the same storage', text({}), text({ type: 'textarea' }), [`${FIELD}/type changed behaviour`]],
    ['more readers', readers('admin'), readers('admin', 'member'), [`${FIELD}/readRoles changed access`]],
    ['everyone as reader', readers('admin'), readers(), [`${FIELD}/readRoles removed access`]],
    ['fewer readers', text({}), readers('admin'), [`${FIELD}/readRoles added loss`]],
    [
      'other writers',
      text({ writeRoles: ['admin'] }),
      text({ writeRoles: ['member'] }),
      [`${FIELD}/writeRoles changed access`],
    ],
    ['an exposing formula', formula('1'), formula('1', { exposes: true }), [`${FIELD}/exposes added access`]],
    ['another formula', formula('1'), formula('2'), [`${FIELD}/expression changed behaviour`]],
    [
      'another formula on the way to an exposing one',
      exposedBy('1'),
      exposedBy('secret'),
      ['/objects/visit/fields/way/expression changed access'],
    ],
    [
      'a stricter rule',
      ruled('max_length', 9),
      ruled('max_length', 5),
      [`${FIELD}/validationRules/max_length 5 added loss`, `${FIELD}/validationRules/max_length 9 removed behaviour`],
    ],
    [
      'an option gone',
      text({ type: 'picklist', options: ['x', 'y'] }),
      text({ type: 'picklist', options: ['x'] }),
      [`${FIELD}/options/y removed loss`],
    ],
    ['another label', text({ label: 'A' }), text({ label: 'B' }), [`${FIELD}/label changed text`]],
    [
      'a webhook to a new host',
      {},
      webhooks([A, 'lead.created']),
      ['/hosts/a.example.com added access', '/events/lead.created added access', `${HOOKS}1 added access`],
    ],
    [
      'another path on a host',
      webhooks([A, 'lead.*']),
      webhooks(['https://a.example.com/2', 'lead.created']),
      ['/events/lead.* removed behaviour', `${HOOKS}2 added behaviour`, `${HOOKS}1 removed behaviour`],
    ],
    [
      'an event that another host had',
      webhooks([A, 'lead.created'], ['https://b.example.com/', 'lead.updated']),
      webhooks([A, 'lead.created', 'lead.updated'], ['https://b.example.com/', 'lead.updated']),
      [`${HOOKS}1/events/lead.updated added access`],
    ],
    [
      'a hook',
      { automations: [{ key: 'a', trigger: { type: 'schedule', cron: '0 7 * * *' }, actions: [] }] },
      hook(),
      ['/automations/a/trigger/type changed access', '/automations/a/trigger/cron removed behaviour'],
    ],
    [
      'another call',
      hook({ type: 'http_request', url: A }),
      hook({ type: 'http_request', url: 'https://b.example.com/' }),
      [
        '/hosts/b.example.com added access',
        '/hosts/a.example.com removed behaviour',
        '/automations/a/actions/http_request/url changed behaviour',
      ],
    ],
    [
      'another order of actions',
      hook({ type: 'wait', seconds: 1 }, { type: 'create_task', title: 'x' }),
      hook({ type: 'create_task', title: 'x' }, { type: 'wait', seconds: 1 }),
      ['/automations/a/actions changed behaviour'],
    ],
    [
      'a new origin',
      origins('https://a'),
      origins('https://a', 'https://b'),
      ['/embed/allowedOrigins/https:~1~1b added access'],
    ],
    ['a first embed section', {}, origins('https://a'), ['/embed added access']],
    [
      'accounts by e-mail address',
      { embed: { allowedOrigins: ['https://a'], linkUsersBy: 'explicit' } },
      origins('https://a'),
      ['/embed/linkUsersBy removed access'],
    ],
    [
      'a redirect URI',
      redirects('https://a/'),
      redirects('https://a/', 'https://b/'),
      ['/oauth/redirectUris/https:~1~1b~1 added access'],
    ],
    [
      'a tool that no longer asks',
      tool({ requiresConfirmation: true }),
      tool({}),
      ['/assistant/tools/find/requiresConfirmation removed access'],
    ],
    [
      'a tool that writes',
      tool({ readOnly: true, scope: 'leads:read' }),
      tool({ scope: 'leads' }),
      ['/assistant/tools/find/scope changed access', '/assistant/tools/find/readOnly removed access'],
    ],
    ['an app for everybody', listing({ visibility: 'private' }), listing({}), ['/listing/visibility removed access']],
    ['another summary', listing({ summary: 'x' }), listing({ summary: 'y' }), ['/listing/summary changed text']],
    ['a section that joins the manifest', {}, { future: { a: 1 } }, ['/future added behaviour']],
  ])('finds %s', (_what, before, after, expected) => {
    expect(found(before, after)).toEqual(expected);
  });

  it('shows both values', () => {
    expect(differences(readers('admin'), readers('admin', 'member'))).toEqual([
      {
        path: '/objects/visit/fields/a/readRoles',
        kind: 'changed',
        attention: 'access',
        note: 'More roles may read it.',
        before: ['admin'],
        after: ['admin', 'member'],
      },
    ]);
  });

  it('tells duplicates apart', () => {
    const twice = (seconds: number) => hook({ type: 'wait', seconds: 1 }, { type: 'wait', seconds });
    expect(found(twice(2), twice(3))).toEqual(['/automations/a/actions/wait #2/seconds changed behaviour']);
  });
});

describe('summariseDifference', () => {
  const entry = (attention: Difference['attention'], path: string, after: unknown = 1): Difference => ({
    path,
    kind: 'added',
    attention,
    after,
  });

  it('puts what is urgent first and counts everything', () => {
    const all = [entry('text', '/a'), entry('access', '/b'), entry('loss', '/c'), entry('access', '/d')];
    const { entries, counts, complete } = summariseDifference(all);
    expect(entries.map(({ path }) => path)).toEqual(['/b', '/d', '/c', '/a']);
    expect([counts, complete]).toEqual([{ access: 2, loss: 1, behaviour: 0, text: 1 }, true]);
  });

  it('shortens long values, and leaves out what does not fit', () => {
    const all = Array.from({ length: 100 }, (_, i) => entry('text', `/${i}`, 'x'.repeat(10_000)));
    const { entries, counts, complete } = summariseDifference(all);
    expect(entries[0]).toMatchObject({ shortened: true, after: expect.stringMatching(/^"x+…$/) });
    expect([counts.text, complete]).toEqual([100, false]);
    expect(JSON.stringify(entries).length).toBeLessThan(160_000);
  });
});

describe('very large packages', () => {
  const formulas = (factor: number): Fragment => ({
    objects: Array.from({ length: 100 }, (_, i) => ({
      apiName: `object_${i}`,
      fields: Array.from({ length: 20 }, (_, j) =>
        j < 10
          ? { apiName: `field_${j}`, type: 'number', readRoles: ['admin'] }
          : { apiName: `field_${j}`, type: 'formula', expression: `field_${j - 5} * ${factor}`, exposes: j > 14 },
      ),
    })),
  });
  const many = (count: number, of: (i: number) => Fragment): Fragment[] =>
    Array.from({ length: count }, (_, i) => of(i));

  it.each<[string, Fragment, Fragment, number]>([
    ['formulas', formulas(1), formulas(2), 1_000],
    [
      'webhooks',
      { webhooks: many(2_000, (i) => ({ url: `https://a${i % 50}.example.com/${i}`, events: ['lead.created'] })) },
      { webhooks: many(2_000, (i) => ({ url: `https://a${i % 50}.example.com/x${i}`, events: ['lead.updated'] })) },
      4_002,
    ],
    [
      'options',
      text({ type: 'picklist', options: many(5_000, (i) => ({ value: `a${i}`, label: 'x' })) }),
      text({ type: 'picklist', options: many(5_000, (i) => ({ value: `b${i}`, label: 'x' })) }),
      10_000,
    ],
    [
      'duplicates',
      hook(...many(5_000, () => ({ type: 'wait', seconds: 1 }))),
      hook(...many(5_000, () => ({ type: 'wait', seconds: 2 }))),
      5_000,
    ],
  ])('are compared in linear time: %s', (_what, before, after, count) => {
    const startedAt = performance.now();
    expect(differences(before, after)).toHaveLength(count);
    // Each takes a fraction of a second; the limit only distinguishes linear from quadratic time on a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

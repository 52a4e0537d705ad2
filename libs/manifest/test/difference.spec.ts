import { describe, expect, it } from '@jest/globals';
import { type Difference, type Manifest, manifestDifference, summariseDifference } from '../src/index.js';
import {
  type Change,
  changes,
  type Fragment,
  fields,
  manifestWith,
  origins,
  redirects,
  scopes,
  text,
} from './base-manifest.js';

const asManifest = (fragment: Fragment): Manifest => manifestWith(fragment) as unknown as Manifest;
const differences = (before: Fragment, after: Fragment): Difference[] =>
  manifestDifference(asManifest(before), asManifest(after));
/** What each entry is about, what happened to it, and what it calls for. */
const found = (before: Fragment, after: Fragment): string[] =>
  differences(before, after).map(({ path, kind, attention }) => `${path} ${kind} ${attention}`);

const HOOKS = '/webhooks/https:~1~1a.example.com~1';
const NONE: Fragment = {};
const formula = (more: Fragment): Fragment => text({ type: 'formula', expression: '1', ...more });
const readable = (...readRoles: string[]): Fragment => ({ readRoles });
const roles = (...names: string[]): Fragment => ({ roles: names.map((name) => ({ name })) });
/** A formula that everyone can read, by way of one that only administrators can. */
const exposedBy = (expression: string): Fragment =>
  fields(
    { apiName: 'secret', type: 'number', readRoles: ['admin'] },
    { apiName: 'way', type: 'formula', expression, readRoles: ['admin'] },
    { apiName: 'band', type: 'formula', expression: 'way', exposes: true },
  );
const WAIT = { type: 'wait', seconds: 1 };
const DAILY = { type: 'schedule', cron: '0 7 * * *' };
const READING = { readOnly: true, scope: 'leads:read' };
const TASK = { type: 'create_task', title: 'x' };
const started = (trigger: Fragment, ...actions: Fragment[]): Fragment => ({
  automations: [{ key: 'a', trigger, actions }],
});
const hook = (...actions: Fragment[]): Fragment => started({ type: 'webhook_received' }, ...actions);
const webhooks = (...list: [url: string, ...events: string[]][]): Fragment => ({
  webhooks: list.map(([url, ...events]) => ({ url, events })),
});
const tool = (more: Fragment): Fragment => ({
  assistant: { tools: [{ name: 'find', inputSchema: { type: 'object' }, ...more }] },
});
const listing = (more: Fragment): Fragment => ({ listing: more });
const A = 'https://a.example.com/1';
const B = 'https://b.example.com/';
const OPTIONAL = { scope: 'leads', optional: true };
const FIRST = { apiName: 'a', type: 'text' };
const SECOND = { apiName: 'b', type: 'text' };

describe('manifestDifference', () => {
  it.each<[string, Fragment, Fragment]>([
    ['equal packages', NONE, NONE],
    ['another order of permissions', scopes('leads', 'tasks'), scopes('tasks', 'leads')],
    ['a permission in the short form', scopes('leads'), scopes({ scope: 'leads' })],
    ['a default that is written', text({}), text({ required: false, readRoles: [] })],
    ['another order of roles', text(readable('admin', 'owner')), text(readable('owner', 'admin'))],
    ['another order of members', { roles: [{ name: 'a', label: 'A' }] }, { roles: [{ label: 'A', name: 'a' }] }],
    ['a section without content', { webhooks: [] }, NONE],
  ])('finds nothing in %s', (_what, before, after) => expect(found(before, after)).toEqual([]));

  it.each<Change>([
    ...changes('/permissions/', (list: unknown[]) => scopes(...list), [
      ['a new scope', ['leads'], ['leads', 'agent'], 'agent added access'],
      ['read in the place of all', ['leads'], ['leads:read'], 'leads:read added behaviour', 'leads removed behaviour'],
      ['all in the place of read', ['leads:read'], ['leads'], 'leads added access', 'leads:read removed behaviour'],
      ['a scope that a tenant can no longer decline', [OPTIONAL], ['leads'], 'leads/optional removed access'],
      ['read of a scope that a tenant could decline', [OPTIONAL], ['leads:read', OPTIONAL], 'leads:read added access'],
      ['a scope that a tenant can decline now', ['leads'], [OPTIONAL], 'leads/optional added behaviour'],
    ]),
    ...changes('/permissions/leads/', (purpose: string) => scopes({ scope: 'leads', purpose }), [
      ['another purpose', 'x', 'y', 'purpose changed text'],
    ]),
    ...changes('/roles/', (names: string[]) => roles(...names), [
      ['a role gone', ['a'], [], 'a removed loss'],
      ['one of two roles gone', ['a', 'b'], ['a'], 'b removed loss'],
    ]),
    ...changes('/objects/', (apiName: string) => ({ objects: [{ apiName, fields: [] }] }), [
      ['an object gone', 'visit', 'other', 'other added behaviour', 'visit removed loss'],
    ]),
    ...changes('/objects/visit/fields/', (list: Fragment[]) => fields(...list), [
      ['a new field', [FIRST], [FIRST, SECOND], 'b added behaviour'],
      ['a new required field', [FIRST], [FIRST, { ...SECOND, required: true }], 'b added loss'],
    ]),
    ...changes('/objects/visit/fields/a/', text, [
      ['another type', NONE, { type: 'number' }, 'type changed loss'],
      ['a type of the same storage', NONE, { type: 'textarea' }, 'type changed behaviour'],
      ['more readers', readable('admin'), readable('admin', 'member'), 'readRoles changed access'],
      ['everyone as reader', readable('admin'), readable(), 'readRoles removed access'],
      ['fewer readers', NONE, readable('admin'), 'readRoles added loss'],
      ['other writers', { writeRoles: ['admin'] }, { writeRoles: ['member'] }, 'writeRoles changed access'],
      ['another label', { label: 'A' }, { label: 'B' }, 'label changed text'],
    ]),
    ...changes('/objects/visit/fields/a/options/', (options: string[]) => text({ type: 'picklist', options }), [
      ['an option gone', ['x', 'y'], ['x'], 'y removed loss'],
    ]),
    ...changes(
      '/objects/visit/fields/a/validationRules/max_length ',
      (value: number) => text({ validationRules: [{ type: 'max_length', value }] }),
      [['a stricter rule', 9, 5, '5 added loss', '9 removed behaviour']],
    ),
    ...changes('/objects/visit/fields/a/', formula, [
      ['an exposing formula', NONE, { exposes: true }, 'exposes added access'],
      ['another formula', NONE, { expression: '2' }, 'expression changed behaviour'],
    ]),
    ...changes('/objects/visit/fields/way/', exposedBy, [
      ['another formula on the way to an exposing one', '1', 'secret', 'expression changed access'],
    ]),
    [
      'a webhook to a new host',
      NONE,
      webhooks([A, 'lead.created']),
      ['/hosts/a.example.com added access', '/events/lead.created added access', `${HOOKS}1 added access`],
    ],
    [
      'another path on a host',
      webhooks([A, 'lead.*']),
      webhooks(['https://a.example.com/2', 'lead.created']),
      ['/events/lead.* removed behaviour', `${HOOKS}2 added behaviour`, `${HOOKS}1 removed behaviour`],
    ],
    ...changes(`${HOOKS}1/events/`, (more: string[]) => webhooks([A, 'lead.created', ...more], [B, 'lead.updated']), [
      ['an event that another host had', [], ['lead.updated'], 'lead.updated added access'],
    ]),
    ...changes('/automations/a/trigger/', (trigger: Fragment) => started(trigger), [
      ['a hook', DAILY, { type: 'webhook_received' }, 'type changed access', 'cron removed behaviour'],
    ]),
    ...changes('/', (url: string) => hook({ type: 'http_request', url }), [
      [
        'another call',
        A,
        B,
        'hosts/b.example.com added access',
        'hosts/a.example.com removed behaviour',
        'automations/a/actions/http_request/url changed behaviour',
      ],
    ]),
    ['another order of actions', hook(WAIT, TASK), hook(TASK, WAIT), ['/automations/a/actions changed behaviour']],
    ['a first embed section', NONE, origins('https://a'), ['/embed added access']],
    ...changes('/embed/allowedOrigins/', (list: string[]) => origins(...list), [
      ['a new origin', ['https://a'], ['https://a', 'https://b'], 'https:~1~1b added access'],
    ]),
    ...changes('/embed/', (more: Fragment) => ({ embed: { allowedOrigins: ['https://a'], ...more } }), [
      ['accounts by e-mail address', { linkUsersBy: 'explicit' }, NONE, 'linkUsersBy removed access'],
    ]),
    ...changes('/oauth/redirectUris/', (uris: string[]) => redirects(...uris), [
      ['a redirect URI', ['https://a/'], ['https://a/', 'https://b/'], 'https:~1~1b~1 added access'],
    ]),
    ...changes('/assistant/tools/find/', tool, [
      ['a tool that no longer asks', { requiresConfirmation: true }, NONE, 'requiresConfirmation removed access'],
      ['a tool that writes', READING, { scope: 'leads' }, 'scope changed access', 'readOnly removed access'],
    ]),
    ...changes('/listing/', listing, [
      ['an app for everybody', { visibility: 'private' }, NONE, 'visibility removed access'],
      ['another summary', { summary: 'x' }, { summary: 'y' }, 'summary changed text'],
    ]),
    ['a section that joins the manifest', NONE, { future: { a: 1 } }, ['/future added behaviour']],
  ])('finds %s', (_what, before, after, expected) => expect(found(before, after)).toEqual(expected));

  it('shows both values', () => {
    expect(differences(text(readable('admin')), text(readable('admin', 'member')))).toEqual([
      {
        path: '/objects/visit/fields/a/readRoles',
        kind: 'changed',
        attention: 'access',
        note: 'More roles can read it.',
        before: ['admin'],
        after: ['admin', 'member'],
      },
    ]);
  });

  it('tells duplicates apart', () => {
    const twice = (seconds: number) => hook(WAIT, { ...WAIT, seconds });
    expect(found(twice(2), twice(3))).toEqual(['/automations/a/actions/wait #2/seconds changed behaviour']);
  });
});

describe('summariseDifference', () => {
  const entry = (attention: Difference['attention'], path: string, after: unknown = 1): Difference => {
    return { path, kind: 'added', attention, after };
  };

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
const many = (count: number, of: (i: number) => Fragment): Fragment[] => Array.from({ length: count }, (_, i) => of(i));
const calls = (path: string, event: string): Fragment => ({
  webhooks: many(2_000, (i) => ({ url: `https://a${i % 50}.example.com/${path}${i}`, events: [event] })),
});
const options = (letter: string): Fragment =>
  text({ type: 'picklist', options: many(5_000, (i) => ({ value: `${letter}${i}`, label: 'x' })) });
const waits = (seconds: number): Fragment => hook(...many(5_000, () => ({ ...WAIT, seconds })));

it.each<[string, Fragment, Fragment, number]>([
  ['formulas', formulas(1), formulas(2), 1_000],
  ['webhooks', calls('', 'lead.created'), calls('x', 'lead.updated'), 4_002],
  ['options', options('a'), options('b'), 10_000],
  ['duplicates', waits(1), waits(2), 5_000],
])('very large packages are compared in linear time: %s', (_what, before, after, count) => {
  const startedAt = performance.now();
  expect(differences(before, after)).toHaveLength(count);
  // Each takes a fraction of a second; the limit only distinguishes linear from quadratic time on a busy machine.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

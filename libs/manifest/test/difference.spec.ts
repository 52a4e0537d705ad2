import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Difference, type Manifest, manifestDifference, summariseDifference } from '../src/index.js';
import { shapeProblems } from '../src/validate.js';
import { baseManifest, type Fragment, manifestWith } from './base-manifest.js';
import { SAMPLES } from './samples.js';

const DEEP = process.env.DEEP === '1';

const asManifest = (fragment: Fragment): Manifest => manifestWith(fragment) as unknown as Manifest;
const differences = (before: Fragment, after: Fragment): Difference[] =>
  manifestDifference(asManifest(before), asManifest(after));
const found = (before: Fragment, after: Fragment): [string, string, string][] =>
  differences(before, after).map(({ path, kind, attention }) => [path, kind, attention]);

const fields = (...list: Fragment[]): Fragment => ({ objects: [{ apiName: 'visit', fields: list }] });
const text = (more: Fragment): Fragment => fields({ apiName: 'a', type: 'text', ...more });
const hook = (...actions: Fragment[]): Fragment => ({
  automations: [{ key: 'a', trigger: { type: 'webhook_received' }, actions }],
});
const webhooks = (...list: [url: string, ...events: string[]][]): Fragment => ({
  webhooks: list.map(([url, ...events]) => ({ url, events })),
});
const tool = (more: Fragment): Fragment => ({
  assistant: { tools: [{ name: 'find', inputSchema: { type: 'object' }, ...more }] },
});
const A = 'https://a.example.com/1';

describe('manifestDifference', () => {
  it.each<[string, Fragment, Fragment]>([
    ['equal packages', {}, {}],
    ['another order of permissions', { permissions: ['leads', 'tasks'] }, { permissions: ['tasks', 'leads'] }],
    ['a permission in the short form', { permissions: ['leads'] }, { permissions: [{ scope: 'leads' }] }],
    ['a default that is written', text({}), text({ required: false, readRoles: [] })],
    ['another order of roles', text({ readRoles: ['admin', 'owner'] }), text({ readRoles: ['owner', 'admin'] })],
    ['another order of members', { roles: [{ name: 'a', label: 'A' }] }, { roles: [{ label: 'A', name: 'a' }] }],
    ['a section without content', { webhooks: [] }, {}],
  ])('finds nothing in %s', (_what, before, after) => {
    expect(found(before, after)).toEqual([]);
  });

  it.each<[string, Fragment, Fragment, [string, string, string][]]>([
    [
      'a new scope',
      { permissions: ['leads'] },
      { permissions: ['leads', 'agent'] },
      [['/permissions/agent', 'added', 'access']],
    ],
    [
      'read in the place of the full scope',
      { permissions: ['leads'] },
      { permissions: ['leads:read'] },
      [
        ['/permissions/leads:read', 'added', 'behaviour'],
        ['/permissions/leads', 'removed', 'behaviour'],
      ],
    ],
    [
      'the full scope in the place of read',
      { permissions: ['leads:read'] },
      { permissions: ['leads'] },
      [
        ['/permissions/leads', 'added', 'access'],
        ['/permissions/leads:read', 'removed', 'behaviour'],
      ],
    ],
    [
      'a scope that a tenant can no longer decline',
      { permissions: [{ scope: 'leads', optional: true }] },
      { permissions: ['leads'] },
      [['/permissions/leads/optional', 'removed', 'access']],
    ],
    [
      'read of a scope that a tenant could decline',
      { permissions: [{ scope: 'leads', optional: true }] },
      { permissions: ['leads:read', { scope: 'leads', optional: true }] },
      [['/permissions/leads:read', 'added', 'access']],
    ],
    [
      'a scope that a tenant can decline now',
      { permissions: ['leads'] },
      { permissions: [{ scope: 'leads', optional: true }] },
      [['/permissions/leads/optional', 'added', 'behaviour']],
    ],
    [
      'another purpose',
      { permissions: [{ scope: 'leads', purpose: 'x' }] },
      { permissions: [{ scope: 'leads', purpose: 'y' }] },
      [['/permissions/leads/purpose', 'changed', 'text']],
    ],
    ['a role gone', { roles: [{ name: 'a' }] }, { roles: [] }, [['/roles/a', 'removed', 'loss']]],
    [
      'one of two roles gone',
      { roles: [{ name: 'a' }, { name: 'b' }] },
      { roles: [{ name: 'a' }] },
      [['/roles/b', 'removed', 'loss']],
    ],
    [
      'an object gone',
      fields(),
      { objects: [{ apiName: 'other', fields: [] }] },
      [
        ['/objects/other', 'added', 'behaviour'],
        ['/objects/visit', 'removed', 'loss'],
      ],
    ],
    [
      'a new field',
      text({}),
      fields({ apiName: 'a', type: 'text' }, { apiName: 'b', type: 'text' }),
      [['/objects/visit/fields/b', 'added', 'behaviour']],
    ],
    [
      'a new required field',
      text({}),
      fields({ apiName: 'a', type: 'text' }, { apiName: 'b', type: 'text', required: true }),
      [['/objects/visit/fields/b', 'added', 'loss']],
    ],
    ['another type', text({}), text({ type: 'number' }), [['/objects/visit/fields/a/type', 'changed', 'loss']]],
    [
      'a type of the same storage',
      text({}),
      text({ type: 'textarea' }),
      [['/objects/visit/fields/a/type', 'changed', 'behaviour']],
    ],
    [
      'more readers',
      text({ readRoles: ['admin'] }),
      text({ readRoles: ['admin', 'member'] }),
      [['/objects/visit/fields/a/readRoles', 'changed', 'access']],
    ],
    [
      'everyone as reader',
      text({ readRoles: ['admin'] }),
      text({ readRoles: [] }),
      [['/objects/visit/fields/a/readRoles', 'removed', 'access']],
    ],
    [
      'fewer readers',
      text({}),
      text({ readRoles: ['admin'] }),
      [['/objects/visit/fields/a/readRoles', 'added', 'loss']],
    ],
    [
      'other writers',
      text({ writeRoles: ['admin'] }),
      text({ writeRoles: ['member'] }),
      [['/objects/visit/fields/a/writeRoles', 'changed', 'access']],
    ],
    [
      'an exposing formula',
      text({ type: 'formula', expression: '1' }),
      text({ type: 'formula', expression: '1', exposes: true }),
      [['/objects/visit/fields/a/exposes', 'added', 'access']],
    ],
    [
      'another formula',
      text({ type: 'formula', expression: '1' }),
      text({ type: 'formula', expression: '2' }),
      [['/objects/visit/fields/a/expression', 'changed', 'behaviour']],
    ],
    [
      'another formula on the way to an exposing one',
      fields(
        { apiName: 'secret', type: 'number', readRoles: ['admin'] },
        { apiName: 'way', type: 'formula', expression: '1', readRoles: ['admin'] },
        { apiName: 'band', type: 'formula', expression: 'way', exposes: true },
      ),
      fields(
        { apiName: 'secret', type: 'number', readRoles: ['admin'] },
        { apiName: 'way', type: 'formula', expression: 'secret', readRoles: ['admin'] },
        { apiName: 'band', type: 'formula', expression: 'way', exposes: true },
      ),
      [['/objects/visit/fields/way/expression', 'changed', 'access']],
    ],
    [
      'a stricter rule',
      text({ validationRules: [{ type: 'max_length', value: 9 }] }),
      text({ validationRules: [{ type: 'max_length', value: 5 }] }),
      [
        ['/objects/visit/fields/a/validationRules/max_length 5', 'added', 'loss'],
        ['/objects/visit/fields/a/validationRules/max_length 9', 'removed', 'behaviour'],
      ],
    ],
    [
      'an option gone',
      text({ type: 'picklist', options: ['x', 'y'] }),
      text({ type: 'picklist', options: ['x'] }),
      [['/objects/visit/fields/a/options/y', 'removed', 'loss']],
    ],
    [
      'another label',
      text({ label: 'A' }),
      text({ label: 'B' }),
      [['/objects/visit/fields/a/label', 'changed', 'text']],
    ],
    [
      'a webhook to a new host',
      {},
      webhooks([A, 'lead.created']),
      [
        ['/hosts/a.example.com', 'added', 'access'],
        ['/events/lead.created', 'added', 'access'],
        ['/webhooks/https:~1~1a.example.com~11', 'added', 'access'],
      ],
    ],
    [
      'another path on a host',
      webhooks([A, 'lead.*']),
      webhooks(['https://a.example.com/2', 'lead.created']),
      [
        ['/events/lead.*', 'removed', 'behaviour'],
        ['/webhooks/https:~1~1a.example.com~12', 'added', 'behaviour'],
        ['/webhooks/https:~1~1a.example.com~11', 'removed', 'behaviour'],
      ],
    ],
    [
      'an event that another host had',
      webhooks([A, 'lead.created'], ['https://b.example.com/', 'lead.updated']),
      webhooks([A, 'lead.created', 'lead.updated'], ['https://b.example.com/', 'lead.updated']),
      [['/webhooks/https:~1~1a.example.com~11/events/lead.updated', 'added', 'access']],
    ],
    [
      'a hook',
      { automations: [{ key: 'a', trigger: { type: 'schedule', cron: '0 7 * * *' }, actions: [] }] },
      hook(),
      [
        ['/automations/a/trigger/type', 'changed', 'access'],
        ['/automations/a/trigger/cron', 'removed', 'behaviour'],
      ],
    ],
    [
      'another call',
      hook({ type: 'http_request', url: A }),
      hook({ type: 'http_request', url: 'https://b.example.com/' }),
      [
        ['/hosts/b.example.com', 'added', 'access'],
        ['/hosts/a.example.com', 'removed', 'behaviour'],
        ['/automations/a/actions/http_request/url', 'changed', 'behaviour'],
      ],
    ],
    [
      'another order of actions',
      hook({ type: 'wait', seconds: 1 }, { type: 'create_task', title: 'x' }),
      hook({ type: 'create_task', title: 'x' }, { type: 'wait', seconds: 1 }),
      [['/automations/a/actions', 'changed', 'behaviour']],
    ],
    [
      'a new origin',
      { embed: { allowedOrigins: ['https://a'] } },
      { embed: { allowedOrigins: ['https://a', 'https://b'] } },
      [['/embed/allowedOrigins/https:~1~1b', 'added', 'access']],
    ],
    ['a first embed section', {}, { embed: { allowedOrigins: ['https://a'] } }, [['/embed', 'added', 'access']]],
    [
      'accounts by e-mail address',
      { embed: { allowedOrigins: ['https://a'], linkUsersBy: 'explicit' } },
      { embed: { allowedOrigins: ['https://a'] } },
      [['/embed/linkUsersBy', 'removed', 'access']],
    ],
    [
      'a redirect URI',
      { oauth: { redirectUris: ['https://a/'] } },
      { oauth: { redirectUris: ['https://a/', 'https://b/'] } },
      [['/oauth/redirectUris/https:~1~1b~1', 'added', 'access']],
    ],
    [
      'a tool that no longer asks',
      tool({ requiresConfirmation: true }),
      tool({}),
      [['/assistant/tools/find/requiresConfirmation', 'removed', 'access']],
    ],
    [
      'a tool that writes',
      tool({ readOnly: true, scope: 'leads:read' }),
      tool({ scope: 'leads' }),
      [
        ['/assistant/tools/find/scope', 'changed', 'access'],
        ['/assistant/tools/find/readOnly', 'removed', 'access'],
      ],
    ],
    [
      'an app for everybody',
      { listing: { visibility: 'private' } },
      { listing: {} },
      [['/listing/visibility', 'removed', 'access']],
    ],
    [
      'another summary',
      { listing: { summary: 'x' } },
      { listing: { summary: 'y' } },
      [['/listing/summary', 'changed', 'text']],
    ],
    ['a section that joins the manifest', {}, { future: { a: 1 } }, [['/future', 'added', 'behaviour']]],
  ])('finds %s', (_what, before, after, expected) => {
    expect(found(before, after)).toEqual(expected);
  });

  it('shows both values', () => {
    expect(differences(text({ readRoles: ['admin'] }), text({ readRoles: ['admin', 'member'] }))).toEqual([
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
    expect(found(twice(2), twice(3))).toEqual([['/automations/a/actions/wait #2/seconds', 'changed', 'behaviour']]);
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

/** Every pointer into a JSON value. */
function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const below = Object.entries(value).flatMap(([key, member]) =>
    places(member, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...below];
}

/** What happens to a value: it is removed, another comes in its place, or it is turned round if it is a list. */
type Edit = { value: unknown } | 'turned' | undefined;

/** A copy with an edit at the path. */
function edited(value: unknown, [step, ...rest]: (string | number)[], by: Edit): unknown {
  if (step === undefined) {
    if (by === 'turned') return Array.isArray(value) ? [...value].reverse() : value;
    return by?.value;
  }
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  const members = copy as Record<string | number, unknown>;
  if (rest.length > 0 || by) members[step] = edited(members[step], rest, by);
  else if (Array.isArray(copy)) copy.splice(Number(step), 1);
  else delete members[step];
  return copy;
}

/** Lists whose order says nothing, and members whose absence says what one value says: written out again for the test. */
const SETS =
  /^(permissions|roles|objects|automations|webhooks|payload|events|allowedOrigins|scopes|redirectUris|streams|tools|mcpServers|consumes|produces|categories|readRoles|writeRoles|validationRules)$/;
const SHORT: Record<string, string> = { permissions: 'scope', options: 'value', mcpServers: 'url' };
const DEFAULTS: Record<string, unknown> = {
  optional: false,
  required: false,
  is_unique: false,
  exposes: false,
  readOnly: false,
  requiresConfirmation: false,
  linkUsersBy: 'email',
  visibility: 'public',
};
const LISTS = /^(options|actions|fields)$/;
/** Below these, members have no meaning for the platform. */
const OPAQUE = /^(inputSchema|values|headers|data|body|default|mapping|primaryKey)$/;

/** Another way to say what makes two packages equal. */
function meaning(value: unknown, name = '', opaque = false): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => {
      const short = SHORT[name];
      return meaning(short && !opaque && typeof item === 'string' ? { [short]: item } : item, '', opaque);
    });
    if (opaque || !SETS.test(name)) return items;
    const texts = items.map((item) => JSON.stringify(item)).sort();
    return value.every((item) => typeof item === 'string') ? [...new Set(texts)] : texts;
  }
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, member]) => {
    if (opaque) return true;
    if (Array.isArray(member) && member.length === 0) return !(SETS.test(key) || LISTS.test(key));
    return !(Object.hasOwn(DEFAULTS, key) && DEFAULTS[key] === member);
  });
  const sorted = kept.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, member]) => [key, meaning(member, key, opaque || OPAQUE.test(key))]));
}
const isSame = (one: unknown, other: unknown) => JSON.stringify(meaning(one)) === JSON.stringify(meaning(other));
const isValid = (manifest: unknown): manifest is Manifest => [...shapeProblems(manifest)].length === 0;

const VALID = [baseManifest, ...SAMPLES.map(({ passes }) => manifestWith(passes))].filter(isValid);
/** Values that stand in valid packages: in the place of others they mostly leave a package valid. */
const VALUES = VALID.slice(0, 40).flatMap((manifest) =>
  places(manifest).map((path) => path.reduce<unknown>((value, step) => (value as Fragment)[step as string], manifest)),
);

const another = fc.record({ value: fc.oneof(fc.constantFrom(...VALUES), fc.string(), fc.boolean(), fc.integer()) });
const edit: fc.Arbitrary<Edit> = fc.oneof(another, fc.constant('turned' as const), fc.constant(undefined));
const mutant = fc
  .constantFrom(...VALID)
  .chain((manifest) => fc.tuple(fc.constant(manifest), fc.constantFrom(...places(manifest).slice(1)), edit));

describe('for packages of the right shape', () => {
  it('the difference is empty if they mean the same, and only then', () => {
    let compared = 0;
    fc.assert(
      fc.property(mutant, ([manifest, path, by]) => {
        const other = edited(manifest, path, by);
        if (!isValid(other)) return;
        compared += 1;
        for (const [before, after] of [
          [manifest, other],
          [other, manifest],
        ] as const) {
          const count = manifestDifference(before, after).length;
          expect([count === 0, path, by]).toEqual([isSame(before, after), path, by]);
        }
      }),
      { numRuns: DEEP ? 50_000 : 800 },
    );
    expect(compared).toBeGreaterThan(DEEP ? 5_000 : 80);
  });

  it('the difference of any two is found without an error, and its paths tell differences apart', () => {
    fc.assert(
      fc.property(fc.constantFrom(...VALID), fc.constantFrom(...VALID), (before, after) => {
        const entries = manifestDifference(before, after);
        expect(entries.length === 0).toBe(isSame(before, after));
        expect(new Set(entries.map(({ path, kind }) => `${kind} ${path}`)).size).toBe(entries.length);
        expect(() => JSON.stringify(summariseDifference(entries))).not.toThrow();
      }),
      { numRuns: DEEP ? 5_000 : 300 },
    );
  });

  it('what one direction adds the other removes', () => {
    fc.assert(
      fc.property(fc.constantFrom(...VALID), fc.constantFrom(...VALID), (before, after) => {
        const named = (entries: Difference[], kind: string) =>
          entries
            .filter((entry) => entry.kind === kind && !/^\/(hosts|events)\//.test(entry.path))
            .map(({ path }) => path)
            .sort();
        const [there, back] = [manifestDifference(before, after), manifestDifference(after, before)];
        expect(named(back, 'removed')).toEqual(named(there, 'added'));
        expect(named(back, 'changed')).toEqual(named(there, 'changed'));
      }),
      { numRuns: DEEP ? 5_000 : 200 },
    );
  });
});

import type { UrlOptions } from '@crm/address-policy';
import { describe, expect, it } from '@jest/globals';
import { type Change, compareManifests, type Manifest } from '../src/index.js';
import {
  baseManifest,
  type Change as ChangeRow,
  changes,
  type Fragment,
  fields,
  manifestWith,
  origins,
  redirects,
  scopes,
  text,
} from './base-manifest.js';

const compared = (before: Fragment, after: Fragment, policy?: UrlOptions): Change[] =>
  compareManifests(manifestWith(before) as unknown as Manifest, manifestWith(after) as unknown as Manifest, policy);
const messages = (before: Fragment, after: Fragment, policy?: UrlOptions): string[] =>
  compared(before, after, policy).map(({ message }) => message);
const WITHOUT_AUTOMATIONS = { automations: undefined };

const NONE: Fragment = {};
const readable = (...readRoles: string[]): Fragment => ({ readRoles });
/** A definition with rules. */
const ruled = (...rules: [type: string, value: unknown][]) => ({
  validationRules: rules.map(([type, value]) => ({ type, value })),
});
const saying = (rule: Fragment): Fragment => ({ ...rule, message: 'No.' });
/** An object with a field for administrators and exposing formulas. */
const exposed = (...formulas: Fragment[]): Fragment =>
  fields(
    { apiName: 'n', type: 'number' },
    { apiName: 'secret', type: 'number', readRoles: ['admin'] },
    ...formulas.map((formula) => ({ type: 'formula', exposes: true, ...formula })),
  );
const band = (expression: string, ...others: Fragment[]): Fragment =>
  exposed({ apiName: 'band', expression }, ...others);
const hidden = (apiName: string, expression: string): Fragment => ({ apiName, expression, exposes: false });
const formula = (more: Fragment): Fragment => text({ type: 'formula', expression: '1', ...more });
const picklist = (...options: unknown[]): Fragment => text({ type: 'picklist', options });
const to = (url: string, ...events: string[]): Fragment => ({
  webhooks: [{ events: events.length > 0 ? events : ['lead.created'], url }],
});
const A = 'https://a.example.com/';
const OPTIONAL_LEADS = { scope: 'leads', optional: true };
const OPTIONAL_READ = { scope: 'leads:read', optional: true };
const REQUESTED = baseManifest.permissions.map(({ scope }) => scope);
const B = 'https://a';
const TEXT = { apiName: 'a', type: 'text' };
const SHOWN = { apiName: 'shown', expression: 'secret' };
const referenceTo = (referenceTarget: string): Fragment => ({ type: 'reference', referenceTarget });
const MORE = 'changed safe, consent';

describe('compareManifests', () => {
  it('finds no changes between equal manifests', () => expect(compared({}, {})).toEqual([]));

  it.each<ChangeRow>([
    ['events instead of their domain', to(A, 'lead.*'), to(A, 'lead.created', 'lead.updated'), ['removed safe']],
    ['a domain instead of one of its events', to(A), to(A, 'lead.*', 'lead.created'), ['added safe, consent']],
    ['a new event and host', NONE, to(A), ['added safe, consent', 'added safe, consent']],
    ['another path on a host', to(`${A}1`), to(`${A}2`), []],
    ['a new redirect URI', NONE, redirects('https://a.example.com/cb'), ['added safe, consent']],
    ['a new origin', NONE, origins('https://a.example.com'), ['added safe, consent']],
    ['an origin that ends like a scope', origins(B), origins(B, `${B}:read`), ['added safe, consent']],
    ['a role gone', NONE, { roles: [] }, ['removed breaking']],
    ['a new object', { objects: [] }, fields(), ['added safe, consent']],
    ['an object gone', fields(), { objects: [] }, ['removed destructive']],
    ...changes('', (list: unknown[]) => scopes(...list), [
      ['a new scope', [...baseManifest.permissions], [...REQUESTED, 'agent'], 'added safe, consent'],
      ['a scope gone', ['leads', 'tasks'], ['leads'], 'removed safe'],
      ['read instead of the full scope', ['leads'], ['leads:read'], 'removed safe'],
      ['the full scope instead of read', ['leads:read'], ['leads'], 'added safe, consent', 'removed safe'],
      ['a scope that is no longer optional', [OPTIONAL_LEADS], [OPTIONAL_LEADS, 'leads'], MORE],
      ['read of a scope that was optional', [OPTIONAL_LEADS], ['leads:read'], MORE, 'removed safe'],
      ['read of the full scope, optional as before', [OPTIONAL_LEADS], [OPTIONAL_LEADS, OPTIONAL_READ]],
      ['a scope that is optional now', ['leads'], [OPTIONAL_LEADS]],
    ]),
    ...changes('', (list: Fragment[]) => fields(...list), [
      ['a new field', [], [TEXT], 'added safe'],
      ['a new required field', [], [{ ...TEXT, required: true }], 'added breaking'],
      ['a new required field with a default', [], [{ ...TEXT, required: true, default: 'x' }], 'added safe'],
      ['a field gone', [TEXT], [], 'removed destructive'],
      ['a formula gone', [{ apiName: 'a', type: 'formula', expression: '1' }], [], 'removed breaking'],
      ['a formula that becomes a field', [{ apiName: 'a', type: 'formula' }], [TEXT], 'changed breaking'],
    ]),
    ...changes('', text, [
      ['another type', NONE, { type: 'number' }, 'changed destructive'],
      ['a type of the same storage', { type: 'number' }, { type: 'percent' }, 'changed safe'],
      ['a line that becomes many', NONE, { type: 'textarea' }, 'changed safe'],
      ['many lines that become one', { type: 'textarea' }, NONE, 'changed breaking'],
      ['a default gone, but required', { required: true, default: 'x' }, { required: true }, 'changed breaking'],
      ['a default gone', { default: 'x' }, NONE],
      ['another target', referenceTo('lead'), referenceTo('contact'), 'changed destructive'],
      ['required now', NONE, { required: true }, 'changed breaking'],
      ['unique now', NONE, { is_unique: true }, 'changed breaking'],
      ['a new rule', NONE, ruled(['minLength', 1]), 'changed breaking'],
      ['a rule gone', ruled(['minLength', 1]), NONE, 'changed safe'],
      ['another pattern', ruled(['regex', 'a']), ruled(['regex', 'b']), 'changed breaking'],
      [
        'weaker rules',
        ruled(['minLength', 2], ['minLength', 5], ['maxLength', 9], ['regex', 'a']),
        ruled(['maxLength', 10], ['minLength', 4]),
        'changed safe',
      ],
      [
        'the same rules in another order, with another message',
        ruled(['minLength', 1], ['regex', 'a']),
        { validationRules: ruled(['regex', 'a'], ['minLength', 1]).validationRules.map(saying) },
      ],
      [
        'a higher minimum and a higher maximum',
        { type: 'number', ...ruled(['min', 1], ['max', 5]) },
        { type: 'number', ...ruled(['min', 2], ['max', 9]) },
        'changed breaking',
      ],
      ['fewer readers', NONE, readable('admin'), 'changed breaking'],
      ['readers in another order', readable('admin', 'member'), readable('member', 'admin', 'member')],
      ['other readers', readable('admin', 'member'), readable('admin', 'planner'), 'changed breaking'],
      ['everyone reads', readable('admin'), readable(), 'changed safe'],
      ['more writers', { writeRoles: ['admin'] }, { writeRoles: ['admin', 'member'] }, 'changed safe'],
    ]),
    ...changes('', (options: unknown[]) => picklist(...options), [
      ['an option gone', ['a', { value: 'b', label: 'B' }], ['a'], 'changed breaking'],
      ['another label of an option', ['a'], [{ value: 'a', label: 'A' }]],
    ]),
    ...changes('', formula, [
      ['another formula', NONE, { expression: '2' }, 'changed safe'],
      ['a formula that shows more', NONE, { exposes: true }, MORE],
      ['a formula that shows less', { exposes: true }, NONE, 'changed breaking'],
    ]),
    ['a new formula that shows more', exposed(), band('secret > 5'), ['added safe, consent']],
    ['a new formula that shows what one may read', exposed(), exposed(hidden('band', 'secret > 5')), ['added safe']],
    ...changes('', band, [
      ['an exposing formula that reads a restricted field now', 'n', 'n + secret', 'changed safe', MORE],
      ['an exposing formula that shows more of a field', 'IF(secret > 5, 1, 0)', 'secret', 'changed safe', MORE],
      ['an exposing formula that reads open fields only', 'n', 'n * 2', 'changed safe'],
    ]),
    ...changes('', (low: string) => band('middle', hidden('middle', 'low'), hidden('low', low)), [
      ['an exposing formula whose inputs read a restricted field now', 'n', 'n + secret', MORE, 'changed safe'],
    ]),
    ...changes('', (expression: string) => band(expression, SHOWN), [
      ['an exposing formula that reads what another one shows to everyone', 'shown', 'shown + 1', 'changed safe'],
    ]),
    ...changes('', (expression: string) => band(expression, { ...SHOWN, readRoles: ['admin'] }), [
      ['an exposing formula that reads what another one shows to some', 'n', 'shown', 'changed safe', MORE],
    ]),
    ...changes('', (b: string) => exposed({ apiName: 'a', expression: 'b' }, hidden('b', b)), [
      ['exposing formulas that read each other', 'a', 'a + secret', MORE, 'changed safe'],
    ]),
    [
      'a field that becomes a formula that shows more',
      exposed({ apiName: 'band', type: 'number', expression: undefined, exposes: undefined }),
      band('secret'),
      ['changed destructive', 'changed safe', MORE],
    ],
  ])('%s', (_what, before, after, expected) => {
    const found = compared({ ...WITHOUT_AUTOMATIONS, ...before }, { ...WITHOUT_AUTOMATIONS, ...after });
    expect(found.map(({ kind, effect, consent }) => `${kind} ${effect}${consent ? ', consent' : ''}`)).toEqual(
      expected,
    );
  });

  it('reports new hosts that the platform calls', () => {
    const [before, after] = [to('https://a.example.com/'), to('https://b.example.com:8443/')];
    expect(messages(before, after)).toEqual(['The host "a.example.com" is removed.']);
    expect(messages(before, after, { allowedPorts: [8443] })).toEqual([
      'The host "b.example.com" is new.',
      'The host "a.example.com" is removed.',
    ]);
  });

  it('describes what a formula shows', () => {
    const [before, after] = [band('n'), band('secret')];
    expect(messages(exposed(), after)).toEqual([
      "The field visit.band is new and exposes values from fields its readers can't see.",
    ]);
    expect(messages(before, after)).toEqual([
      'The field visit.band has another formula.',
      "The field visit.band now exposes values from fields its readers can't see.",
    ]);
  });

  it('compares very many formulas that read each other in linear time', () => {
    const count = 3_000;
    const chain = (first: string) =>
      exposed(
        ...Array.from({ length: count }, (_, i) => ({
          apiName: `f${i}`,
          expression: i === 0 ? first : `f${i - 1}`,
          exposes: i === count - 1 || i === count - 2,
        })),
      );
    const startedAt = performance.now();
    expect(compared(chain('n'), chain('secret')).filter(({ consent }) => consent)).toHaveLength(1);
    // It takes well under a second; the limit only distinguishes linear from quadratic time on a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('names ten of the removed options', () => {
    const options = Array.from({ length: 12 }, (_, i) => `o${i}`);
    expect(messages(picklist(...options), picklist('x'))[0]).toMatch(/loses the options "o0", .*"o9" and 2 more\.$/);
  });
});

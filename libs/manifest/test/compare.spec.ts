import type { UrlOptions } from '@crm/address-policy';
import { describe, expect, it } from '@jest/globals';
import { type Change, compareManifests, type Manifest } from '../src/index.js';
import { type Fragment, manifestWith } from './base-manifest.js';

const compared = (before: Fragment, after: Fragment, policy?: UrlOptions): Change[] =>
  compareManifests(manifestWith(before) as unknown as Manifest, manifestWith(after) as unknown as Manifest, policy);
const messages = (before: Fragment, after: Fragment, policy?: UrlOptions): string[] =>
  compared(before, after, policy).map(({ message }) => message);
const WITHOUT_AUTOMATIONS = { automations: undefined };

const fields = (...list: Fragment[]): Fragment => ({ objects: [{ apiName: 'visit', fields: list }] });
const rules = (...list: [type: string, value: unknown][]) => list.map(([type, value]) => ({ type, value }));
const text = (more: Fragment): Fragment => fields({ apiName: 'a', type: 'text', ...more });
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
const formula = (expression: string, more: Fragment = {}): Fragment =>
  fields({ apiName: 'a', type: 'formula', expression, ...more });
const picklist = (...options: unknown[]): Fragment => text({ type: 'picklist', options });
const ruled = (type: string, ...list: Parameters<typeof rules>): Fragment =>
  text({ type, validationRules: rules(...list) });
const to = (url: string, ...events: string[]): Fragment => ({
  webhooks: [{ events: events.length > 0 ? events : ['lead.created'], url }],
});
const scopes = (...permissions: unknown[]): Fragment => ({ permissions });
const readers = (...readRoles: string[]): Fragment => text({ readRoles });
const origins = (...allowedOrigins: string[]): Fragment => ({ embed: { allowedOrigins } });
const redirects = (...redirectUris: string[]): Fragment => ({ oauth: { redirectUris } });
const A = 'https://a.example.com/';
const OPTIONAL_LEADS = { scope: 'leads', optional: true };

describe('compareManifests', () => {
  it('finds no changes between equal manifests', () => {
    expect(compared({}, {})).toEqual([]);
  });

  it.each<[string, Fragment, Fragment, string[]]>([
    [
      'a new scope',
      {},
      { permissions: [...['custom_objects', 'automations', 'tasks', 'leads', 'pipeline', 'contacts'], 'agent'] },
      ['added safe, consent'],
    ],
    ['a scope gone', scopes('leads', 'tasks'), scopes('leads'), ['removed safe']],
    ['read instead of the full scope', scopes('leads'), scopes('leads:read'), ['removed safe']],
    ['the full scope instead of read', scopes('leads:read'), scopes('leads'), ['added safe, consent', 'removed safe']],
    ['a domain instead of one of its events', to(A), to(A, 'lead.*', 'lead.created'), ['added safe, consent']],
    ['events instead of their domain', to(A, 'lead.*'), to(A, 'lead.created', 'lead.updated'), ['removed safe']],
    ['a new event and host', {}, to(A), ['added safe, consent', 'added safe, consent']],
    ['another path on a host', to(`${A}1`), to(`${A}2`), []],
    ['a new redirect URI', {}, redirects('https://a.example.com/cb'), ['added safe, consent']],
    ['a new origin', {}, origins('https://a.example.com'), ['added safe, consent']],
    [
      'a scope that is no longer optional',
      scopes(OPTIONAL_LEADS),
      scopes(OPTIONAL_LEADS, 'leads'),
      ['changed safe, consent'],
    ],
    [
      'read of a scope that was optional',
      scopes(OPTIONAL_LEADS),
      scopes('leads:read'),
      ['changed safe, consent', 'removed safe'],
    ],
    [
      'read of the full scope, optional as before',
      scopes(OPTIONAL_LEADS),
      scopes(OPTIONAL_LEADS, { scope: 'leads:read', optional: true }),
      [],
    ],
    ['a scope that is optional now', scopes('leads'), scopes(OPTIONAL_LEADS), []],
    [
      'an origin that ends like a scope',
      origins('https://a'),
      origins('https://a', 'https://a:read'),
      ['added safe, consent'],
    ],
    ['a role gone', {}, { roles: [] }, ['removed breaking']],
    ['a new object', { objects: [] }, fields(), ['added safe, consent']],
    ['an object gone', fields(), { objects: [] }, ['removed destructive']],
    ['a new field', fields(), text({}), ['added safe']],
    ['a new required field', fields(), text({ required: true }), ['added breaking']],
    ['a new required field with a default', fields(), text({ required: true, default: 'x' }), ['added safe']],
    ['a field gone', text({}), fields(), ['removed destructive']],
    ['a formula gone', formula('1'), fields(), ['removed breaking']],
    ['another type', text({}), text({ type: 'number' }), ['changed destructive']],
    ['a type of the same storage', text({ type: 'number' }), text({ type: 'percent' }), ['changed safe']],
    ['a line that becomes many', text({}), text({ type: 'textarea' }), ['changed safe']],
    ['many lines that become one', text({ type: 'textarea' }), text({}), ['changed breaking']],
    [
      'a default gone from a required field',
      text({ required: true, default: 'x' }),
      text({ required: true }),
      ['changed breaking'],
    ],
    ['a default gone', text({ default: 'x' }), text({}), []],
    ['a formula that shows more', formula('1'), formula('1', { exposes: true }), ['changed safe, consent']],
    ['a formula that shows less', formula('1', { exposes: true }), formula('1'), ['changed breaking']],
    ['a new formula that shows more', exposed(), band('secret > 5'), ['added safe, consent']],
    [
      'a new formula that shows what its reader may read',
      exposed(),
      exposed(hidden('band', 'secret > 5')),
      ['added safe'],
    ],
    [
      'an exposing formula that reads a restricted field now',
      band('n'),
      band('n + secret'),
      ['changed safe', 'changed safe, consent'],
    ],
    [
      'an exposing formula that shows more of a restricted field',
      band('IF(secret > 5, 1, 0)'),
      band('secret'),
      ['changed safe', 'changed safe, consent'],
    ],
    ['an exposing formula that reads open fields only', band('n'), band('n * 2'), ['changed safe']],
    [
      'an exposing formula whose inputs read a restricted field now',
      band('middle', hidden('middle', 'low'), hidden('low', 'n')),
      band('middle', hidden('middle', 'low'), hidden('low', 'n + secret')),
      ['changed safe, consent', 'changed safe'],
    ],
    [
      'an exposing formula that reads what another one shows to everyone',
      band('shown', { apiName: 'shown', expression: 'secret' }),
      band('shown + 1', { apiName: 'shown', expression: 'secret' }),
      ['changed safe'],
    ],
    [
      'an exposing formula that reads what another one shows to some',
      band('n', { apiName: 'shown', expression: 'secret', readRoles: ['admin'] }),
      band('shown', { apiName: 'shown', expression: 'secret', readRoles: ['admin'] }),
      ['changed safe', 'changed safe, consent'],
    ],
    [
      'exposing formulas that read each other',
      exposed({ apiName: 'a', expression: 'b' }, hidden('b', 'a')),
      exposed({ apiName: 'a', expression: 'b' }, hidden('b', 'a + secret')),
      ['changed safe, consent', 'changed safe'],
    ],
    [
      'a field that becomes a formula that shows more',
      exposed({ apiName: 'band', type: 'number', expression: undefined, exposes: undefined }),
      band('secret'),
      ['changed destructive', 'changed safe', 'changed safe, consent'],
    ],
    ['a formula that becomes a field', fields({ apiName: 'a', type: 'formula' }), text({}), ['changed breaking']],
    [
      'another target',
      text({ type: 'reference', referenceTarget: 'lead' }),
      text({ type: 'reference', referenceTarget: 'contact' }),
      ['changed destructive'],
    ],
    ['required now', text({}), text({ required: true }), ['changed breaking']],
    ['unique now', text({}), text({ is_unique: true }), ['changed breaking']],
    ['an option gone', picklist('a', { value: 'b', label: 'B' }), picklist('a'), ['changed breaking']],
    ['another label of an option', picklist('a'), picklist({ value: 'a', label: 'A' }), []],
    ['a new rule', text({}), ruled('text', ['minLength', 1]), ['changed breaking']],
    ['a rule gone', ruled('text', ['minLength', 1]), text({}), ['changed safe']],
    [
      'weaker rules',
      ruled('text', ['minLength', 2], ['minLength', 5], ['maxLength', 9], ['regex', 'a']),
      ruled('text', ['maxLength', 10], ['minLength', 4]),
      ['changed safe'],
    ],
    [
      'the same rules in another order, with another message',
      ruled('text', ['minLength', 1], ['regex', 'a']),
      text({ validationRules: rules(['regex', 'a'], ['minLength', 1]).map((rule) => ({ ...rule, message: 'No.' })) }),
      [],
    ],
    ['another pattern', ruled('text', ['regex', 'a']), ruled('text', ['regex', 'b']), ['changed breaking']],
    [
      'a higher minimum and a higher maximum',
      ruled('number', ['min', 1], ['max', 5]),
      ruled('number', ['min', 2], ['max', 9]),
      ['changed breaking'],
    ],
    ['readers in another order', readers('admin', 'member'), readers('member', 'admin', 'member'), []],
    ['other readers', readers('admin', 'member'), readers('admin', 'planner'), ['changed breaking']],
    ['another formula', formula('1'), formula('2'), ['changed safe']],
    ['fewer readers', text({}), readers('admin'), ['changed breaking']],
    ['more writers', text({ writeRoles: ['admin'] }), text({ writeRoles: ['admin', 'member'] }), ['changed safe']],
    ['everyone reads', readers('admin'), readers(), ['changed safe']],
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
      'The field visit.band is new and shows values derived from fields that its readers cannot read.',
    ]);
    expect(messages(before, after)).toEqual([
      'The field visit.band has another formula.',
      'The field visit.band shows other values derived from fields that its readers cannot read.',
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

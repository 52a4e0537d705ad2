import type { UrlOptions } from '@crm/address-policy';
import { describe, expect, it } from '@jest/globals';
import { compareManifests, type Manifest } from '../src/index.js';
import { type Fragment, manifestWith } from './base-manifest.js';

function changes(before: Fragment, after: Fragment): [string, string, boolean, string][] {
  return compareManifests(manifestWith(before) as unknown as Manifest, manifestWith(after) as unknown as Manifest).map(
    ({ kind, effect, consent, message }) => [kind, effect, consent, message],
  );
}

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

describe('compareManifests', () => {
  it('finds no changes between equal manifests', () => {
    expect(changes({}, {})).toEqual([]);
  });

  it.each<[string, Fragment, Fragment, [string, string, boolean][]]>([
    [
      'a new scope',
      {},
      { permissions: [...['custom_objects', 'automations', 'tasks', 'leads', 'pipeline', 'contacts'], 'agent'] },
      [['added', 'safe', true]],
    ],
    ['a scope gone', { permissions: ['leads', 'tasks'] }, { permissions: ['leads'] }, [['removed', 'safe', false]]],
    [
      'read instead of the full scope',
      { permissions: ['leads'] },
      { permissions: ['leads:read'] },
      [['removed', 'safe', false]],
    ],
    [
      'the full scope instead of read',
      { permissions: ['leads:read'] },
      { permissions: ['leads'] },
      [
        ['added', 'safe', true],
        ['removed', 'safe', false],
      ],
    ],
    [
      'a domain instead of one of its events',
      { webhooks: [{ events: ['lead.created'], url: 'https://a.example.com/' }] },
      { webhooks: [{ events: ['lead.*', 'lead.created'], url: 'https://a.example.com/' }] },
      [['added', 'safe', true]],
    ],
    [
      'events instead of their domain',
      { webhooks: [{ events: ['lead.*'], url: 'https://a.example.com/' }] },
      { webhooks: [{ events: ['lead.created', 'lead.updated'], url: 'https://a.example.com/' }] },
      [['removed', 'safe', false]],
    ],
    [
      'a new event and host',
      {},
      { webhooks: [{ events: ['lead.created'], url: 'https://a.example.com/' }] },
      [
        ['added', 'safe', true],
        ['added', 'safe', true],
      ],
    ],
    [
      'another path on a host',
      { webhooks: [{ events: ['lead.created'], url: 'https://a.example.com/1' }] },
      { webhooks: [{ events: ['lead.created'], url: 'https://a.example.com/2' }] },
      [],
    ],
    ['a new redirect URI', {}, { oauth: { redirectUris: ['https://a.example.com/cb'] } }, [['added', 'safe', true]]],
    ['a new origin', {}, { embed: { allowedOrigins: ['https://a.example.com'] } }, [['added', 'safe', true]]],
    [
      'a scope that is no longer optional',
      { permissions: [{ scope: 'leads', optional: true }] },
      { permissions: [{ scope: 'leads', optional: true }, 'leads'] },
      [['changed', 'safe', true]],
    ],
    [
      'read of a scope that was optional',
      { permissions: [{ scope: 'leads', optional: true }] },
      { permissions: ['leads:read'] },
      [
        ['changed', 'safe', true],
        ['removed', 'safe', false],
      ],
    ],
    [
      'read of the full scope, optional as before',
      { permissions: [{ scope: 'leads', optional: true }] },
      {
        permissions: [
          { scope: 'leads', optional: true },
          { scope: 'leads:read', optional: true },
        ],
      },
      [],
    ],
    [
      'a scope that is optional now',
      { permissions: ['leads'] },
      { permissions: [{ scope: 'leads', optional: true }] },
      [],
    ],
    [
      'an origin that ends like a scope',
      { embed: { allowedOrigins: ['https://a'] } },
      { embed: { allowedOrigins: ['https://a', 'https://a:read'] } },
      [['added', 'safe', true]],
    ],
    ['a role gone', {}, { roles: [] }, [['removed', 'breaking', false]]],
    ['a new object', { objects: [] }, fields(), [['added', 'safe', true]]],
    ['an object gone', fields(), { objects: [] }, [['removed', 'destructive', false]]],
    ['a new field', fields(), text({}), [['added', 'safe', false]]],
    ['a new required field', fields(), text({ required: true }), [['added', 'breaking', false]]],
    [
      'a new required field with a default',
      fields(),
      text({ required: true, default: 'x' }),
      [['added', 'safe', false]],
    ],
    ['a field gone', text({}), fields(), [['removed', 'destructive', false]]],
    [
      'a formula gone',
      fields({ apiName: 'a', type: 'formula', expression: '1' }),
      fields(),
      [['removed', 'breaking', false]],
    ],
    ['another type', text({}), text({ type: 'number' }), [['changed', 'destructive', false]]],
    ['a type of the same storage', text({ type: 'number' }), text({ type: 'percent' }), [['changed', 'safe', false]]],
    ['a line that becomes many', text({}), text({ type: 'textarea' }), [['changed', 'safe', false]]],
    ['many lines that become one', text({ type: 'textarea' }), text({}), [['changed', 'breaking', false]]],
    [
      'a default gone from a required field',
      text({ required: true, default: 'x' }),
      text({ required: true }),
      [['changed', 'breaking', false]],
    ],
    ['a default gone', text({ default: 'x' }), text({}), []],
    [
      'a formula that shows more',
      fields({ apiName: 'a', type: 'formula', expression: '1' }),
      fields({ apiName: 'a', type: 'formula', expression: '1', exposes: true }),
      [['changed', 'safe', true]],
    ],
    [
      'a formula that shows less',
      fields({ apiName: 'a', type: 'formula', expression: '1', exposes: true }),
      fields({ apiName: 'a', type: 'formula', expression: '1' }),
      [['changed', 'breaking', false]],
    ],
    [
      'a new formula that shows more',
      exposed(),
      exposed({ apiName: 'band', expression: 'secret > 5' }),
      [['added', 'safe', true]],
    ],
    [
      'a new formula that shows what its reader may read',
      exposed(),
      exposed({ apiName: 'band', expression: 'secret > 5', exposes: false }),
      [['added', 'safe', false]],
    ],
    [
      'an exposing formula that reads a restricted field now',
      exposed({ apiName: 'band', expression: 'n' }),
      exposed({ apiName: 'band', expression: 'n + secret' }),
      [
        ['changed', 'safe', false],
        ['changed', 'safe', true],
      ],
    ],
    [
      'an exposing formula that shows more of a restricted field',
      exposed({ apiName: 'band', expression: 'IF(secret > 5, 1, 0)' }),
      exposed({ apiName: 'band', expression: 'secret' }),
      [
        ['changed', 'safe', false],
        ['changed', 'safe', true],
      ],
    ],
    [
      'an exposing formula that reads open fields only',
      exposed({ apiName: 'band', expression: 'n' }),
      exposed({ apiName: 'band', expression: 'n * 2' }),
      [['changed', 'safe', false]],
    ],
    [
      'an exposing formula whose inputs read a restricted field now',
      exposed(
        { apiName: 'band', expression: 'middle' },
        { apiName: 'middle', expression: 'low', exposes: false },
        { apiName: 'low', expression: 'n', exposes: false },
      ),
      exposed(
        { apiName: 'band', expression: 'middle' },
        { apiName: 'middle', expression: 'low', exposes: false },
        { apiName: 'low', expression: 'n + secret', exposes: false },
      ),
      [
        ['changed', 'safe', true],
        ['changed', 'safe', false],
      ],
    ],
    [
      'an exposing formula that reads what another one shows to everyone',
      exposed({ apiName: 'band', expression: 'shown' }, { apiName: 'shown', expression: 'secret' }),
      exposed({ apiName: 'band', expression: 'shown + 1' }, { apiName: 'shown', expression: 'secret' }),
      [['changed', 'safe', false]],
    ],
    [
      'an exposing formula that reads what another one shows to some',
      exposed({ apiName: 'band', expression: 'n' }, { apiName: 'shown', expression: 'secret', readRoles: ['admin'] }),
      exposed(
        { apiName: 'band', expression: 'shown' },
        { apiName: 'shown', expression: 'secret', readRoles: ['admin'] },
      ),
      [
        ['changed', 'safe', false],
        ['changed', 'safe', true],
      ],
    ],
    [
      'exposing formulas that read each other',
      exposed({ apiName: 'a', expression: 'b' }, { apiName: 'b', expression: 'a', exposes: false }),
      exposed({ apiName: 'a', expression: 'b' }, { apiName: 'b', expression: 'a + secret', exposes: false }),
      [
        ['changed', 'safe', true],
        ['changed', 'safe', false],
      ],
    ],
    [
      'a field that becomes a formula that shows more',
      exposed({ apiName: 'band', type: 'number', expression: undefined, exposes: undefined }),
      exposed({ apiName: 'band', expression: 'secret' }),
      [
        ['changed', 'destructive', false],
        ['changed', 'safe', false],
        ['changed', 'safe', true],
      ],
    ],
    [
      'a formula that becomes a field',
      fields({ apiName: 'a', type: 'formula' }),
      text({}),
      [['changed', 'breaking', false]],
    ],
    [
      'another target',
      text({ type: 'reference', referenceTarget: 'lead' }),
      text({ type: 'reference', referenceTarget: 'contact' }),
      [['changed', 'destructive', false]],
    ],
    ['required now', text({}), text({ required: true }), [['changed', 'breaking', false]]],
    ['unique now', text({}), text({ is_unique: true }), [['changed', 'breaking', false]]],
    [
      'an option gone',
      text({ type: 'picklist', options: ['a', { value: 'b', label: 'B' }] }),
      text({ type: 'picklist', options: ['a'] }),
      [['changed', 'breaking', false]],
    ],
    [
      'another label of an option',
      text({ type: 'picklist', options: ['a'] }),
      text({ type: 'picklist', options: [{ value: 'a', label: 'A' }] }),
      [],
    ],
    [
      'a new rule',
      text({}),
      text({ validationRules: [{ type: 'minLength', value: 1 }] }),
      [['changed', 'breaking', false]],
    ],
    [
      'a rule gone',
      text({ validationRules: [{ type: 'minLength', value: 1 }] }),
      text({}),
      [['changed', 'safe', false]],
    ],
    [
      'weaker rules',
      text({ validationRules: rules(['minLength', 2], ['minLength', 5], ['maxLength', 9], ['regex', 'a']) }),
      text({ validationRules: rules(['maxLength', 10], ['minLength', 4]) }),
      [['changed', 'safe', false]],
    ],
    [
      'the same rules in another order, with another message',
      text({ validationRules: rules(['minLength', 1], ['regex', 'a']) }),
      text({ validationRules: rules(['regex', 'a'], ['minLength', 1]).map((rule) => ({ ...rule, message: 'No.' })) }),
      [],
    ],
    [
      'another pattern',
      text({ validationRules: rules(['regex', 'a']) }),
      text({ validationRules: rules(['regex', 'b']) }),
      [['changed', 'breaking', false]],
    ],
    [
      'a higher minimum and a higher maximum',
      text({ type: 'number', validationRules: rules(['min', 1], ['max', 5]) }),
      text({ type: 'number', validationRules: rules(['min', 2], ['max', 9]) }),
      [['changed', 'breaking', false]],
    ],
    [
      'readers in another order',
      text({ readRoles: ['admin', 'member'] }),
      text({ readRoles: ['member', 'admin', 'member'] }),
      [],
    ],
    [
      'other readers',
      text({ readRoles: ['admin', 'member'] }),
      text({ readRoles: ['admin', 'planner'] }),
      [['changed', 'breaking', false]],
    ],
    [
      'another formula',
      fields({ apiName: 'a', type: 'formula', expression: '1' }),
      fields({ apiName: 'a', type: 'formula', expression: '2' }),
      [['changed', 'safe', false]],
    ],
    ['fewer readers', text({}), text({ readRoles: ['admin'] }), [['changed', 'breaking', false]]],
    [
      'more writers',
      text({ writeRoles: ['admin'] }),
      text({ writeRoles: ['admin', 'member'] }),
      [['changed', 'safe', false]],
    ],
    ['everyone reads', text({ readRoles: ['admin'] }), text({ readRoles: [] }), [['changed', 'safe', false]]],
  ])('%s', (_what, before, after, expected) => {
    const base = { automations: undefined };
    expect(changes({ ...base, ...before }, { ...base, ...after }).map((change) => change.slice(0, 3))).toEqual(
      expected,
    );
  });

  it('reports new hosts that the platform calls', () => {
    const to = (url: string) => manifestWith({ webhooks: [{ events: ['lead.created'], url }] }) as unknown as Manifest;
    const [before, after] = [to('https://a.example.com/'), to('https://b.example.com:8443/')];
    const hosts = (policy: UrlOptions) => compareManifests(before, after, policy).map(({ message }) => message);
    expect(hosts({})).toEqual(['The host "a.example.com" is removed.']);
    expect(hosts({ allowedPorts: [8443] })).toEqual([
      'The host "b.example.com" is new.',
      'The host "a.example.com" is removed.',
    ]);
  });

  it('describes what a formula shows', () => {
    const [before, after] = ['n', 'secret'].map((expression) => exposed({ apiName: 'band', expression })) as [
      Fragment,
      Fragment,
    ];
    expect(changes(exposed(), after).map(([, , , message]) => message)).toEqual([
      'The field visit.band is new and shows values derived from fields that its readers cannot read.',
    ]);
    expect(changes(before, after).map(([, , , message]) => message)).toEqual([
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
    const asked = changes(chain('n'), chain('secret')).filter(([, , consent]) => consent);
    expect(asked).toHaveLength(1);
    // It takes well under a second; the limit only distinguishes linear from quadratic time on a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('names ten of the removed options', () => {
    const options = Array.from({ length: 12 }, (_, i) => `o${i}`);
    expect(changes(text({ type: 'picklist', options }), text({ type: 'picklist', options: ['x'] }))[0]?.[3]).toMatch(
      /loses the options "o0", .*"o9" and 2 more\.$/,
    );
  });
});

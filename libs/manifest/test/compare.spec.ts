import { describe, expect, it } from '@jest/globals';
import { compareManifests, type Manifest } from '../src/index.js';
import { type Fragment, manifestWith } from './base-manifest.js';

function changes(before: Fragment, after: Fragment): [string, string, boolean, string][] {
  return compareManifests(manifestWith(before) as unknown as Manifest, manifestWith(after) as unknown as Manifest).map(
    ({ kind, effect, consent, message }) => [kind, effect, consent, message],
  );
}

const fields = (...list: Fragment[]): Fragment => ({ objects: [{ apiName: 'visit', fields: list }] });
const text = (more: Fragment): Fragment => fields({ apiName: 'a', type: 'text', ...more });

describe('compareManifests', () => {
  it('finds nothing between equal manifests', () => {
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
    ['a new origin', {}, { embed: { allowedOrigins: ['https://a.example.com'] } }, [['added', 'safe', true]]],
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
    ['a rule gone', text({ validationRules: [{ type: 'minLength', value: 1 }] }), text({}), []],
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
});

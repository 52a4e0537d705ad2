import { describe, expect, it } from '@jest/globals';
import { type Found, type Fragment, fields, found, text } from './differences.js';

describe('the difference in permissions, roles and objects', () => {
  it.each<[string, Fragment, Fragment, Found[]]>([
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
  ])('finds %s', (_what, before, after, expected) => {
    expect(found(before, after)).toEqual(expected);
  });
});

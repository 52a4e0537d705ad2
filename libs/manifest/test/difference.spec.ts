import { describe, expect, it } from '@jest/globals';
import { type Difference, summariseDifference } from '../src/index.js';
import { differences, type Fragment, found, hook, text } from './differences.js';

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

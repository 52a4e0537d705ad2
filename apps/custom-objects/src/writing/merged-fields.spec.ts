import { newId } from '@crm/database';
import type { FieldDefinition } from '@crm/fields';
import { describe, expect, it } from '@jest/globals';
import { STANDARD_OBJECTS, type StoredField } from '../object/object-definition.js';
import { ObjectModel } from '../object/object-model.js';
import { dataOf, type StoredRecord } from '../reading/record.js';
import { mergedChanges, requireChoice } from './merged-fields.js';

const field = (apiName: string, more: Partial<StoredField & FieldDefinition> = {}): StoredField =>
  ({
    id: newId(),
    key: 0,
    apiName,
    label: apiName,
    type: 'text',
    slot: null,
    referenceObjectIds: [],
    ...more,
  }) as StoredField;

const model = new ObjectModel({
  ...STANDARD_OBJECTS.contact,
  fields: [
    field('name', { required: true }),
    field('mail'),
    field('hidden', { readRoles: ['admin'], writeRoles: ['admin'] }),
    field('blind', { readRoles: ['admin'] }),
    field('fixed', { writeRoles: ['admin'] }),
    field('parent', { type: 'reference', referenceObjectIds: [newId()] }),
    field('count', { type: 'number' }),
    field('double', { type: 'formula', expression: 'count * 2' }),
    field('suspect', { type: 'reference', referenceObjectIds: [newId()], readRoles: ['admin'] }),
  ].map((one, index) => ({ ...one, key: index + 1 })),
});
const plan = model.planFor(['member']);

const [winnerId, loserId, other] = [newId(), newId(), newId()];
const record = (id: string, values: Record<string, unknown>): StoredRecord => ({
  ...{ id, version: 1, createdAt: '', updatedAt: '' },
  data: dataOf(model, values),
});

describe('the fields that the winner of a merge takes', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>, string[], Record<string, unknown>]>([
    ['none where both have the same', { name: 'A', mail: 'a' }, { name: 'A', mail: 'a' }, ['mail'], {}],
    ['what is unset', { name: 'A' }, { name: 'B', mail: 'b', count: 0 }, [], { mail: 'b', count: 0 }],
    [
      'what was chosen, also when it clears',
      { name: 'A', mail: 'a', count: 1 },
      { name: 'B' },
      ['name', 'mail'],
      { name: 'B', mail: null },
    ],
    ['nothing for a reference to the loser that not everybody sees', { name: 'A', suspect: loserId }, {}, [], {}],
    ['nothing that would leave a required field empty', { name: 'A' }, {}, ['name'], {}],
    [
      'nothing hidden, and nothing that cannot be written',
      { name: 'A' },
      { hidden: 'h', blind: 'b', fixed: 'f' },
      [],
      {},
    ],
    ['a reference to somebody else', { name: 'A' }, { parent: other }, [], { parent: other }],
    ['no reference to itself', { name: 'A' }, { parent: winnerId }, [], {}],
    ['no reference to the loser', { name: 'A' }, { parent: loserId }, [], {}],
    [
      "the loser's reference in the place of one to the loser",
      { name: 'A', parent: loserId },
      { parent: other },
      ['parent'],
      { parent: other },
    ],
    [
      'nothing in the place of a reference to the loser',
      { name: 'A', parent: loserId },
      { parent: other },
      [],
      { parent: null },
    ],
  ])('are %s', (_, winner, loser, chosen, changes) => {
    expect(mergedChanges(model, plan, record(winnerId, winner), record(loserId, loser), chosen)).toEqual(changes);
  });

  it.each([
    ['nothing', 'VALIDATION_FAILED'],
    ['double', 'VALIDATION_FAILED'],
    ['hidden', 'FIELD_ACCESS_DENIED'],
    ['blind', 'FIELD_ACCESS_DENIED'],
    ['fixed', 'FIELD_ACCESS_DENIED'],
  ])('cannot be chosen by the name %s', (name, code) => {
    expect(() => requireChoice(model, plan, ['mail', name])).toThrow(
      expect.objectContaining({ code, extra: { errors: [expect.objectContaining({ pointer: '/fields/1' })] } }),
    );
  });
});

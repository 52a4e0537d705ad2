import {
  checkDefinition,
  FIELD_TYPE_NAMES,
  type FieldDefinition,
  fieldTypes,
  formulaFieldTypes,
  type ValidationRule,
} from '@crm/fields';
import fc from 'fast-check';
import type { DeclaredObject } from '../../src/object/object-definition.js';
import { expressionOver, numberedValue, OPTIONS, type Operand, type PlainType, UNIQUE_VALUES } from './values.js';

/** Roles that only open fields. The observer never has the first one, so some values are always hidden from them. */
export const FIELD_ROLES = ['insider', 'sales', 'audit'] as const;

/** Every role that opens a field: who has them all reads and writes everything. */
export const ALL_ROLES: readonly string[] = ['admin', 'member', ...FIELD_ROLES];

/** The objects of a world, by api-name; each can refer to the other and to itself. */
export const OBJECT_NAMES = ['thing', 'place'] as const;
export type ObjectName = (typeof OBJECT_NAMES)[number];

export interface GeneratedObject extends DeclaredObject {
  readonly apiName: ObjectName;
  readonly fields: readonly FieldDefinition[];
  /** The fields that each formula reads, as the generator put them into it. */
  readonly reads: ReadonlyMap<string, readonly string[]>;
}

/** In every object, for everyone: a write that must change something changes it. */
export const TOUCHED: FieldDefinition = { apiName: 'touched', type: 'number' };

/**
 * Hidden fields that tempt an engine to tell their values: by a conflict, by what counts as a change, by a reference that
 * leads nowhere. The first two the observer may write, as far as the definition goes.
 */
const BAITS: readonly FieldDefinition[] = [
  { apiName: 'code', type: 'text', is_unique: true, readRoles: ['insider'] },
  { apiName: 'colour', type: 'picklist', options: OPTIONS, readRoles: ['insider'] },
  {
    apiName: 'link',
    type: 'reference',
    referenceTarget: 'custom:place',
    readRoles: ['insider'],
    writeRoles: ['insider'],
  },
];

/** What an arbitrary generates. */
export type Of<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** Sets of roles as a definition names them: none, which means everyone, or some. */
const roleList: fc.Arbitrary<readonly string[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  { weight: 3, arbitrary: fc.constant(['insider']) },
  { weight: 3, arbitrary: fc.subarray([...ALL_ROLES], { minLength: 1 }) },
);

const sometimes = (weight: number): fc.Arbitrary<boolean> =>
  fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(false) }, { weight, arbitrary: fc.constant(true) });

const plainChoice = fc.record({
  type: fc.oneof(
    fc.constantFrom<PlainType>('text', 'number', 'reference'),
    fc.constantFrom(...FIELD_TYPE_NAMES.filter((type): type is PlainType => type !== 'formula')),
  ),
  readRoles: roleList,
  writeRoles: roleList,
  required: sometimes(3),
  unique: sometimes(3),
  default: fc.option(fc.nat(8), { freq: 4 }),
  rule: sometimes(3),
  target: fc.constantFrom(...OBJECT_NAMES),
  restricts: sometimes(2),
});

const formulaChoice = fc.record({
  choice: fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20)),
  readRoles: roleList,
  exposes: sometimes(3),
});

/** A rule that some values of the type keep and others break. */
const RULES: Readonly<Partial<Record<PlainType, ValidationRule>>> = {
  text: { type: 'minLength', value: 5 },
  textarea: { type: 'maxLength', value: 300 },
  number: { type: 'min', value: 1 },
  currency: { type: 'max', value: 2 },
  email: { type: 'regex', value: '^alpha' },
  url: { type: 'regex', value: 'beta$' },
};

/** A rule for the field that some of its stored values may break. */
export const ruleFor = (field: FieldDefinition): ValidationRule | undefined => RULES[field.type as PlainType];

function plainField(choice: Of<typeof plainChoice>, index: number): FieldDefinition {
  const { type, required, readRoles, writeRoles } = choice;
  const isUnique = choice.unique && UNIQUE_VALUES[type] !== undefined;
  const rule = choice.rule && !isUnique ? RULES[type] : undefined;
  const field: FieldDefinition = {
    apiName: `${type}${index}`,
    type,
    ...(readRoles.length > 0 ? { readRoles } : {}),
    ...(writeRoles.length > 0 ? { writeRoles } : {}),
    // Seldom where not everyone writes: otherwise the observer would create few records.
    ...(required && (writeRoles.length === 0 || rule) ? { required } : {}),
    ...(isUnique ? { is_unique: true } : {}),
    ...(rule ? { validationRules: [rule] } : {}),
    ...(fieldTypes.get(type)?.hasOptions ? { options: OPTIONS } : {}),
    ...(type === 'reference' ? { referenceTarget: `custom:${choice.target}` } : {}),
    ...(type === 'reference' && choice.restricts ? { onDelete: 'restrict' } : {}),
  };
  if (choice.default === null || type === 'reference') return field;
  const withDefault = { ...field, default: numberedValue(field, choice.default) };
  return checkDefinition([withDefault]).length === 0 ? withDefault : field;
}

/** @param plain how many fields at most, besides those that every object has */
function objectOf(apiName: ObjectName, plain: number): fc.Arbitrary<GeneratedObject> {
  return fc
    .record({
      baits: fc.subarray([...BAITS]),
      plain: fc.array(plainChoice, { minLength: 1, maxLength: plain }),
      formulas: fc.array(formulaChoice, { maxLength: 4 }),
    })
    .map((choices) => {
      const fields: FieldDefinition[] = [
        { apiName: 'title', type: 'text' },
        { apiName: 'secret', type: 'text', readRoles: ['insider'], writeRoles: ['insider'] },
        ...choices.baits,
        ...choices.plain.map(plainField),
        TOUCHED,
      ];
      const operands: Operand[] = [...formulaFieldTypes(fields)].map(([name, type]) => ({ apiName: name, type }));
      const reads = new Map<string, readonly string[]>();
      for (const [index, { choice, readRoles, exposes }] of choices.formulas.entries()) {
        const name = `formula${index}`;
        const made = expressionOver(operands, choice);
        reads.set(name, made.reads);
        operands.push({ apiName: name, type: made.type });
        fields.push({
          apiName: name,
          type: 'formula',
          expression: made.expression,
          ...(readRoles.length > 0 ? { readRoles } : {}),
          ...(exposes ? { exposes } : {}),
        });
      }
      return { apiName, label: apiName, nameField: 'title', fields, reads };
    });
}

export const arbitraryObjects: fc.Arbitrary<readonly GeneratedObject[]> = fc.tuple(
  objectOf('thing', 5),
  objectOf('place', 2),
);

/** Roles of a caller: one that is built in, and some that open fields. */
export const arbitraryObserver: fc.Arbitrary<readonly string[]> = fc
  .tuple(fc.constantFrom('member', 'member', 'member', 'admin', 'viewer'), fc.subarray(['sales', 'audit']))
  .map(([role, more]) => [role, ...more]);

import { ANY_APP, type FieldProblem, PlatformError, requireNoProblems } from '@crm/contracts';
import { type AccessPlan } from '@crm/fields';
import type { StoredField } from '../object/object-definition.js';
import { isUnsetSilently, type ObjectModel } from '../object/object-model.js';
import { type FieldValues, type StoredRecord, valuesOf } from '../reading/record.js';

/** Returns whether a merge may carry a value of the field: the caller sees it, and may write it. */
const isCarried = ({ type, apiName }: StoredField, plan: AccessPlan): boolean =>
  type !== 'formula' && plan.readable.has(apiName) && plan.writable.has(apiName);

/** What only the platform writes of a standard object, such as what a lead has become. */
const isOfPlatform = ({ object: { standard } }: ObjectModel, { writeRoles }: StoredField): boolean =>
  standard !== null && writeRoles?.length === 1 && writeRoles[0] === ANY_APP;

/**
 * Refuses names of fields that cannot take the other record's value, before any record is read.
 * @throws VALIDATION_FAILED, FIELD_ACCESS_DENIED
 */
export function requireChoice(model: ObjectModel, plan: AccessPlan, chosen: readonly string[]): void {
  const problems = (code: FieldProblem['code'], detail: string, isWrong: (field?: StoredField) => boolean) =>
    chosen.flatMap((name, index): FieldProblem[] =>
      isWrong(model.fieldsByName.get(name)) ? [{ pointer: `/fields/${index}`, code, detail }] : [],
    );
  const unknown = problems('UNKNOWN_FIELD', 'Unknown field', (field) => !field || field.type === 'formula');
  requireNoProblems(unknown);
  const denied = problems(
    'FIELD_ACCESS_DENIED',
    "Your role can't read and write this field",
    (field) => field !== undefined && !isCarried(field, plan),
  );
  if (denied.length > 0) {
    throw new PlatformError('FIELD_ACCESS_DENIED', "Your role can't read and write a chosen field", { errors: denied });
  }
}

/**
 * What the winner of a merge takes from the loser: the fields that were chosen, and those that it has unset. What the caller cannot
 * both read and write stays as it is. No record refers to itself afterwards.
 * @throws CONFLICT when the winner needs the loser
 */
export function mergedChanges(
  model: ObjectModel,
  plan: AccessPlan,
  winner: StoredRecord,
  loser: StoredRecord,
  chosen: readonly string[],
): FieldValues {
  const [mine, theirs] = [valuesOf(model, winner.data), valuesOf(model, loser.data)];
  const changes: Record<string, unknown> = {};
  // Taken together: what the loser has become, the winner becomes, unless it has become something itself.
  const platform = model.object.fields.filter((field) => isOfPlatform(model, field));
  const isBare = platform.every(({ apiName }) => (mine[apiName] ?? null) === null);
  for (const field of model.object.fields) {
    const { apiName: name, required = false } = field;
    const own = mine[name] ?? null;
    const other = theirs[name] ?? null;
    const isReference = field.referenceObjectIds.length > 0;
    const isTaken =
      (isCarried(field, plan) || (isBare && platform.includes(field) && plan.readable.has(name))) &&
      (own === null || chosen.includes(name)) &&
      !(isReference && (other === winner.id || other === loser.id)) &&
      !(required && other === null);
    if (isTaken && other !== own) changes[name] = other;
    else if (isReference && own === loser.id) {
      if (required)
        throw new PlatformError('CONFLICT', "This record requires the record you're merging, which would be deleted");
      // With the loser's deletion, of which no version tells.
      if (!isUnsetSilently(model, field.key)) changes[name] = null;
    }
  }
  return changes;
}

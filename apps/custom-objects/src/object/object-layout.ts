import { PlatformError } from '@crm/contracts';
import { newId, type TenantTransaction } from '@crm/database';
import { checkDefinition, type FieldDefinition, fieldTypes, SLOT_COUNTS, type SlotKind } from '@crm/fields';
import type { InstalledObject } from './object.repository.js';
import { type AppObject, type DeclaredObject, type StoredField, standardObjectNamed } from './object-definition.js';

export interface ProvisionRequest {
  readonly installationId: string;
  readonly appKey: string;
  readonly sandbox: boolean;
  readonly objects: readonly DeclaredObject[];
}

/** Names and ids first, because objects of a package can refer to each other in any order; then the fields. */
export function layOut(
  tx: TenantTransaction,
  request: ProvisionRequest,
  present: readonly InstalledObject[],
): AppObject[] {
  const taken = new Set(present.map((object) => object.apiName));
  const heads = request.objects.map((declared) => {
    const apiName = tenantApiName(declared.apiName, request.appKey, request.sandbox, (name) => taken.has(name));
    taken.add(apiName);
    return { declared, apiName, id: newId() };
  });
  const resolveTarget = (field: FieldDefinition): string[] => {
    if (field.type !== 'reference' || field.referenceTarget === undefined) return [];
    const standard = standardObjectNamed(field.referenceTarget);
    if (standard) return [standard.id];
    const name = field.referenceTarget.replace(/^custom:/, '');
    const target =
      heads.find((head) => head.declared.apiName === name)?.id ?? present.find((object) => object.apiName === name)?.id;
    if (!target) {
      throw new PlatformError(
        'VALIDATION_FAILED',
        `The reference ${field.apiName} points to "${name}", which doesn't exist`,
      );
    }
    return [target];
  };
  return heads.map(({ declared, apiName, id }) => {
    assertConsistent(declared);
    const slots = assignSlots(declared.fields);
    return {
      id,
      tenantId: tx.tenantId,
      installationId: request.installationId,
      appKey: request.appKey,
      sandbox: request.sandbox,
      declaredApiName: declared.apiName,
      apiName,
      label: declared.label ?? declared.apiName,
      pluralLabel: declared.pluralLabel ?? declared.label ?? declared.apiName,
      description: declared.description ?? null,
      nameField: declared.nameField ?? null,
      revision: 1,
      standard: null,
      fields: declared.fields.map(
        (field, index): StoredField => ({
          ...field,
          id: newId(),
          key: index + 1,
          label: field.label ?? field.apiName,
          slot: slots.get(field.apiName) ?? null,
          referenceObjectIds: resolveTarget(field),
        }),
      ),
    };
  });
}

/** Certified packages have passed this; the record engine relies on it. */
function assertConsistent(declared: DeclaredObject): void {
  const problems = checkDefinition(declared.fields);
  if (problems.length > 0) {
    throw new PlatformError('VALIDATION_FAILED', `The definition of ${declared.apiName} isn't consistent`, {
      errors: problems,
    });
  }
}

/**
 * The API name of an object in a tenant: `sbx_` in front in a sandbox; on a conflict the app's key follows, then a
 * number.
 */
export function tenantApiName(
  declared: string,
  appKey: string,
  sandbox: boolean,
  isTaken: (apiName: string) => boolean,
): string {
  const prefix = sandbox ? 'sbx_' : '';
  const plain = `${prefix}${declared}`;
  if (!isTaken(plain)) return plain;
  const qualified = `${prefix}${appKey.toLowerCase().replace(/[^a-z0-9_]/g, '_')}_${declared}`;
  if (!isTaken(qualified)) return qualified;
  for (let number = 2; ; number += 1) {
    const numbered = `${qualified}_${number}`;
    if (!isTaken(numbered)) return numbered;
  }
}

/** First letters of the columns of each kind that a record row offers. */
const PREFIXES: Readonly<Record<SlotKind, string>> = { text: 's', number: 'n', time: 't' };

/** Columns for fields of objects that name none. */
const UNASKED_COUNTS: Readonly<Record<SlotKind, number>> = { text: 8, number: 8, time: 4 };

/**
 * Assigns an indexed column to the fields that lists are filtered and sorted by. Every index costs every write, so an
 * object that declares `indexed` fields gets columns for these, unique fields and references only, and another has fewer. Fields
 * without a column can be filtered without an index.
 * @returns column by API name, null for a field without one
 */
export function assignSlots(fields: readonly FieldDefinition[]): Map<string, string | null> {
  const taken: Record<SlotKind, number> = { text: 0, number: 0, time: 0 };
  const slots = new Map<string, string | null>(fields.map(({ apiName }) => [apiName, null]));
  const [lastRank, counts] = fields.some(({ indexed }) => indexed) ? [1, SLOT_COUNTS] : [3, UNASKED_COUNTS];
  for (const field of [...fields].sort((one, other) => rank(one) - rank(other))) {
    const kind = fieldTypes.get(field.type)?.slotKind ?? null;
    if (kind === null || rank(field) > lastRank || taken[kind] >= counts[kind]) continue;
    taken[kind] += 1;
    slots.set(field.apiName, `${PREFIXES[kind]}${taken[kind]}`);
  }
  return slots;
}

/** How much a field profits from an index; 0 first. */
function rank({ indexed, is_unique, type }: FieldDefinition): number {
  if (indexed) return 0;
  if (is_unique || type === 'reference') return 1;
  return fieldTypes.get(type)?.isLong ? 3 : 2;
}

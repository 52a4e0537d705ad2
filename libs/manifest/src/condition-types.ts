import { type EventName, eventValueTypes } from '@crm/contracts';
import { fieldTypes } from '@crm/fields';
import type { ValueType } from '@crm/formula';
import { type Draft, entriesOf } from './draft.js';
import { isPlatformEvent } from './package-model.js';
import type { ManifestTrigger } from './schema/manifest.js';

/**
 * The types of the names that a condition can read: what the package declares in `payload`, and for an event of
 * the catalogue its data and, directly by name, the fields of its record. Any other name is untyped.
 */
export function conditionTypes(trigger: Draft<ManifestTrigger>): Map<string, ValueType> {
  const isOfPlatform = trigger.type === 'event' && trigger.event !== undefined && isPlatformEvent(trigger.event);
  const types: Map<string, ValueType> = isOfPlatform ? eventValueTypes(trigger.event as EventName) : new Map();
  for (const [, { name, type }] of entriesOf(trigger.payload))
    if (name !== undefined) types.set(name, payloadType(type));
  return types;
}

function payloadType(type: string | undefined): ValueType {
  if (type === 'boolean') return 'boolean';
  for (const [name, { formulaType }] of fieldTypes) {
    if (name === type && formulaType !== null) return formulaType;
  }
  return 'any';
}

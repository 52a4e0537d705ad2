import { invalidValues, requireNoProblems } from '@crm/contracts';
import { notAnOption } from '@crm/fields';
import type { ObjectModel } from '../object/object-model.js';
import { type Pipeline, STAGE, type Stage } from '../object/picklist.js';
import type { FieldValues } from '../reading/record.js';

const STATUS = 'status';

/**
 * What the stage among validated values says about the status.
 * @param sent the fields that the caller names
 * @throws VALIDATION_FAILED when the caller names another status
 */
export function withStatus({ object: { pipelines } }: ObjectModel, values: FieldValues, sent: object): FieldValues {
  const stage = pipelines && stageOf(pipelines, values[STAGE]);
  if (!stage) return values;
  if (Object.hasOwn(sent, STATUS) && values[STATUS] !== stage.meaning) {
    const detail = `The stage "${stage.value}" means ${stage.meaning}`;
    throw invalidValues({ pointer: `/${STATUS}`, code: 'CONTRADICTS_STAGE', detail });
  }
  return { ...values, [STATUS]: stage.meaning };
}

/**
 * Judges what only the record as it is can decide, and moves a deal whose status alone changes to a stage that means it.
 * @param previous the record's values; null for a new one
 * @param isOfPlatform whether the values come from another record, retired ones among them
 * @throws VALIDATION_FAILED for a retired option that the record does not have already
 */
export function withStage(
  model: ObjectModel,
  values: FieldValues,
  previous: FieldValues | null,
  isOfPlatform = false,
): FieldValues {
  if (model.retired.size > 0 && !isOfPlatform) requireActive(model, values, previous);
  const { pipelines } = model.object;
  const status = values[STATUS];
  if (!pipelines || status === undefined || (values[STAGE] ?? null) !== null) return values;
  // Cleared by the caller.
  if (previous !== null && Object.hasOwn(values, STAGE)) return values;
  const before = stageOf(pipelines, previous?.[STAGE]);
  if (status === (before?.meaning ?? previous?.[STATUS] ?? 'open')) return values;
  const pipeline = pipelines.find(({ stages }) => before && stages.includes(before)) ?? pipelines[0];
  const stage = pipeline?.stages.find(({ meaning, active }) => active && meaning === status);
  return stage ? { ...values, [STAGE]: stage.value } : values;
}

function requireActive(
  { retired, fieldsByName }: ObjectModel,
  values: FieldValues,
  previous: FieldValues | null,
): void {
  const problems = [...retired]
    .filter(([name, options]) => options.has(values[name]) && previous?.[name] !== values[name])
    .map(([name]) => ({ pointer: `/${name}`, ...notAnOption(fieldsByName.get(name) ?? {}) }));
  requireNoProblems(problems);
}

const stageOf = (pipelines: readonly Pipeline[], value: unknown): Stage | undefined => {
  if (typeof value !== 'string') return undefined;
  for (const { stages } of pipelines) {
    const found = stages.find((stage) => stage.value === value);
    if (found) return found;
  }
  return undefined;
};

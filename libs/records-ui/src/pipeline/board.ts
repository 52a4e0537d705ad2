import type { CrmRecord } from '@crm/api-client';
import type { FieldOption, ObjectModel } from '../objects/object-model.js';

/** A column of the board. */
export interface Column {
  /** Null for deals without a stage. */
  readonly stage: FieldOption | null;
  readonly records: readonly CrmRecord[];
  /** Sums of the amounts by currency; the empty text for amounts without one. */
  readonly sums: readonly (readonly [currency: string, sum: number])[];
}

/** The stages of a pipeline in their order. @param pipelineId of the first pipeline when there is none of this id */
export function stagesOf({ fields, pipelines }: ObjectModel, pipelineId: string | undefined): readonly FieldOption[] {
  const { id } = pipelineOf(pipelines, pipelineId);
  const options = fields.find(({ apiName }) => apiName === 'stage')?.options ?? [];
  return options.filter((option) => option.pipelineId === id);
}

export const pipelineOf = (pipelines: ObjectModel['pipelines'], id: string | undefined) =>
  pipelines.find((pipeline) => pipeline.id === id) ?? pipelines[0] ?? { id: undefined, name: '' };

export const isOpen = ({ meaning }: FieldOption): boolean => meaning === 'open';

/** Those that a deal can be moved to. */
export const isActive = ({ active }: FieldOption): boolean => active !== false;

/**
 * The open stages of a pipeline, empty ones too, and whatever else records are in; those without a stage come first.
 * @param records open deals of the pipeline
 */
export function columnsOf(stages: readonly FieldOption[], records: readonly CrmRecord[]): readonly Column[] {
  const byStage = new Map<string | null, CrmRecord[]>();
  for (const record of records) {
    const value = stages.find((stage) => stage.value === record.stage)?.value ?? null;
    byStage.set(value, [...(byStage.get(value) ?? []), record]);
  }
  const column = (stage: FieldOption | null): Column => {
    const own = byStage.get(stage?.value ?? null) ?? [];
    return { stage, records: own, sums: sumsOf(own) };
  };
  const shown = stages.filter((stage) => (isOpen(stage) && isActive(stage)) || byStage.has(stage.value));
  return [...(byStage.has(null) ? [null] : []), ...shown].map(column);
}

// Of the records that are loaded, until the page asks `R/aggregate?groupBy=stage,currency&metrics=count,sum:amount`.
function sumsOf(records: readonly CrmRecord[]): Column['sums'] {
  const sums = new Map<string, number>();
  for (const { amount, currency } of records) {
    if (typeof amount !== 'number') continue;
    const key = typeof currency === 'string' ? currency : '';
    sums.set(key, (sums.get(key) ?? 0) + amount);
  }
  return [...sums];
}

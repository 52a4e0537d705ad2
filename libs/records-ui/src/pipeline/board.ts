import type { CrmRecord } from '@crm/api-client';
import type { FieldOption, ObjectModel } from '../objects/object-model.js';

/** A column of the board. */
export interface Column {
  /** Null for deals without a stage. */
  readonly stage: FieldOption | null;
  /** Those that are loaded. */
  readonly records: readonly CrmRecord[];
  /** All deals, also those that are not loaded; undefined while nobody has counted them. */
  readonly count: number | undefined;
  /** Sums of their amounts by currency; the empty text for amounts without one. */
  readonly sums: readonly (readonly [currency: string, sum: number])[];
}

/** Deals of one stage and one currency, as the API counts and adds them up. */
export interface DealGroup {
  readonly group: { readonly stage?: string | null; readonly currency?: string | null };
  readonly count: number;
  /** Undefined where the caller cannot read amounts or their currency; null where no deal has one. */
  readonly sum?: { readonly amount: number | null };
}

/** Counts and sums of records that are all there are. @param hasCurrency whether the caller can read the currency of an amount */
export function groupsOf(records: readonly CrmRecord[], hasCurrency: boolean): readonly DealGroup[] {
  const groups = new Map<string, DealGroup>();
  for (const { stage, currency, amount } of records) {
    const group = { stage, currency } as DealGroup['group'];
    const key = JSON.stringify([stage, currency]);
    const { count = 0, sum } = groups.get(key) ?? {};
    const total = hasCurrency && typeof amount === 'number' ? amount + (sum?.amount ?? 0) : (sum?.amount ?? null);
    groups.set(key, { group, count: count + 1, sum: { amount: total } });
  }
  return [...groups.values()];
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
 * @param records open deals of the pipeline, as far as they are loaded
 * @param groups of all of them; undefined while they are not counted
 */
export function columnsOf(
  stages: readonly FieldOption[],
  records: readonly CrmRecord[],
  groups: readonly DealGroup[] | undefined,
): readonly Column[] {
  const stageOf = (name: unknown): string | null => stages.find(({ value }) => value === name)?.value ?? null;
  const column = (stage: FieldOption | null): Column => {
    const isOwn = (name: unknown): boolean => stageOf(name) === (stage?.value ?? null);
    const own = groups?.filter(({ group }) => isOwn(group.stage));
    return {
      stage,
      records: records.filter((record) => isOwn(record.stage)),
      count: own?.reduce((all, { count }) => all + count, 0),
      sums: (own ?? []).flatMap(({ group, sum }) =>
        typeof sum?.amount === 'number' ? [[group.currency ?? '', sum.amount] as const] : [],
      ),
    };
  };
  return [null, ...stages]
    .map(column)
    .filter(
      ({ stage, records: own, count = 0 }) =>
        own.length > 0 || count > 0 || (stage !== null && isOpen(stage) && isActive(stage)),
    );
}

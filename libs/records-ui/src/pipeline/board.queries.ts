import type { CrmRecord, RecordPage } from '@crm/api-client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { listKey, recordKey } from '../data/record-cache.js';
import { useRecords } from '../data/records-context.js';
import type { FieldOption, ObjectModel } from '../objects/object-model.js';
import { type DealGroup, groupsOf, isOpen } from './board.js';

/** Cards of the board: the longest page that the API has. */
export const BOARD_SIZE = 200;

const OBJECT = 'opportunities';
const boardKey = (pipelineId: string | undefined) => [...listKey(OBJECT), 'board', pipelineId ?? null];

/**
 * The open deals of a pipeline: up to 200, the newest first, and all of them counted and added up.
 * @param stages of the pipeline; undefined where there is only one
 * @param isFirst whether deals without a stage are in it
 * @returns as groups those of the cards where nobody has counted, and no more deals are there than these
 */
export function useBoard(
  { fields }: Pick<ObjectModel, 'fields'>,
  pipelineId: string | undefined,
  stages: readonly FieldOption[] | undefined,
  isFirst: boolean,
) {
  const { api } = useRecords();
  const inStages = stages && { field: 'stage', op: 'in', value: stages.map(({ value }) => value) };
  const ofPipeline = inStages && (isFirst ? { or: [inStages, { field: 'stage', op: 'empty' }] } : inStages);
  const filter = JSON.stringify({ and: [{ field: 'status', value: 'open' }, ...(ofPipeline ? [ofPipeline] : [])] });
  const board = useQuery({
    queryKey: boardKey(pipelineId),
    queryFn: ({ signal }) => api.list(OBJECT, { filter, size: BOARD_SIZE, count: 'none' }, signal),
  });
  const isReadable = (name: string): boolean => fields.some(({ apiName }) => apiName === name);
  const groupBy = ['stage', 'currency'].filter(isReadable).join(',');
  // Amounts are added up whatever their currency is where nobody can group them by it.
  const metrics = isReadable('amount') && isReadable('currency') ? 'count,sum:amount' : 'count';
  const groups = useQuery({
    queryKey: [...listKey(OBJECT), 'groups', pipelineId ?? null],
    queryFn: async ({ signal }) => {
      const query = { filter, metrics, ...(groupBy && { groupBy }) };
      const { data } = await api.client.GET(`/api/crm/${OBJECT}/aggregate`, { params: { query }, signal });
      return (data?.data ?? []) as readonly DealGroup[];
    },
  });
  const { data: page } = board;
  const counted = groups.data ?? (page?.nextCursor === null ? groupsOf(page.data, isReadable('currency')) : undefined);
  return { board, counted, groups };
}

/** Moves a deal to a stage: shown at once, and taken back when it is refused. */
export function useMove(pipelineId: string | undefined) {
  const { api } = useRecords();
  const client = useQueryClient();
  const key = boardKey(pipelineId);
  const onBoard = (change: (records: readonly CrmRecord[]) => readonly CrmRecord[]): void =>
    void client.setQueryData<RecordPage>(key, (page) => page && { ...page, data: change(page.data) });
  return useMutation({
    mutationFn: ({ record, stage }: { readonly record: CrmRecord; readonly stage: FieldOption }) =>
      api.update(OBJECT, record.id, { stage: stage.value }),
    onMutate: async ({ record, stage }) => {
      await client.cancelQueries({ queryKey: key });
      onBoard((records) =>
        isOpen(stage)
          ? records.map((one) => (one.id === record.id ? { ...one, stage: stage.value } : one))
          : records.filter(({ id }) => id !== record.id),
      );
    },
    // Others may have moved meanwhile: this one alone goes back.
    onError: (_, { record, stage }) =>
      onBoard((records) =>
        isOpen(stage) ? records.map((one) => (one.id === record.id ? record : one)) : [record, ...records],
      ),
    onSuccess: (record) => client.setQueryData(recordKey(OBJECT, record.id), record),
    onSettled: () => client.invalidateQueries({ queryKey: listKey(OBJECT) }),
  });
}

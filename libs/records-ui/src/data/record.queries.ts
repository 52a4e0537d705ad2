import type { CrmRecord, ObjectName, RecordFields, RecordQuery } from '@crm/api-client';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRecords } from './records-context.js';

/** Rows of one page; more are loaded on request. */
const PAGE_SIZE = 50;
/** Cards of the pipeline: the longest page that the API has. */
export const BOARD_SIZE = 200;

const listKey = (object: ObjectName) => ['records', object, 'list'] as const;
const recordKey = (object: ObjectName, id: string) => ['records', object, 'record', id] as const;

export function useRecordPages(object: ObjectName, query: Pick<RecordQuery, 'q' | 'sort'>) {
  const { api } = useRecords();
  return useInfiniteQuery({
    queryKey: [...listKey(object), query],
    queryFn: ({ pageParam, signal }) =>
      api.list(object, { ...query, size: PAGE_SIZE, ...(pageParam === null ? {} : { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // A search shows what was found before until the next answer is there.
    placeholderData: (previous) => previous,
  });
}

/** Up to 200 open opportunities, the newest first. */
export function useBoard() {
  const { api } = useRecords();
  return useQuery({
    queryKey: [...listKey('opportunities'), 'board'],
    queryFn: ({ signal }) =>
      api.list('opportunities', { filterField: 'status', filterValue: 'open', size: BOARD_SIZE }, signal),
  });
}

/** @param id undefined asks for nothing */
export function useRecord(object: ObjectName, id: string | undefined) {
  const { api } = useRecords();
  return useQuery({
    queryKey: recordKey(object, id ?? ''),
    queryFn: ({ signal }) => api.get(object, id ?? '', signal),
    enabled: id !== undefined,
  });
}

/** Records whose text matches, for a picker. @param q asks for nothing while undefined */
export function useSuggestions(object: ObjectName, q: string | undefined) {
  const { api } = useRecords();
  return useQuery({
    queryKey: [...listKey(object), 'suggestions', q],
    queryFn: ({ signal }) => api.list(object, { ...(q ? { q } : {}), size: 8 }, signal),
    enabled: q !== undefined,
    placeholderData: (previous) => previous,
  });
}

interface Change {
  readonly id: string;
  readonly fields: RecordFields;
  /** The version that the user saw; left out where only one field is set. */
  readonly version?: number;
}

interface Creation {
  readonly fields: RecordFields;
  /** The same for every attempt of one form. */
  readonly key: string;
}

export function useUpdate(object: ObjectName) {
  const { api } = useRecords();
  const remember = useRemember(object);
  return useMutation({
    mutationFn: ({ id, fields, version }: Change) => api.update(object, id, fields, version),
    onSuccess: remember,
  });
}

export function useCreate(object: ObjectName) {
  const { api } = useRecords();
  const remember = useRemember(object);
  return useMutation({
    mutationFn: ({ fields, key }: Creation) => api.create(object, fields, key),
    onSuccess: remember,
  });
}

/** The answer of a change is the record as it is now; lists are asked again. */
function useRemember(object: ObjectName) {
  const client = useQueryClient();
  return (record: CrmRecord) => {
    client.setQueryData(recordKey(object, record.id), record);
    return client.invalidateQueries({ queryKey: listKey(object) });
  };
}

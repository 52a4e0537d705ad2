import type {
  CrmRecord,
  FieldValue,
  LabelLanguage,
  ObjectName,
  RecordFields,
  RecordQuery,
  RecordsApi,
} from '@crm/api-client';
import {
  type QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { manyTargetsOf, objectModel } from '../objects/object-model.js';
import { deletion, listKey, recordKey, TIMELINES } from './record-cache.js';
import { useRecords } from './records-context.js';

/** The objects that the caller can read, and what they may do with them. @param hasPeople whether people can be chosen */
export const useObjects = (api: RecordsApi, language: LabelLanguage, hasPeople: boolean) =>
  useQuery({
    queryKey: ['objects', language],
    queryFn: async ({ signal }) =>
      (await api.objects(language, signal)).map((object) => objectModel(object, hasPeople)),
    staleTime: 60_000,
  });

/** @param size rows of one page; more are loaded on request */
export function useRecordPages(object: ObjectName, query: Omit<RecordQuery, 'cursor' | 'size'>, size: number) {
  const { api } = useRecords();
  return useInfiniteQuery({
    queryKey: [...listKey(object), query, size],
    queryFn: ({ pageParam, signal }) =>
      api.list(object, { ...query, size, ...(pageParam === null ? {} : { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // A search shows what was found before until the next answer is there.
    placeholderData: (previous) => previous,
  });
}

/** The first records of a list, without those that follow. */
export const shortList = (api: RecordsApi, object: ObjectName, query: RecordQuery) =>
  queryOptions({
    queryKey: [...listKey(object), 'short', query],
    queryFn: ({ signal }) => api.list(object, query, signal),
  });

/** @param id undefined asks for nothing */
export function useRecord(object: ObjectName, id: string | undefined) {
  return useQuery(useRecordOptions()(object, id));
}

export function useRecordOptions() {
  const { api, objects } = useRecords();
  const client = useQueryClient();
  return (object: ObjectName, id: string | undefined) => {
    const model = objects.find(({ name }) => name === object);
    return queryOptions({
      queryKey: recordKey(object, id ?? ''),
      queryFn: ({ signal }) => api.get(object, id ?? '', model && manyTargetsOf(model), signal),
      enabled: id !== undefined,
      // A list that was seen has it already; it is asked for again all the same.
      placeholderData: () => fromLists(client, object, id),
    });
  };
}

function fromLists(client: QueryClient, object: ObjectName, id: string | undefined): CrmRecord | undefined {
  const lists = client.getQueriesData<{ pages?: { data: readonly CrmRecord[] }[] }>({ queryKey: listKey(object) });
  for (const [, list] of lists) {
    for (const { data } of list?.pages ?? []) {
      const found = data.find((record) => record.id === id);
      if (found) return found;
    }
  }
  return undefined;
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

/** Who it is, if that can be known. */
export function usePerson(id: string | undefined) {
  return useQuery(usePersonOptions()(id));
}

export function usePersonOptions() {
  const { people } = useRecords();
  return (id: string | undefined) =>
    queryOptions({
      queryKey: ['people', id],
      queryFn: async ({ signal }) => (await people?.find(id ?? '', signal)) ?? null,
      enabled: id !== undefined && people !== undefined,
      staleTime: 60_000,
    });
}

/** People to choose from. @param q asks for nothing while undefined */
export function usePeople(q: string | undefined) {
  const { people } = useRecords();
  return useQuery({
    queryKey: ['people', 'search', q],
    queryFn: async ({ signal }) => (await people?.search(q ?? '', signal)) ?? [],
    enabled: q !== undefined && people !== undefined,
    placeholderData: (previous) => previous,
  });
}

export interface Change {
  readonly id: string;
  readonly fields: RecordFields;
  /** The version that the user saw; left out where only one field is set. */
  readonly version?: number;
}

/** Changes a record: shown at once, and taken back when it is refused. */
export function useUpdate(object: ObjectName) {
  const { api } = useRecords();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, fields, version }: Change) => api.update(object, id, fields, version),
    onMutate: async ({ id, fields }) => {
      const key = recordKey(object, id);
      await client.cancelQueries({ queryKey: key });
      const before = client.getQueryData<CrmRecord>(key);
      if (before) client.setQueryData(key, { ...before, ...(fields as Record<string, FieldValue>) });
      return before;
    },
    onError: (_, { id }, before) => {
      if (before) client.setQueryData(recordKey(object, id), before);
    },
    onSuccess: (record) => remember(client, object, record),
  });
}

export interface Creation {
  readonly fields: RecordFields;
  /** The same for every attempt of one form. */
  readonly key: string;
}

export function useCreate(object: ObjectName) {
  const { api } = useRecords();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ fields, key }: Creation) => api.create(object, fields, key),
    onSuccess: (record) => remember(client, object, record),
  });
}

export function useDelete(object: ObjectName) {
  const { api } = useRecords();
  const client = useQueryClient();
  return useMutation(deletion(api, client, object));
}

/** Brings a deleted record back; what refers to it may refer to it again. */
export function useRestore(object: ObjectName) {
  const { api } = useRecords();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.restore(object, id),
    onSuccess: () => client.invalidateQueries({ queryKey: ['records'] }),
  });
}

/** The answer of a change is the record as it is now, without what it refers to; lists and timelines are asked again. */
function remember(client: QueryClient, object: ObjectName, record: CrmRecord): Promise<void> {
  const key = recordKey(object, record.id);
  const before = client.getQueryData<CrmRecord>(key);
  client.setQueryData(key, { ...before, ...record });
  if (before && 'expanded' in before) void client.invalidateQueries({ queryKey: key });
  void client.invalidateQueries({ queryKey: TIMELINES });
  return client.invalidateQueries({ queryKey: listKey(object) });
}

import type { CrmRecord, ObjectName, RecordsApi } from '@crm/api-client';
import type { QueryClient } from '@tanstack/react-query';

export const listKey = (object: ObjectName) => ['records', object, 'list'] as const;
export const recordKey = (object: ObjectName, id: string) => ['records', object, 'record', id] as const;

/** What begins the keys of all timelines: a task stands in those of other records. */
export const TIMELINES = ['timeline'] as const;

/** Deletes the record that was seen. Of one that someone else has changed, the user sees the change and can try again. */
export const deletion = (api: Pick<RecordsApi, 'delete'>, client: QueryClient, object: ObjectName) => ({
  mutationFn: ({ id, version }: CrmRecord) => api.delete(object, id, version),
  onError: (_: Error, { id }: CrmRecord) => void client.invalidateQueries({ queryKey: recordKey(object, id) }),
  onSuccess: (_: unknown, { id }: CrmRecord) => {
    client.removeQueries({ queryKey: recordKey(object, id) });
    return client.invalidateQueries({ queryKey: listKey(object) });
  },
});

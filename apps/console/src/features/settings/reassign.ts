import type { BulkApi, BulkResult, RecordPage, RecordsApi } from '@crm/api-client';
import type { FieldModel, ObjectModel } from '@crm/records-ui';
import { MAX_RECORDS, runBulk } from '../records/bulk/bulk-run.js';

/** A field by which records are someone's. */
export interface Owned {
  readonly object: ObjectModel;
  readonly field: FieldModel;
  readonly total: number;
}

type Api = Pick<RecordsApi, 'list'>;
type Bulk = Pick<BulkApi, 'write'>;

/** What is done stays with who has done it. */
const filterOf = (object: ObjectModel, field: FieldModel, personId: string): string =>
  JSON.stringify({
    and: [
      { field: field.apiName, value: personId },
      ...(object.name === 'tasks' ? [{ field: 'status', value: 'open' }] : []),
    ],
  });

/** The fields that name people, of the objects that the caller may change. */
export const ownerFields = (objects: readonly ObjectModel[]): Omit<Owned, 'total'>[] =>
  objects.flatMap((object) =>
    object.fields
      .filter(({ target, writable }) => target === 'user' && writable && object.updatable)
      .map((field) => ({ object, field })),
  );

/** How many records and open tasks are a person's, of each object. */
export async function countOwned(api: Api, objects: readonly ObjectModel[], personId: string): Promise<Owned[]> {
  const counted = await Promise.all(
    ownerFields(objects).map(async ({ object, field }) => {
      const page = await api.list(object.name, { filter: filterOf(object, field, personId), size: 1, count: 'exact' });
      return { object, field, total: page.total ?? 0 };
    }),
  );
  return counted.filter(({ total }) => total > 0);
}

/**
 * Gives records and open tasks to someone else, page by page; what is given is in the list no more.
 * @param onProgress takes the number of records that were given, each time
 * @returns how many were refused
 * @throws ApiProblem when a part has no answer
 */
export async function reassign(
  api: Api,
  bulk: Bulk,
  owned: readonly Omit<Owned, 'total'>[],
  from: string,
  to: string,
  onProgress: (count: number) => void,
): Promise<number> {
  let refused = 0;
  const onPart = (results: readonly BulkResult[]): void => {
    const failed = results.filter(({ status }) => status === 'failed').length;
    refused += failed;
    onProgress(results.length - failed);
  };
  for (const { object, field } of owned) {
    let cursor: string | undefined;
    do {
      const query = { filter: filterOf(object, field, from), size: MAX_RECORDS, count: 'none' } as const;
      const page: RecordPage = await api.list(object.name, { ...query, ...(cursor !== undefined && { cursor }) });
      const records = page.data.map(({ id }) => ({ id, [field.apiName]: to }));
      const run = { api: bulk, object: object.name, operation: 'update', records, onPart } as const;
      await runBulk({ ...run, key: crypto.randomUUID(), signal: new AbortController().signal });
      // By cursor, so that one that is refused is not met again.
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
  return refused;
}

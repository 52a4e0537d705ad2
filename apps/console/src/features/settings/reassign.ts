import type { CrmRecord, RecordPage, RecordsApi } from '@crm/api-client';
import type { FieldModel, ObjectModel } from '@crm/records-ui';

/** A field by which records are somebody's. */
export interface Owned {
  readonly object: ObjectModel;
  readonly field: FieldModel;
  readonly total: number;
}

/** Records of one call. */
const PAGE = 200;
/** Changes that are under way at once. */
const AT_ONCE = 5;

type Api = Pick<RecordsApi, 'list' | 'update'>;

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
 * Gives records and open tasks to somebody else, page by page; what is given is in the list no more.
 * @param onProgress takes the number of records that were given, each time
 * @returns how many were refused
 */
export async function reassign(
  api: Api,
  owned: readonly Omit<Owned, 'total'>[],
  from: string,
  to: string,
  onProgress: (count: number) => void,
): Promise<number> {
  let refused = 0;
  for (const { object, field } of owned) {
    let cursor: string | undefined;
    do {
      const query = { filter: filterOf(object, field, from), size: PAGE, count: 'none' } as const;
      const page: RecordPage = await api.list(object.name, { ...query, ...(cursor !== undefined && { cursor }) });
      refused += await giveAll(api, { object, field }, page.data, to, onProgress);
      // By cursor, so that one that is refused is not met again.
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
  return refused;
}

/** The one place where records are changed. @returns how many were refused */
async function giveAll(
  api: Api,
  { object, field }: Omit<Owned, 'total'>,
  records: readonly CrmRecord[],
  to: string,
  onProgress: (count: number) => void,
): Promise<number> {
  let refused = 0;
  for (let first = 0; first < records.length; first += AT_ONCE) {
    const some = records.slice(first, first + AT_ONCE);
    const answers = await Promise.allSettled(
      some.map(({ id }) => api.update(object.name, id, { [field.apiName]: to })),
    );
    const failed = answers.filter(({ status }) => status === 'rejected').length;
    refused += failed;
    onProgress(some.length - failed);
  }
  return refused;
}

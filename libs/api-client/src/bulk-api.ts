import type { FieldProblem } from './problem/api-problem.js';
import { listPath, type ObjectName, type RecordFields, type RecordsApi } from './records-api.js';

export type BulkOperation = 'create' | 'update' | 'delete';

/** What has become of a record that was sent along with others. */
export interface BulkResult {
  /** Its place in the request. */
  readonly index: number;
  readonly status: 'created' | 'updated' | 'deleted' | 'failed';
  readonly id?: string;
  readonly error?: {
    readonly code: string;
    readonly status: number;
    readonly detail: string;
    readonly errors?: readonly FieldProblem[];
  };
}

/** The calls for many records, apart from the others because few views need them. */
export class BulkApi {
  constructor(private readonly records: Pick<RecordsApi, 'client'>) {}

  /**
   * Writes up to 200 records, each for itself.
   * @param key makes a repeated call write only what failed before
   */
  async write(
    object: ObjectName,
    operation: BulkOperation,
    records: readonly RecordFields[],
    key: string,
  ): Promise<readonly BulkResult[]> {
    const params = { header: { 'Idempotency-Key': key } };
    const body = { operation, records: [...records] };
    const { data } = await this.records.client.POST(`${listPath(object)}/bulk`, { params, body });
    return (data as unknown as { results: readonly BulkResult[] }).results;
  }
}

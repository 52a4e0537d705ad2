import {
  ApiProblem,
  type BulkApi,
  type BulkOperation,
  type BulkResult,
  type ObjectName,
  type RecordFields,
} from '@crm/api-client';

/** What the API takes in one call: so many records, and somewhat less than a body of 1 MiB. */
export const MAX_RECORDS = 200;
const MAX_TEXT = 900_000;
/** How often a call is made that was not answered, or not yet. */
const ATTEMPTS = 5;
const PAUSE_MS = 1_000;

export interface BulkRun {
  readonly api: Pick<BulkApi, 'write'>;
  readonly object: ObjectName;
  readonly operation: BulkOperation;
  readonly records: readonly RecordFields[];
  /** Names the run: the same one again writes nothing twice. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Called after each part with its results, numbered among all records. */
  readonly onPart: (results: readonly BulkResult[]) => void;
  /** Replaces the pause between attempts, in tests. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** The beginnings of the parts that are written in one call each. */
export function partsOf(records: readonly RecordFields[]): number[] {
  const starts = [0];
  let text = 0;
  for (const [index, record] of records.entries()) {
    // In UTF-8 a character has three bytes at most.
    const length = new TextEncoder().encode(JSON.stringify(record)).length;
    text += length;
    if (index - (starts.at(-1) as number) < MAX_RECORDS && text <= MAX_TEXT) continue;
    if (index > (starts.at(-1) as number)) starts.push(index);
    text = length;
  }
  return starts;
}

/** Writes any number of records in parts, one after the other, until it is done or cancelled. @throws ApiProblem when a part has no answer */
export async function runBulk({
  api,
  object,
  operation,
  records,
  key,
  signal,
  onPart,
  ...more
}: BulkRun): Promise<void> {
  const pause = more.pause ?? ((ms: number) => new Promise((resolve) => setTimeout(resolve, ms)));
  const starts = partsOf(records);
  for (const [part, start] of starts.entries()) {
    const some = records.slice(start, starts[part + 1] ?? records.length);
    for (let attempt = 1; ; attempt += 1) {
      if (signal.aborted || some.length === 0) return;
      try {
        const results = await api.write(object, operation, some, `${key}-${part}`);
        // Its repetition writes what could not be written just now, and nothing else.
        if (attempt < ATTEMPTS && results.some(({ error }) => error && error.status >= 500)) {
          await pause(attempt * PAUSE_MS);
          continue;
        }
        onPart(results.map((result) => ({ ...result, index: result.index + start })));
        break;
      } catch (problem) {
        if (!(problem instanceof ApiProblem) || !mayFollow(problem) || attempt === ATTEMPTS) throw problem;
        await pause((problem.retryAfterSeconds ?? attempt) * PAUSE_MS);
      }
    }
  }
}

/** Returns whether the same call may be answered later: an earlier attempt may still be under way. */
const mayFollow = ({ isTemporary, code }: ApiProblem): boolean => isTemporary || code === 'IDEMPOTENCY_KEY_IN_USE';

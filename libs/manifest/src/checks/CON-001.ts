import type { Check } from '../check.js';
import { connectorMapping } from '../connector-mapping.js';
import { cronProblem } from '../cron.js';
import { type Draft, entriesOf, type ManifestDraft } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { objectNames, resolveObject } from '../package-model.js';
import type { Problem } from '../problem.js';
import type { ManifestStream } from '../schema/manifest.js';
import { suggestion } from '../suggestion.js';

/** Sources commonly allow up to 1,000 entries per page; the platform's own lists allow 200. */
const MAX_PAGE_SIZE = 1000;
const MAX_RETRIES = 20;

export const CON_001: Check = {
  id: 'CON-001',
  title: 'The connector contract is complete and resolves',
  severity: 'blocker',
  doc: {
    why: 'A stream is read page by page, starting at its cursor, and written to one object. Without a primary key a second run would write everything again; a mapping to a missing field would fail at the first record.',
    fix: 'Give each stream a unique name, the primary key of the source, the cursor if the source has one, an existing destination object, and a mapping from fields of the source to writable fields of that object, each from one source field.',
  },
  *run({ manifest }) {
    if (!manifest.connector) return;
    yield* settings(manifest);
    const seen = new Set<string>();
    for (const [i, stream] of entriesOf(manifest.connector.streams)) {
      const at = pointer('connector', 'streams', i);
      yield* streamProblems(manifest, stream, at);
      if (stream.name === undefined) continue;
      if (seen.has(stream.name)) {
        yield { pointer: `${at}/name`, message: `The stream "${stream.name}" is declared twice.` };
      }
      seen.add(stream.name);
    }
  },
};

function* settings(manifest: ManifestDraft): Generator<Problem> {
  const { streams, pageSize, maxRetries, schedule } = manifest.connector ?? {};
  if (streams?.length === 0) yield { pointer: '/connector/streams', message: 'A connector needs at least one stream.' };
  if (pageSize !== undefined && (pageSize < 1 || pageSize > MAX_PAGE_SIZE)) {
    yield { pointer: '/connector/pageSize', message: `The page size must be between 1 and ${MAX_PAGE_SIZE}.` };
  }
  if (maxRetries !== undefined && (maxRetries < 0 || maxRetries > MAX_RETRIES)) {
    yield { pointer: '/connector/maxRetries', message: `The number of retries must be between 0 and ${MAX_RETRIES}.` };
  }
  const problem = schedule === undefined ? undefined : cronProblem(schedule);
  if (problem !== undefined) yield { pointer: '/connector/schedule', message: problem };
}

function* streamProblems(manifest: ManifestDraft, stream: Draft<ManifestStream>, at: string): Generator<Problem> {
  if (stream.name?.trim() === '') yield { pointer: `${at}/name`, message: 'A stream needs a name.' };
  if (stream.cursorField?.trim() === '') yield { pointer: `${at}/cursorField`, message: 'The cursor field is empty.' };
  const key = stream.primaryKey === undefined ? undefined : [stream.primaryKey].flat();
  if (key && (key.length === 0 || key.some((field) => field === undefined || field.trim() === ''))) {
    yield { pointer: `${at}/primaryKey`, message: 'The primary key has an empty field name.' };
  }
  if (stream.destinationObject === undefined) return;
  const target = resolveObject(manifest, stream.destinationObject);
  if (!target) {
    const hint = suggestion(stream.destinationObject, objectNames(manifest));
    yield { pointer: `${at}/destinationObject`, message: `There is no object "${stream.destinationObject}".${hint}` };
    return;
  }
  if (stream.mapping === undefined) return;
  const pairs = connectorMapping(stream.mapping as Record<string, string>, target.writableFields);
  if (pairs.length === 0) yield { pointer: `${at}/mapping`, message: 'The mapping is empty.' };
  const filled = new Set<string>();
  for (const { key: name, source, destination } of pairs) {
    const place = `${at}/mapping${pointer(name)}`;
    if (source.trim() === '') yield { pointer: place, message: 'The name of the source field is empty.' };
    if (filled.has(destination)) {
      yield { pointer: place, message: `The field "${destination}" is already filled from another source field.` };
    }
    filled.add(destination);
    if (target.writableFields.has(destination)) continue;
    const hint = suggestion(destination, target.writableFields);
    yield {
      pointer: place,
      message: `The object ${target.name} has no writable field "${destination}".${hint}`,
    };
  }
}

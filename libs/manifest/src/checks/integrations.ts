import { EVENT_NAMES, EVENT_PATTERNS, isEventPattern } from '@crm/contracts';
import type { Check } from '../check.js';
import { connectorMapping } from '../connector-mapping.js';
import { cronProblem } from '../cron.js';
import { type Draft, entriesOf, type ManifestDraft } from '../example.js';
import { pointer } from '../json-pointer.js';
import { eventReferences, knownEvents, objectNames, resolveObject } from '../package-model.js';
import { type Problem, suggestion } from '../problem.js';
import type { ManifestStream } from '../schema/manifest.js';

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
        yield {
          pointer: `${at}/name`,
          message: `The stream "${stream.name}" is declared twice. Give each stream its own name.`,
        };
      }
      seen.add(stream.name);
    }
  },
};

function* settings(manifest: ManifestDraft): Generator<Problem> {
  const { streams, pageSize, maxRetries, schedule } = manifest.connector ?? {};
  if (streams?.length === 0) yield { pointer: '/connector/streams', message: 'Add at least one stream.' };
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
    yield { pointer: `${at}/primaryKey`, message: 'Add a field name to the primary key.' };
  }
  if (stream.destinationObject === undefined) return;
  const target = resolveObject(manifest, stream.destinationObject);
  if (!target) {
    const hint = suggestion(stream.destinationObject, objectNames(manifest));
    yield { pointer: `${at}/destinationObject`, message: `Unknown object "${stream.destinationObject}".${hint}` };
    return;
  }
  if (stream.mapping === undefined) return;
  const pairs = connectorMapping(stream.mapping as Record<string, string>, target.writableFields);
  if (pairs.length === 0) yield { pointer: `${at}/mapping`, message: 'Add at least one field to the mapping.' };
  const filled = new Set<string>();
  for (const { key: name, source, destination } of pairs) {
    const place = `${at}/mapping${pointer(name)}`;
    if (source.trim() === '') yield { pointer: place, message: 'The name of the source field is empty.' };
    if (filled.has(destination)) {
      yield { pointer: place, message: `"${destination}" is already mapped from another source field.` };
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

export const CON_002: Check = {
  id: 'CON-002',
  title: 'The connector passes a live run',
  severity: 'warning',
  doc: {
    why: 'A connector must read all pages without gaps or duplicates, respect 429 responses, and produce the same set when it resumes after an interruption. Only a run against the source in a sandbox shows this.',
    fix: 'Run the connector in a sandbox installation and fix what its report lists.',
  },
  run: ({ manifest }) => ({
    skip: manifest.connector ? 'This needs a live run in a sandbox.' : 'Add a connector.',
  }),
};

/** Event names have the form `domain.action`. */
const EVENT_NAME = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;

export const EVT_001: Check = {
  id: 'EVT-001',
  title: 'Events exist in the catalog',
  severity: 'blocker',
  doc: {
    why: 'A subscription to an unknown event would never fire, without any error.',
    fix: `Use the events of the platform (${EVENT_NAMES.map((name) => `\`${name}\``).join(', ')}) or, in \`emit_event\` and \`service.consumes\`, one that the package lists in \`service.produces\`: package events aren't supported yet, so no webhook or trigger can use one. Webhooks and \`service.consumes\` can also name a domain of the platform: \`lead.*\` covers all lead events, including future ones. There is no pattern for all domains, and a trigger names one event.`,
  },
  *run({ manifest }) {
    const events = knownEvents(manifest);
    const patterns = new Set([...events, ...EVENT_PATTERNS]);
    for (const { name, at, by } of eventReferences(manifest)) {
      const known = by === 'webhook' || by === 'consumer' ? patterns : events;
      // An installation subscribes and starts workflows by events of the platform alone.
      const isHeard = by === 'action' || by === 'consumer' || isEventPattern(name);
      if (known.has(name) && isHeard) continue;
      const message = known.has(name)
        ? `Package events like "${name}" aren't supported yet. Use a platform event.`
        : isEventPattern(name)
          ? `Patterns aren't allowed here. Name one event instead of "${name}".`
          : `Unknown event "${name}".${suggestion(name, known)}`;
      yield { pointer: at, message };
    }
    for (const [i, name] of entriesOf(manifest.service?.produces)) {
      if (EVENT_NAME.test(name)) continue;
      yield {
        pointer: pointer('service', 'produces', i),
        message: `"${name}" must have the form domain.action, such as visit.completed.`,
      };
    }
  },
};

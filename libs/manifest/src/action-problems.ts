import { type Draft, entriesOf } from './example.js';
import { pointer } from './json-pointer.js';
import { eventKeys } from './package-model.js';
import { keyProblem, type Problem, suggestion } from './problem.js';
import type { ManifestAction, ManifestAutomation } from './schema/manifest.js';
import { type TextWithPointer, textsIn } from './source/json-source.js';
import { TemplateError } from './template-budget.js';
import { hasPlaceholder, isUrlTemplateFixed, templateKeys } from './templates.js';

/** Longest wait of a run, in seconds: 30 days. */
const MAX_WAIT_SECONDS = 30 * 24 * 60 * 60;

/** A header name (RFC 9110, token). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** The key of a step contains no character that has a meaning in a placeholder. */
const STEP_KEY = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/;

const MAX_DUE_IN_DAYS = 3650;

/** Longest text of a task or an e-mail before its placeholders are filled in, in UTF-16 units. */
const MAX_TEXT = 4000;

interface Members {
  /** Texts without placeholders. */
  readonly fixed?: readonly string[];
  /** Objects whose keys must not contain a placeholder. */
  readonly named?: readonly string[];
  /** Values with placeholders in their texts. */
  readonly templates?: readonly string[];
  /** Texts that must not be empty or longer than a run accepts. */
  readonly bounded?: readonly string[];
}

const MEMBERS: Readonly<Record<ManifestAction['type'], Members>> = {
  create_record: { fixed: ['object'], named: ['values'], templates: ['values'] },
  update_record: { fixed: ['object'], named: ['values'], templates: ['id', 'values'], bounded: ['id'] },
  create_task: {
    fixed: ['assignee'],
    templates: ['title', 'description'],
    bounded: ['title', 'description', 'assignee'],
  },
  http_request: { named: ['headers'], templates: ['url', 'headers', 'body'] },
  send_email: { fixed: ['to'], templates: ['subject', 'text'], bounded: ['subject'] },
  emit_event: { fixed: ['name'], named: ['data'], templates: ['data'] },
  wait: {},
};

/** What placeholders can name at a step of an automation. */
interface Names {
  /** Keys of the payload; undefined when the package does not declare them, so any name is possible. */
  payload: ReadonlySet<string> | undefined;
  earlierSteps: Set<string>;
  allSteps: ReadonlySet<string>;
}

/** The problems of the actions of one automation, except for references to objects and hosts. */
export function* actionProblems(automation: Draft<ManifestAutomation>, at: string): Generator<Problem> {
  const steps = [...entriesOf(automation.actions)];
  const names: Names = {
    payload: payloadKeys(automation),
    earlierSteps: new Set(),
    allSteps: new Set(steps.flatMap(([, step]) => step.key ?? [])),
  };
  for (const [j, action] of steps) {
    const place = `${at}/actions/${j}`;
    // A step without a key is named after its position, counted from 1.
    const key = action.key ?? `step${j + 1}`;
    if (action.key !== undefined) yield* keyProblems(key, place, names);
    else if (names.earlierSteps.has(key)) {
      yield {
        pointer: place,
        message: `"${key}" is already used by an earlier step. Give this step its own key.`,
      };
    }
    yield* limitProblems(action, place);
    const { fixed = [], named = [], templates = [] } = action.type ? MEMBERS[action.type] : {};
    for (const [text, where] of textsOf(action, ['key', ...fixed], place)) {
      if (hasPlaceholder(text)) yield { pointer: where, message: "Placeholders aren't allowed here." };
    }
    for (const member of named) {
      for (const name of Object.keys(memberOf(action, member) ?? {})) {
        const where = `${place}/${member}${pointer(name)}`;
        if (hasPlaceholder(name)) yield keyProblem(where, "Placeholders aren't allowed in names.");
      }
    }
    for (const [text, where] of textsOf(action, templates, place)) yield* placeholderProblems(text, where, names);
    names.earlierSteps.add(key);
  }
}

const memberOf = (action: Draft<ManifestAction>, name: string): unknown => (action as Record<string, unknown>)[name];

function* textsOf(
  action: Draft<ManifestAction>,
  members: readonly string[],
  place: string,
): Generator<TextWithPointer> {
  for (const name of members) yield* textsIn(memberOf(action, name), `${place}/${name}`);
}

function payloadKeys({ trigger }: Draft<ManifestAutomation>): Set<string> | undefined {
  const declared = trigger?.payload && [...entriesOf(trigger.payload)].flatMap(([, { name }]) => name ?? []);
  if (trigger?.type === 'event') {
    const known = trigger.event === undefined ? undefined : eventKeys(trigger.event);
    return known && new Set([...known, ...(declared ?? [])]);
  }
  // A scheduled run has no payload.
  if (trigger?.type === 'schedule') return new Set(declared);
  return declared && new Set(declared);
}

function* keyProblems(key: string, place: string, names: Names): Generator<Problem> {
  const at = `${place}/key`;
  if (!STEP_KEY.test(key)) {
    yield {
      pointer: at,
      message: "A step key can have up to 40 letters, digits, and underscores, and can't start with a digit.",
    };
  } else if (names.earlierSteps.has(key)) {
    yield { pointer: at, message: `The step "${key}" is declared twice. Give each step its own key.` };
  } else if (names.payload?.has(key)) {
    yield { pointer: at, message: `"${key}" is already a payload key. Give this step another key.` };
  }
}

function* limitProblems(action: Draft<ManifestAction>, place: string): Generator<Problem> {
  if (action.type === 'wait' && !isWithin(action.seconds, 1, MAX_WAIT_SECONDS)) {
    yield { pointer: `${place}/seconds`, message: `A wait must be 1 to ${MAX_WAIT_SECONDS} seconds.` };
  }
  if (action.type === 'create_task') {
    if (!isWithin(action.dueInDays, 0, MAX_DUE_IN_DAYS)) {
      yield { pointer: `${place}/dueInDays`, message: `A task must be due in 0 to ${MAX_DUE_IN_DAYS} days.` };
    }
  }
  for (const name of (action.type && MEMBERS[action.type].bounded) ?? []) {
    const text = memberOf(action, name);
    if (typeof text !== 'string' || isWithin(text.length, 1, MAX_TEXT)) continue;
    yield { pointer: `${place}/${name}`, message: `This must be a string of 1 to ${MAX_TEXT} characters.` };
  }
  if (action.type === 'send_email' && /[\r\n]/.test(action.subject ?? '')) {
    yield { pointer: `${place}/subject`, message: 'A subject must not contain a line break.' };
  }
  if (action.type === 'http_request') yield* requestProblems(action, place);
}

function* requestProblems(
  { url, headers }: Extract<Draft<ManifestAction>, { type?: 'http_request' }>,
  place: string,
): Generator<Problem> {
  if (url !== undefined && !isUrlTemplateFixed(url)) {
    yield { pointer: `${place}/url`, message: 'Placeholders are allowed only in the path and query of a URL.' };
  }
  for (const [name, value] of Object.entries(headers ?? {})) {
    const at = `${place}/headers${pointer(name)}`;
    if (!HEADER_NAME.test(name) && !hasPlaceholder(name))
      yield keyProblem(at, `"${name}" isn't a valid header name. Use a name such as X-Source.`);
    if (/[\r\n]/.test(value ?? '')) yield { pointer: at, message: 'A header value must not contain a line break.' };
    else if (/(?!\t)\p{Cc}/u.test(value ?? '')) {
      yield { pointer: at, message: 'A header value must not contain a control character.' };
    }
  }
}

/** Returns whether a number lies between the bounds; a missing one counts as valid. */
function isWithin(value: number | undefined, least: number, most: number): boolean {
  return value === undefined || (value >= least && value <= most);
}

function* placeholderProblems(text: string, where: string, names: Names): Generator<Problem> {
  let paths: string[];
  try {
    paths = templateKeys(text);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    yield { pointer: where, message: error.message };
    return;
  }
  for (const path of paths) {
    const first = path.split('.')[0]!.trim();
    if (names.earlierSteps.has(first) || names.payload?.has(path) || names.payload?.has(first)) continue;
    if (names.allSteps.has(first)) {
      yield { pointer: where, message: `The step "${first}" hasn't run yet at this point. Use an earlier step.` };
    } else if (names.payload) {
      const hint = suggestion(first, [...names.payload, ...names.earlierSteps]);
      yield { pointer: where, message: `"${first}" isn't a payload key or an earlier step.${hint}` };
    }
  }
}

import { EVENT_NAMES, escapePointer, type FieldProblem, isEventName, PlatformError } from '@crm/contracts';
import type { OutsideClient } from '@crm/egress';
import { FIELD_TYPE_NAMES } from '@crm/fields';
import { checkFormula } from '@crm/formula';
import {
  automationLength,
  conditionTypes,
  hasPlaceholder,
  isExecutedAction,
  isExecutedTrigger,
  LONGEST_AUTOMATION,
  TemplateError,
  templateKeys,
} from '@crm/manifest';
import { type Action, stepKey, type Trigger, type WorkflowDefinition } from './workflow.entity.js';

const MAX_ACTIONS = 50;
const MAX_PAYLOAD_KEYS = 200;
/** Thirty days, in seconds. */
const MAX_WAIT_SECONDS = 30 * 24 * 3600;
const MAX_DUE_IN_DAYS = 3650;
const MAX_TEXT = 4000;
/** That an answer names. */
const MAX_PROBLEMS = 50;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** RFC 9110, section 5.6.2. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const KEY = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/;

/** Types that a payload key can be declared with: those of fields except formulas, and `boolean` as JSON calls it. */
const PAYLOAD_TYPES: readonly string[] = [...FIELD_TYPE_NAMES.filter((name) => name !== 'formula'), 'boolean'];

type Payload = NonNullable<Trigger['payload']>;

/** The members of each action in addition to `type` and `key`; those with `?` may be missing. */
const MEMBERS: Readonly<Record<Action['type'], readonly string[]>> = {
  create_record: ['object', 'values'],
  update_record: ['object', 'id', 'values'],
  create_task: ['title', 'description?', 'dueInDays?', 'assignee?'],
  http_request: ['url', 'method?', 'headers?', 'body?'],
  wait: ['seconds'],
};

/** Decides which URLs may be called; the egress client does. */
export type TargetPolicy = Pick<OutsideClient, 'checkUrl'>;

/**
 * Reads a definition and reports its mistakes at once, as many as an answer names.
 * @param policy the URLs that may be called
 * @param base JSON pointer to the input in the request
 * @throws WORKFLOW_INVALID with a problem for each mistake
 */
export function readDefinition(
  input: { readonly trigger?: unknown; readonly condition?: unknown; readonly actions?: unknown },
  policy: TargetPolicy,
  base = '',
): WorkflowDefinition {
  const problems = new Problems(base, policy);
  if (automationLength(input) > LONGEST_AUTOMATION) {
    problems.add(
      '',
      'TOO_LONG',
      `Trigger, condition, and actions can have up to ${LONGEST_AUTOMATION} characters in total`,
    );
    problems.throwIfAny();
  }
  const trigger = readTrigger(input.trigger, problems);
  const condition = readCondition(input.condition, trigger, problems);
  const actions = readActions(input.actions, problems);
  problems.throwIfAny();
  return { trigger: trigger as Trigger, ...(condition !== undefined && { condition }), actions };
}

class Problems {
  private readonly found: FieldProblem[] = [];

  constructor(
    private readonly base: string,
    readonly policy: TargetPolicy,
  ) {}

  add(pointer: string, code: string, detail: string): void {
    if (this.found.length === MAX_PROBLEMS) return;
    // What libraries say of templates and addresses ends with a full stop; a detail does not.
    this.found.push({ pointer: `${this.base}${pointer}`, code, detail: detail.replace(/\.$/, '') });
  }

  throwIfAny(): void {
    if (this.found.length === 0) return;
    throw new PlatformError('WORKFLOW_INVALID', this.found[0]?.detail, { errors: this.found });
  }
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function onlyMembers(value: Json, allowed: readonly string[], pointer: string, problems: Problems): void {
  for (const name of Object.keys(value)) {
    if (!allowed.includes(name)) {
      problems.add(`${pointer}/${escapePointer(name)}`, 'UNKNOWN_MEMBER', `Unknown key "${name}"`);
    }
  }
}

function readTrigger(input: unknown, problems: Problems): Trigger | undefined {
  if (!isObject(input)) {
    problems.add('/trigger', 'INVALID_TYPE', 'trigger must be an object');
    return undefined;
  }
  const payload = readPayload(input.payload, problems);
  switch (input.type) {
    case 'webhook_received':
      onlyMembers(input, ['type', 'payload'], '/trigger', problems);
      return { type: 'webhook_received', ...(payload && { payload }) };
    case 'event':
      onlyMembers(input, ['type', 'event', 'payload'], '/trigger', problems);
      if (typeof input.event === 'string' && isEventName(input.event)) {
        return { type: 'event', event: input.event, ...(payload && { payload }) };
      }
      problems.add('/trigger/event', 'UNKNOWN_EVENT', `event must be one of ${EVENT_NAMES.join(', ')}`);
      return undefined;
    default:
      if (isExecutedTrigger(`${input.type}`) === false) {
        problems.add('/trigger/type', 'NOT_SUPPORTED', `The trigger "${input.type}" isn't supported yet`);
      } else problems.add('/trigger/type', 'UNKNOWN_TRIGGER', 'type must be webhook_received or event');
      return undefined;
  }
}

function readPayload(input: unknown, problems: Problems): Payload | undefined {
  if (input === undefined) return undefined;
  if (!Array.isArray(input) || input.length > MAX_PAYLOAD_KEYS) {
    problems.add('/trigger/payload', 'INVALID_TYPE', `payload must be a list of up to ${MAX_PAYLOAD_KEYS} keys`);
    return undefined;
  }
  return input.flatMap((key: unknown, index): Payload => {
    if (isObject(key) && typeof key.name === 'string' && typeof key.type === 'string') {
      if (PAYLOAD_TYPES.includes(key.type)) return [{ name: key.name, type: key.type as Payload[number]['type'] }];
    }
    const detail = `A key needs a name and one of the types ${PAYLOAD_TYPES.join(', ')}`;
    problems.add(`/trigger/payload/${index}`, 'INVALID_PAYLOAD_KEY', detail);
    return [];
  });
}

function readCondition(input: unknown, trigger: Trigger | undefined, problems: Problems): string | undefined {
  if (input === undefined || input === null || input === '') return undefined;
  if (typeof input !== 'string') {
    problems.add('/condition', 'INVALID_TYPE', 'condition must be a formula in a string');
    return undefined;
  }
  const types = trigger ? conditionTypes(trigger) : new Map();
  const { errors } = checkFormula(input, types, { untypedNames: true, expected: 'boolean' });
  for (const error of errors) {
    problems.add('/condition', error.code, `${error.message} (column ${error.position + 1})`);
  }
  return input;
}

function readActions(input: unknown, problems: Problems): Action[] {
  if (!Array.isArray(input) || input.length === 0 || input.length > MAX_ACTIONS) {
    problems.add('/actions', 'INVALID_TYPE', `actions must be a list of 1 to ${MAX_ACTIONS} actions`);
    return [];
  }
  const keys = new Set<string>();
  return input.flatMap((action: unknown, index): Action[] => {
    const read = readAction(action, `/actions/${index}`, problems);
    if (!read) return [];
    const key = stepKey(read, index);
    if (keys.has(key))
      problems.add(`/actions/${index}/key`, 'DUPLICATE_KEY', `"${key}" is already used by another step`);
    keys.add(key);
    return [read];
  });
}

function readAction(input: unknown, pointer: string, problems: Problems): Action | undefined {
  if (!isObject(input)) {
    problems.add(pointer, 'INVALID_TYPE', 'An action must be an object');
    return undefined;
  }
  const type = String(input.type);
  if (isExecutedAction(type) === false) {
    problems.add(`${pointer}/type`, 'NOT_SUPPORTED', `The action "${type}" isn't supported yet`);
    return undefined;
  }
  const members = Object.hasOwn(MEMBERS, type) ? MEMBERS[type as Action['type']] : undefined;
  if (!members) {
    problems.add(`${pointer}/type`, 'UNKNOWN_ACTION', `type must be one of ${Object.keys(MEMBERS).join(', ')}`);
    return undefined;
  }
  const names = members.map((member) => member.replace('?', ''));
  onlyMembers(input, ['type', 'key', ...names], pointer, problems);
  if (input.key !== undefined && !(typeof input.key === 'string' && KEY.test(input.key))) {
    problems.add(`${pointer}/key`, 'INVALID_KEY', 'key must be up to 40 letters, digits, and underscores');
  }
  for (const member of members) checkMember(input, member, pointer, problems);
  return input as unknown as Action;
}

/** Checks a member by its name, which means the same in every action. */
function checkMember(action: Json, member: string, pointer: string, problems: Problems): void {
  const name = member.replace('?', '');
  const value = action[name];
  const at = `${pointer}/${name}`;
  if (value === undefined) {
    if (!member.endsWith('?')) problems.add(at, 'REQUIRED', `${name} is missing`);
    return;
  }
  const check = CHECKS[name] ?? ((...of) => checkText(name, ...of));
  check(value, at, problems);
}

type Check = (value: unknown, pointer: string, problems: Problems) => void;

const inRange =
  (least: number, most: number): Check =>
  (value, pointer, problems) => {
    if (typeof value === 'number' && value >= least && value <= most) return;
    problems.add(pointer, 'INVALID_NUMBER', `The value must be a number from ${least} to ${most}`);
  };

/** Members that are no plain text. */
const CHECKS: Readonly<Record<string, Check>> = {
  values: (value, pointer, problems) => {
    if (isObject(value)) checkTemplates(value, pointer, problems);
    else problems.add(pointer, 'INVALID_TYPE', 'values must be an object');
  },
  seconds: inRange(1, MAX_WAIT_SECONDS),
  dueInDays: inRange(0, MAX_DUE_IN_DAYS),
  method: (value, pointer, problems) => {
    if (METHODS.includes(value as string)) return;
    problems.add(pointer, 'INVALID_METHOD', `method must be one of ${METHODS.join(', ')}`);
  },
  headers: checkHeaders,
  body: checkTemplates,
};

/** Texts without placeholders: the author decides what a run works on, not the payload. */
const FIXED_TEXTS = ['object', 'assignee'];

function checkText(name: string, value: unknown, pointer: string, problems: Problems): void {
  if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT) {
    problems.add(pointer, 'INVALID_TYPE', `${name} must be a string of 1 to ${MAX_TEXT} characters`);
  } else if (name === 'url') {
    checkTarget(value, pointer, problems);
  } else if (!FIXED_TEXTS.includes(name)) {
    checkTemplates(value, pointer, problems);
  } else if (hasPlaceholder(value)) {
    problems.add(pointer, 'INVALID_TEMPLATE', `${name} must not contain a placeholder`);
  }
}

/** Checks the URL's form and host; that the host resolves to a public address is checked at each call. */
function checkTarget(url: string, pointer: string, problems: Problems): void {
  checkTemplates(url, pointer, problems);
  // A placeholder before the path, where none is permitted, makes a host that the policy refuses.
  const verdict = problems.policy.checkUrl(url);
  if (!verdict.ok) problems.add(pointer, 'TARGET_REFUSED', verdict.message);
}

function checkHeaders(value: unknown, pointer: string, problems: Problems): void {
  if (!isObject(value)) {
    problems.add(pointer, 'INVALID_TYPE', 'headers must be an object of strings');
    return;
  }
  for (const [name, text] of Object.entries(value)) {
    if (HEADER_NAME.test(name) && typeof text === 'string' && !/[\r\n]/.test(text)) {
      checkTemplates(text, `${pointer}/${name}`, problems);
    } else {
      problems.add(pointer, 'INVALID_HEADER', `${JSON.stringify(name)} must be a header name with a one-line value`);
    }
  }
}

function checkTemplates(value: unknown, pointer: string, problems: Problems): void {
  if (typeof value === 'string') {
    try {
      templateKeys(value);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      problems.add(pointer, 'INVALID_TEMPLATE', error.message);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) checkTemplates(part, `${pointer}/${name}`, problems);
  }
}

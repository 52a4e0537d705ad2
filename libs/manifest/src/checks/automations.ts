import { CORE_OBJECTS, type CoreObject, isScope, SCOPES } from '@crm/contracts';
import { checkFormula, compileFormula, orderFormulas, wayBack } from '@crm/formula';
import { actionProblems } from '../action-problems.js';
import type { Check } from '../check.js';
import { cronProblem } from '../cron.js';
import { type Draft, entriesOf, type ManifestDraft } from '../example.js';
import { isExecutedAction, isExecutedTrigger } from '../executed.js';
import { pointer } from '../json-pointer.js';
import { conditionTypes, isLabel, resolveObject } from '../package-model.js';
import { asSentence, type Problem, suggestion } from '../problem.js';
import type { ManifestAction, ManifestAutomation, ManifestTool } from '../schema/manifest.js';
import { hasPlaceholder } from '../templates.js';
import { unusableParts } from '../tool-schema.js';
import { schemaProblems } from '../validate.js';

/** What the common model APIs accept as the name of a tool. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export const AI_001: Check = {
  id: 'AI-001',
  title: 'Assistant tools have a valid schema, a scope, and confirmation if they write',
  severity: 'blocker',
  doc: {
    why: 'A model calls the tools on behalf of a user. The schema limits what it can pass, the scope limits what it can access, and a person confirms changes to data.',
    fix: 'Give each tool a JSON Schema of type `object` (draft 2020-12) as `inputSchema`, with patterns that compile and references to its own parts only, and a known `scope`. A tool that is not `readOnly` needs `requiresConfirmation: true`.',
  },
  *run({ manifest }) {
    const seen = new Set<string>();
    for (const [i, tool] of entriesOf(manifest.assistant?.tools)) {
      const at = pointer('assistant', 'tools', i);
      yield* toolProblems(tool, at);
      if (tool.name === undefined) continue;
      if (seen.has(tool.name)) yield { pointer: `${at}/name`, message: `The tool "${tool.name}" is declared twice.` };
      seen.add(tool.name);
    }
  },
};

function* toolProblems(tool: Draft<ManifestTool>, at: string): Generator<Problem> {
  if (tool.name !== undefined && !TOOL_NAME.test(tool.name)) {
    yield {
      pointer: `${at}/name`,
      message: 'A tool name must be 1 to 64 letters, digits, underscores, and hyphens.',
    };
  }
  if (tool.inputSchema !== undefined) {
    const problems = schemaProblems(tool.inputSchema);
    for (const problem of problems) {
      yield { pointer: `${at}/inputSchema`, message: `Not a valid JSON Schema: ${problem}.` };
    }
    if (problems.length === 0) {
      for (const { pointer: place, message } of unusableParts(tool.inputSchema)) {
        yield { pointer: `${at}/inputSchema${place}`, message };
      }
    }
    if (tool.inputSchema.type !== undefined && tool.inputSchema.type !== 'object') {
      yield { pointer: `${at}/inputSchema/type`, message: 'The input of a tool must be an object.' };
    }
  }
  if (tool.scope === undefined) {
    yield { pointer: at, message: 'Add a scope to the tool.' };
  } else if (!isScope(tool.scope)) {
    yield {
      pointer: `${at}/scope`,
      message: `Unknown scope "${tool.scope}".${suggestion(tool.scope, SCOPES)}`,
    };
  }
  if (tool.readOnly !== true && tool.requiresConfirmation !== true) {
    yield { pointer: at, message: 'A tool that is not readOnly needs requiresConfirmation: true.' };
  }
}

/** Longer sequences should be split into several automations. */
const MAX_ACTIONS = 50;
const MAX_PAYLOAD_KEYS = 200;

/** What of an automation is executed, as JSON, in UTF-16 units: it is read whole for each run, and lists of workflows have two hundred. */
export const LONGEST_AUTOMATION = 32_768;

/** The length that {@link LONGEST_AUTOMATION} bounds. */
export const automationLength = ({ trigger, condition, actions }: Readonly<Record<string, unknown>>): number =>
  JSON.stringify({ trigger, condition, actions }).length;

/** Keys appear in lists and in the answer to an installation. In UTF-16 units. */
const MAX_KEY = 100;

export const AUT_001: Check = {
  id: 'AUT-001',
  title: 'Conditions parse, and templates use payload keys or earlier steps',
  severity: 'blocker',
  doc: {
    why: 'Automations run unattended. Without this check, a broken condition or placeholder would surface only as a failed run, or send a request to a URL chosen by the payload.',
    fix: 'Declare the keys of the payload in `trigger.payload` and use them, or the `key` of an earlier step, as `{{name}}` in values, title, description, subject, text, body, data, header values, the id of a record, and in the path and query of a URL.',
  },
  *run({ manifest }) {
    const keys = new Set<string>();
    for (const [i, automation] of entriesOf(manifest.automations)) {
      const at = pointer('automations', i);
      yield* automationProblems(automation, at);
      yield* actionProblems(automation, at);
      if (automation.key === undefined) continue;
      if (!isLabel(automation.key) || automation.key.length > MAX_KEY) {
        const message = `An automation key must be one line of up to ${MAX_KEY} characters with no leading or trailing spaces.`;
        yield { pointer: `${at}/key`, message };
      }
      if (keys.has(automation.key)) {
        yield {
          pointer: `${at}/key`,
          message: `The automation "${automation.key}" is declared twice. Give each one its own key.`,
        };
      }
      keys.add(automation.key);
    }
  },
};

function* automationProblems(automation: Draft<ManifestAutomation>, at: string): Generator<Problem> {
  const { trigger, condition, actions } = automation;
  if (automationLength(automation as Readonly<Record<string, unknown>>) > LONGEST_AUTOMATION) {
    const message = `An automation's trigger, condition, and actions can have up to ${LONGEST_AUTOMATION} characters in total.`;
    yield { pointer: at, message };
  }
  if (actions?.length === 0) yield { pointer: `${at}/actions`, message: 'Add at least one action.' };
  if (actions && actions.length > MAX_ACTIONS) {
    yield { pointer: `${at}/actions`, message: `An automation can have up to ${MAX_ACTIONS} actions.` };
  }
  if (trigger?.type === 'schedule' && trigger.cron !== undefined) {
    const problem = cronProblem(trigger.cron);
    if (problem !== undefined) yield { pointer: `${at}/trigger/cron`, message: problem };
  }
  const declared = new Set<string>();
  for (const [k, { name }] of entriesOf(trigger?.payload)) {
    if (name === undefined) continue;
    if (declared.has(name)) {
      yield { pointer: `${at}/trigger/payload/${k}/name`, message: `The key "${name}" is declared twice.` };
    }
    declared.add(name);
  }
  if (declared.size > MAX_PAYLOAD_KEYS) {
    yield { pointer: `${at}/trigger/payload`, message: `A payload can declare up to ${MAX_PAYLOAD_KEYS} keys.` };
  }
  if (condition === undefined) return;
  const { errors } = checkFormula(condition, trigger ? conditionTypes(trigger) : {}, {
    untypedNames: true,
    expected: 'boolean',
  });
  for (const { message, position } of errors)
    yield { pointer: `${at}/condition`, message: `Column ${position + 1}: ${asSentence(message)}` };
}

export const AUT_002: Check = {
  id: 'AUT-002',
  title: 'No automation triggers itself without a condition that stops it',
  severity: 'blocker',
  doc: {
    why: 'An automation on `record.updated` that updates a record triggers itself again, endlessly. Several automations can do the same through the events between them.',
    fix: 'Add a `condition` that becomes false to an automation in the cycle, or remove the event or action that closes the cycle.',
  },
  *run({ manifest }) {
    const graph = eventGraph(manifest);
    const follows = new Map([...graph].map(([event, next]) => [event, [...next.keys()]]));
    for (const circle of orderFormulas(follows).circles) {
      const way = wayBack(circle[0]!, new Set(circle), follows);
      yield {
        pointer: pointer('automations', graph.get(way[0]!)!.get(way[1]!)!),
        message: `This automation can trigger itself endlessly (${circleText(way)}). Add a condition that becomes false.`,
      };
    }
  },
};

export const AUT_003: Check = {
  id: 'AUT-003',
  title: 'The platform supports every trigger and action',
  severity: 'blocker',
  doc: {
    why: "The manifest allows the trigger `schedule` and the actions `send_email` and `emit_event`, but the platform doesn't support them yet. An app with one of them can't be installed.",
    fix: 'Start the automation with `webhook_received` or a platform event. Instead of sending an email, create a task, or call your own service with `http_request`, which can also replace an event of the app.',
  },
  *run({ manifest }) {
    for (const [i, { trigger, actions }] of entriesOf(manifest.automations)) {
      const at = pointer('automations', i);
      if (trigger?.type !== undefined && isExecutedTrigger(trigger.type) === false) {
        yield {
          pointer: `${at}/trigger/type`,
          message: `The trigger "${trigger.type}" isn't supported yet. Use webhook_received or an event.`,
        };
      }
      for (const [j, { type }] of entriesOf(actions)) {
        if (type === undefined || isExecutedAction(type) !== false) continue;
        yield {
          pointer: `${at}/actions/${j}/type`,
          message: `The action "${type}" isn't supported yet. Use http_request or create_task.`,
        };
      }
    }
  },
};

function circleText(way: readonly string[]): string {
  const shown = way.length > 8 ? [...way.slice(0, 7), '…', way.at(-1)] : way;
  return shown.join(' → ');
}

/** Maps each event to the events that follow from it unconditionally, with the automation in between. */
function eventGraph(manifest: ManifestDraft): Map<string, Map<string, number>> {
  const graph = new Map<string, Map<string, number>>();
  for (const [i, automation] of entriesOf(manifest.automations)) {
    const { trigger, condition } = automation;
    if (trigger?.type !== 'event' || trigger.event === undefined || mayStop(condition)) continue;
    const next = graph.get(trigger.event) ?? new Map<string, number>();
    for (const [, action] of entriesOf(automation.actions)) {
      for (const event of eventsOf(manifest, action)) if (!next.has(event)) next.set(event, i);
    }
    graph.set(trigger.event, next);
  }
  return graph;
}

/**
 * Returns whether a condition can keep an automation from starting: it reads data that the automations may change, or it is
 * never true. A condition that reads only the clock does not stop a cycle. AUT-001 reports a condition that does not
 * parse.
 */
function mayStop(condition: string | undefined): boolean {
  if (condition === undefined) return false;
  const checked = checkFormula(condition, {}, { untypedNames: true, expected: 'boolean' });
  if (!checked.ok || checked.dependencies.length > 0) return true;
  const compiled = compileFormula(checked, {});
  return !compiled.readsClock && compiled.evaluate({}, { now: new Date(0) }) !== true;
}

/** The events that an action causes. */
function eventsOf(manifest: ManifestDraft, action: Draft<ManifestAction>): string[] {
  if (action.type === 'create_task') return ['task.created'];
  if (action.type === 'emit_event') return action.name === undefined ? [] : [action.name];
  if (action.type !== 'create_record' && action.type !== 'update_record') return [];
  const target = action.object === undefined ? undefined : resolveObject(manifest, action.object);
  if (!target) return [];
  const verb = action.type === 'create_record' ? 'created' : 'updated';
  if (target.kind === 'own') return [`record.${verb}`];
  const { values = {} } = action;
  return [`${CORE_OBJECTS[target.name as CoreObject].domain}.${verb}`, ...statusEvents(target.name, values)];
}

/** A status from a placeholder can have any value, and the workspace says which one a stage means. */
function statusEvents(object: string, values: Readonly<Record<string, unknown>>): string[] {
  const status = Object.hasOwn(values, 'status') ? values.status : undefined;
  const isAny = (typeof status === 'string' && hasPlaceholder(status)) || Object.hasOwn(values, 'stage');
  const may = (value: string) => isAny || status === value;
  if (object === 'opportunity') return ['won', 'lost'].filter(may).map((value) => `deal.${value}`);
  return object === 'task' && may('completed') ? ['task.completed'] : [];
}

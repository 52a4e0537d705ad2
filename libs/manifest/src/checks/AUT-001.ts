import { checkFormula } from '@crm/formula';
import { actionProblems } from '../action-problems.js';
import type { Check } from '../check.js';
import { conditionTypes } from '../condition-types.js';
import { cronProblem } from '../cron.js';
import { type Draft, entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { isLabel } from '../package-model.js';
import { asSentence, type Problem } from '../problem.js';
import type { ManifestAutomation } from '../schema/manifest.js';

/** Longer sequences should be split into several automations. */
const MAX_ACTIONS = 50;
const MAX_PAYLOAD_KEYS = 200;

/** Keys appear in lists and in the answer to an installation. In UTF-16 units. */
const MAX_KEY = 100;

export const AUT_001: Check = {
  id: 'AUT-001',
  title: 'Conditions parse, templates name payload keys or earlier steps',
  severity: 'blocker',
  doc: {
    why: 'Automations run unattended. A condition that does not parse, or a placeholder without a value or at a forbidden place, would otherwise show up only as a failed run, or as a request to a place that a payload chose.',
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
        const message = `The key of an automation must be a single line of at most ${MAX_KEY} characters, without white space around it.`;
        yield { pointer: `${at}/key`, message };
      }
      if (keys.has(automation.key)) {
        yield { pointer: `${at}/key`, message: `The automation "${automation.key}" is declared twice.` };
      }
      keys.add(automation.key);
    }
  },
};

function* automationProblems(automation: Draft<ManifestAutomation>, at: string): Generator<Problem> {
  const { trigger, condition, actions } = automation;
  if (actions?.length === 0) yield { pointer: `${at}/actions`, message: 'The automation has no actions.' };
  if (actions && actions.length > MAX_ACTIONS) {
    yield { pointer: `${at}/actions`, message: `An automation can have at most ${MAX_ACTIONS} actions.` };
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
    yield { pointer: `${at}/trigger/payload`, message: `A payload can declare at most ${MAX_PAYLOAD_KEYS} keys.` };
  }
  if (condition === undefined) return;
  const { errors } = checkFormula(condition, trigger ? conditionTypes(trigger) : {}, {
    untypedNames: true,
    expected: 'boolean',
  });
  for (const { message, position } of errors)
    yield { pointer: `${at}/condition`, message: `At ${position}: ${asSentence(message)}` };
}

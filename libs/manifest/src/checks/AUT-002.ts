import { CORE_OBJECTS, type CoreObject } from '@crm/contracts';
import { checkFormula, compileFormula, orderFormulas, wayBack } from '@crm/formula';
import type { Check } from '../check.js';
import { type Draft, entriesOf, type ManifestDraft } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { resolveObject } from '../package-model.js';
import type { ManifestAction } from '../schema/manifest.js';
import { hasPlaceholder } from '../templates.js';

export const AUT_002: Check = {
  id: 'AUT-002',
  title: 'No automation triggers itself without a condition that stops it',
  severity: 'blocker',
  doc: {
    why: 'An automation on `record.updated` that updates a record triggers itself again, forever. The same can happen across several automations through the events between them.',
    fix: 'Give an automation in the cycle a `condition` on its payload that becomes false, or remove the event or the action that closes the cycle.',
  },
  *run({ manifest }) {
    const graph = eventGraph(manifest);
    const follows = new Map([...graph].map(([event, next]) => [event, [...next.keys()]]));
    for (const circle of orderFormulas(follows).circles) {
      const way = wayBack(circle[0]!, new Set(circle), follows);
      yield {
        pointer: pointer('automations', graph.get(way[0]!)!.get(way[1]!)!),
        message: `This automation can trigger itself without a condition that stops it: ${circleText(way)}.`,
      };
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
 * Whether a condition can keep an automation from starting: it reads data that the automations may change, or it is
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
  const status = action.values && Object.hasOwn(action.values, 'status') ? action.values.status : undefined;
  return [`${CORE_OBJECTS[target.name as CoreObject].domain}.${verb}`, ...statusEvents(target.name, status)];
}

/** A status from a placeholder can have any value. */
function statusEvents(object: string, status: unknown): string[] {
  const may = (value: string) => status === value || (typeof status === 'string' && hasPlaceholder(status));
  if (object === 'opportunity') return ['won', 'lost'].filter(may).map((value) => `deal.${value}`);
  return object === 'task' && may('completed') ? ['task.completed'] : [];
}

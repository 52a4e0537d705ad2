import type { EventName } from '@crm/contracts';
import { FIELD_TYPE_NAMES } from '@crm/fields';

/** A key of the payload whose type the author declares, so that conditions can use it by that type. */
export interface PayloadKey {
  readonly name: string;
  readonly type: string;
}

export type Trigger =
  | { readonly type: 'webhook_received'; readonly payload?: readonly PayloadKey[] }
  | { readonly type: 'event'; readonly event: EventName; readonly payload?: readonly PayloadKey[] };

interface ActionHead {
  /** Names the step; later templates read its output by this name, e.g. `{{lead.id}}`. */
  readonly key?: string;
}

export type Values = Readonly<Record<string, unknown>>;

/** The actions that runs execute. Texts in their values are templates. */
export type Action = ActionHead &
  (
    | { readonly type: 'create_record'; readonly object: string; readonly values: Values }
    | { readonly type: 'update_record'; readonly object: string; readonly id: string; readonly values: Values }
    | {
        readonly type: 'create_task';
        readonly title: string;
        readonly description?: string;
        readonly dueInDays?: number;
        readonly assignee?: string;
      }
    | {
        readonly type: 'http_request';
        readonly url: string;
        readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
        readonly headers?: Readonly<Record<string, string>>;
        readonly body?: unknown;
      }
    | { readonly type: 'wait'; readonly seconds: number }
  );

/** What a workflow does: `trigger`, `condition` and `actions`, from an app's manifest or from the tenant. */
export interface WorkflowDefinition {
  readonly trigger: Trigger;
  /** A formula over the top-level keys of the payload. */
  readonly condition?: string;
  readonly actions: readonly Action[];
}

/** The key that the author gave the step, otherwise made of its number, from 1. */
export const stepKey = (action: Action, position: number): string => action.key ?? `step${position + 1}`;

/** Types that a payload key can be declared with: those of fields except formulas, and `boolean` as JSON calls it. */
export const PAYLOAD_TYPES: readonly string[] = [...FIELD_TYPE_NAMES.filter((name) => name !== 'formula'), 'boolean'];

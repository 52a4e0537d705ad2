import type { ManifestAction, ManifestTrigger } from './schema/manifest.js';

/**
 * What runs can execute of what a manifest can say. Certification blocks the rest (AUT-003) and automation-hooks accepts nothing else, so
 * what certifies can be installed.
 */
const TRIGGERS = { webhook_received: true, event: true, schedule: false } as const satisfies Record<
  ManifestTrigger['type'],
  boolean
>;
const ACTIONS = {
  create_record: true,
  update_record: true,
  create_task: true,
  http_request: true,
  send_email: false,
  emit_event: false,
  wait: true,
} as const satisfies Record<ManifestAction['type'], boolean>;

type Executed<Table> = { [Type in keyof Table]: Table[Type] extends true ? Type : never }[keyof Table];
export type ExecutedTrigger = Extract<ManifestTrigger, { type: Executed<typeof TRIGGERS> }>;
export type ExecutedAction = Extract<ManifestAction, { type: Executed<typeof ACTIONS> }>;

/** Undefined for a type that no manifest has. */
const find = (table: Readonly<Record<string, boolean>>, type: string): boolean | undefined =>
  Object.hasOwn(table, type) ? table[type] : undefined;

/** Returns whether runs can begin with a trigger of this type; undefined for a type that no manifest has. */
export const isExecutedTrigger = (type: string): boolean | undefined => find(TRIGGERS, type);

/** Returns whether runs can execute an action of this type; undefined for a type that no manifest has. */
export const isExecutedAction = (type: string): boolean | undefined => find(ACTIONS, type);

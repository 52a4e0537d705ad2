/** How far a key reaches into one kind of thing. */
export type Reach = 'none' | 'read' | 'write';

export interface ReachChoice {
  /** Scope without `:read`. */
  readonly name: string;
  readonly reaches: readonly Reach[];
}

const RECORDS = ['leads', 'contacts', 'companies', 'pipeline', 'tasks', 'custom_objects'];
/** Whose role reaches webhooks. */
const ADMINISTRATORS = ['owner', 'admin'];

/**
 * What a key of somebody can reach (docs/api-keys.md): records as far as one likes, workflows to look at, and webhooks in full
 * or not at all, for administrators.
 */
export function reachChoices(roles: readonly string[]): ReachChoice[] {
  const administers = roles.some((role) => ADMINISTRATORS.includes(role));
  return [
    ...RECORDS.map((name) => ({ name, reaches: ['none', 'read', 'write'] as const })),
    { name: 'automations', reaches: ['none', 'read'] },
    ...(administers ? [{ name: 'webhooks', reaches: ['none', 'write'] as const }] : []),
  ];
}

/** The scopes of a choice, in the order of the choices. */
export const scopesOf = (chosen: Readonly<Record<string, Reach>>, choices: readonly ReachChoice[]): string[] =>
  choices.flatMap(({ name, reaches }) => {
    const reach = chosen[name] ?? 'none';
    if (reach === 'none' || !reaches.includes(reach)) return [];
    return [reach === 'read' ? `${name}:read` : name];
  });

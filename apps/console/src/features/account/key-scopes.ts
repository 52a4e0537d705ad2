import { rolesAllow, SCOPE_CATALOGUE, type ScopeEntry } from '@crm/contracts/rights';

/** How far a key reaches into one kind of thing. */
export type Reach = 'none' | 'read' | 'write';

export interface ReachChoice {
  /** Scope without `:read`. */
  readonly name: string;
  readonly reaches: readonly Reach[];
}

const CATALOGUE = Object.entries<ScopeEntry>(SCOPE_CATALOGUE);

/** What a key of a user with these roles can reach (docs/api-keys.md). */
export function reachChoices(roles: readonly string[]): ReachChoice[] {
  const administers = rolesAllow(roles, 'administer');
  return CATALOGUE.filter(([, { offered, administered }]) => offered.length > 0 && (administers || !administered)).map(
    ([name, { offered }]) => ({ name, reaches: ['none', ...offered] }),
  );
}

/** The scopes of a choice, in the order of the choices. */
export const scopesOf = (chosen: Readonly<Record<string, Reach>>, choices: readonly ReachChoice[]): string[] =>
  choices.flatMap(({ name, reaches }) => {
    const reach = chosen[name] ?? 'none';
    if (reach === 'none' || !reaches.includes(reach)) return [];
    return [reach === 'read' ? `${name}:read` : name];
  });

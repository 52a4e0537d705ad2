import { describe, expect, it } from '@jest/globals';
import { reachChoices, scopesOf } from './key-scopes.js';

describe('what a key can reach', () => {
  it('has webhooks for administrators alone, and workflows only to look at', () => {
    const names = (roles: string[]) => reachChoices(roles).map(({ name }) => name);
    expect(names(['owner'])).toContain('webhooks');
    expect(names(['member', 'admin'])).toContain('webhooks');
    expect(names(['member'])).not.toContain('webhooks');
    expect(reachChoices([]).find(({ name }) => name === 'automations')?.reaches).toEqual(['none', 'read']);
  });

  it('becomes scopes in the order of the choices, without what was not chosen', () => {
    const choices = reachChoices(['owner']);
    const chosen = { webhooks: 'write', contacts: 'read', leads: 'write', tasks: 'none' } as const;
    expect(scopesOf(chosen, choices)).toEqual(['leads', 'contacts:read', 'webhooks']);
    expect(scopesOf({}, choices)).toEqual([]);
  });

  it('is never more than is offered', () => {
    const choices = reachChoices(['member']);
    expect(scopesOf({ webhooks: 'write', automations: 'write', leads: 'read' }, choices)).toEqual(['leads:read']);
  });
});

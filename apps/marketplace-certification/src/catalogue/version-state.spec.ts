import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Actor, nextStatus, TRANSITIONS, VERSION_ACTIONS, VERSION_STATUSES } from './version-state.js';

const actors: Actor[] = ['developer', 'operator', 'system'];
const step = fc.record({
  action: fc.constantFrom(...VERSION_ACTIONS),
  actor: fc.constantFrom(...actors),
  reason: fc.option(fc.constant('because'), { nil: undefined }),
});

/** The statuses of a version on a random walk; refused actions change nothing. */
function walk(steps: { action: (typeof VERSION_ACTIONS)[number]; actor: Actor; reason?: string }[]): string[] {
  const passed = ['draft'];
  let status: (typeof VERSION_STATUSES)[number] = 'draft';
  for (const { action, actor, reason } of steps) {
    try {
      status = nextStatus(status, action, actor, reason);
    } catch (error) {
      expect((error as { code: string }).code).toMatch(/^(SUBMISSION_STATE|VALIDATION_FAILED)$/);
      continue;
    }
    passed.push(status);
  }
  return passed;
}

describe('the states of a version', () => {
  it('end with rejected, withdrawn and revoked', () => {
    for (const status of ['rejected', 'withdrawn', 'revoked'] as const) expect(TRANSITIONS[status]).toEqual({});
  });

  it('reach publication only through review, whatever the actions and their order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const passed = walk(steps);
        const published = passed.indexOf('published');
        if (published >= 0) expect(passed.slice(0, published)).toContain('in_review');
        for (const late of ['deprecated', 'suspended', 'revoked']) {
          const at = passed.indexOf(late);
          if (at >= 0) expect(passed.slice(0, at)).toContain('published');
        }
      }),
    );
  });

  it('allow a publisher to submit and withdraw only, and nothing after publication', () => {
    fc.assert(
      fc.property(fc.constantFrom(...VERSION_STATUSES), fc.constantFrom(...VERSION_ACTIONS), (status, action) => {
        const move = TRANSITIONS[status][action];
        if (move?.actor !== 'developer') return;
        expect(['submit', 'withdraw']).toContain(action);
        expect(['published', 'deprecated', 'suspended', 'revoked']).not.toContain(status);
      }),
    );
  });

  it('require a reason where the audit trail must say why, and refuse an action of another kind of actor', () => {
    const refusal = (code: string) => expect.objectContaining({ code }) as never;
    for (const action of ['reject', 'request-changes'] as const) {
      expect(() => nextStatus('in_review', action, 'operator')).toThrow(refusal('VALIDATION_FAILED'));
    }
    expect(() => nextStatus('in_review', 'publish', 'developer', 'please')).toThrow(refusal('SUBMISSION_STATE'));
    expect(nextStatus('in_review', 'approve', 'operator')).toBe('approved');
  });
});

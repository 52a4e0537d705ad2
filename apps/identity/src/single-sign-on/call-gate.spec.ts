import { describe, expect, it } from '@jest/globals';
import { CallGate } from './oidc-client.js';

const REFUSED = { code: 'SERVICE_UNAVAILABLE' };

/** Calls that hang until they are let go. */
function hanging(gate: CallGate, tenantId: string, count: number): { letGo(): Promise<unknown> } {
  let open = (): void => undefined;
  const end = new Promise<void>((resolve) => {
    open = resolve;
  });
  const calls = Promise.all(Array.from({ length: count }, () => gate.run(tenantId, () => end)));
  return {
    letGo: () => {
      open();
      return calls;
    },
  };
}

describe('the calls to providers in flight', () => {
  it('are a few of each workspace: one whose provider hangs holds up no other', async () => {
    const gate = new CallGate();
    const { letGo } = hanging(gate, 'one', 16);
    await expect(gate.run('one', async () => 'in')).rejects.toMatchObject(REFUSED);
    expect(await gate.run('other', async () => 'in')).toBe('in');
    await letGo();
    expect(await gate.run('one', async () => 'in')).toBe('in');
  });

  it('are bounded over all workspaces, and failed ones make room as well', async () => {
    const gate = new CallGate();
    const failing = gate.run('failing', () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    const all = Array.from({ length: 8 }, (_, index) => hanging(gate, `tenant-${index}`, 16));
    await expect(gate.run('other', async () => 'in')).rejects.toMatchObject(REFUSED);
    await all[0]?.letGo();
    expect(await gate.run('other', async () => 'in')).toBe('in');
    await Promise.all(all.map(({ letGo }) => letGo()));
  });
});

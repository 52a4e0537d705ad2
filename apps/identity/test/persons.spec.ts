import { describe, it } from '@jest/globals';
import fc from 'fast-check';
import { withMail } from './identity.js';
import { ACT_NAMES, command } from './persons-acts.js';
import { Model, World } from './persons-model.js';

/** `DEEP=1` looks further, with other sequences each time. */
const RUNS = process.env.DEEP === '1' ? { numRuns: 100 } : { numRuns: 9, seed: 27 };
const LENGTH = 60;

const { identity, mailServer } = withMail();

describe('two addresses in three workspaces', () => {
  // Whatever is done, in whatever order: nobody acts in a workspace without a membership or an account there, nobody without
  // proof keeps a proven person out, a stranger's password is never the person's, and what is erased is nowhere.
  it('have the people that the model has after every act', async () => {
    const acts = fc
      .tuple(fc.constantFrom(...ACT_NAMES), fc.nat({ max: 1 }), fc.nat({ max: 2 }))
      .map(([name, address, workspace]) => command(name, address, workspace));
    await fc.assert(
      fc.asyncProperty(fc.commands([acts], { maxCommands: LENGTH, size: 'max' }), async (commands) => {
        const setup = async () => ({ model: new Model(), real: await World.open(identity, mailServer) });
        await fc.asyncModelRun(setup, commands);
      }),
      { ...RUNS, endOnFailure: true },
    );
  }, 600_000);
});

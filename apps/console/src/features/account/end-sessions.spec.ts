import { ApiProblem } from '@crm/api-client';
import { describe, expect, it } from '@jest/globals';
import { endOthers, type SessionCalls } from './end-sessions.js';

/** An API with these sessions, of which a call lists two at most. */
function api(open: { id: string; current: boolean }[], refusals: Record<string, ApiProblem> = {}) {
  const ended: string[] = [];
  const calls: SessionCalls = {
    sessions: async () => {
      const left = open.filter(({ id }) => !ended.includes(id));
      return { data: left.slice(0, 2), hasMore: left.length > 2 };
    },
    endSession: async (id) => {
      ended.push(id);
      if (refusals[id]) throw refusals[id];
    },
  };
  return { calls, ended };
}
const other = (id: string) => ({ id, current: false });
const THIS = { id: 'this', current: true };

describe('ending all other sessions', () => {
  it('ends all but this one, however many the list has at a time', async () => {
    const { calls, ended } = api([THIS, other('a'), other('b'), other('c'), other('d')]);
    expect(await endOthers(calls)).toEqual(['a', 'b', 'c', 'd']);
    expect(ended).toEqual(['a', 'b', 'c', 'd']);
  });

  it('has nothing to do where there is none', async () => {
    const { calls } = api([THIS]);
    expect(await endOthers(calls)).toEqual([]);
  });

  it('takes one that has ended by itself for ended', async () => {
    const { calls } = api([THIS, other('a'), other('b')], { a: new ApiProblem('NOT_FOUND', 404, 'No such session') });
    expect(await endOthers(calls)).toEqual(['a', 'b']);
  });

  it('says when one could not be ended', async () => {
    const { calls } = api([THIS, other('a')], { a: new ApiProblem('RATE_LIMITED', 429, 'Too many calls') });
    await expect(endOthers(calls)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });
});

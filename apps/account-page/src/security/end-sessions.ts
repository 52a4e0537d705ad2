import { ApiProblem } from '@crm/api-client';
import type { Session } from '../api/security-api.js';

/** What of the API is needed to end sessions. */
export interface SessionCalls {
  sessions(
    token: string,
  ): Promise<{ readonly data: readonly Pick<Session, 'id' | 'current'>[]; readonly hasMore?: boolean }>;
  endSession(token: string, id: string): Promise<void>;
}

/** Ends one session. That it has ended by itself meanwhile is what was wanted. */
export async function endSession(calls: Pick<SessionCalls, 'endSession'>, token: string, id: string): Promise<void> {
  try {
    await calls.endSession(token, id);
  } catch (problem) {
    if (!(problem instanceof ApiProblem && problem.status === 404)) throw problem;
  }
}

/**
 * Ends every session but this one, those included that were opened since the list was shown: whoever presses this button
 * does not want to look again.
 * @returns their ids
 */
export async function endOthers(calls: SessionCalls, token: string): Promise<string[]> {
  const ended: string[] = [];
  for (;;) {
    const { data, hasMore } = await calls.sessions(token);
    const others = data.filter(({ id, current }) => !current && !ended.includes(id));
    for (const { id } of others) {
      await endSession(calls, token, id);
      ended.push(id);
    }
    if (others.length === 0 || !hasMore) return ended;
  }
}

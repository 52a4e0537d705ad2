import { ApiProblem } from '@crm/api-client';
import type { Session } from './account.api.js';

/** What of the API is needed to end sessions. */
export interface SessionCalls {
  sessions(): Promise<{ readonly data: readonly Pick<Session, 'id' | 'current'>[]; readonly hasMore?: boolean }>;
  endSession(id: string): Promise<unknown>;
}

/** Ends one session. That it has ended by itself meanwhile is what was wanted. */
export async function endSession(calls: Pick<SessionCalls, 'endSession'>, id: string): Promise<void> {
  try {
    await calls.endSession(id);
  } catch (problem) {
    if (!(problem instanceof ApiProblem && problem.status === 404)) throw problem;
  }
}

/**
 * Ends every session but this one, those included that were opened since the list was shown: anyone who presses this button
 * does not want to look again.
 * @returns their ids
 */
export async function endOthers(calls: SessionCalls): Promise<string[]> {
  const ended: string[] = [];
  for (;;) {
    const { data, hasMore } = await calls.sessions();
    const others = data.filter(({ id, current }) => !current && !ended.includes(id));
    for (const { id } of others) {
      await endSession(calls, id);
      ended.push(id);
    }
    if (others.length === 0 || !hasMore) return ended;
  }
}

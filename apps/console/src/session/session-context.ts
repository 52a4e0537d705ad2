import { createContext, useContext, useEffect, useSyncExternalStore } from 'react';
import type { Session } from './session.js';

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session, drawn again whenever its state or its holder changes. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('There is no SessionContext around this component');
  useSyncExternalStore(session.subscribe, session.snapshot);
  return session;
}

/** The same, asked for when nobody has yet. */
export function useStartedSession(): Session {
  const session = useSession();
  useEffect(() => {
    void session.start();
  }, [session]);
  return session;
}

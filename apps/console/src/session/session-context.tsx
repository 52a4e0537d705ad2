import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react';
import type { Session } from './session.js';

const SessionContext = createContext<Session | undefined>(undefined);

export function SessionProvider({ session, children }: { readonly session: Session; readonly children: ReactNode }) {
  return <SessionContext value={session}>{children}</SessionContext>;
}

/** The session, drawn again whenever its state or its holder changes. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('There is no SessionProvider around this component');
  useSyncExternalStore(session.subscribe, session.snapshot);
  return session;
}
